// SPDX-License-Identifier: Apache-2.0
#include "ops/fp8_quantise/fp8_quantise.hpp"

#include <algorithm>
#include <cmath>

#include "ops/buffer_room.hpp"
#include "ops/host_floats.hpp"
#include "ops/schedule_fields.hpp"
#include "ops/work_share.hpp"

namespace tessera::ops::fp8_quantise {
namespace {

using config::field;
using fp8::kBlock;

constexpr std::uint32_t kStripTiles = kBlock / kTileColumns;
constexpr std::uint32_t kFloatTile = tile_bytes(DataFormat::Float32);

// Circular buffers, as the kernels number them.
enum : std::uint8_t { kRows = 0, kValues = 5, kLargest = 6, kScale = 7, kOut = 16, kScales = 17 };

constexpr std::array kFields{
    field<&QuantiseSpec::rule>("rule", "trtllm", "how a scale follows from the largest magnitude"),
    field<&QuantiseSpec::block>("block", "1x128", "rows and columns that share a scale"),
    field<&QuantiseSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

std::uint32_t blocks_in(std::uint32_t elements) {
    return (elements + kBlock - 1) / kBlock;
}

/// How a matrix is cut: groups of rows of tiles go to cores, each has blocks, each of strips.
struct Cut {
    std::uint32_t row_tiles;
    std::uint32_t groups;
    std::uint32_t blocks;
    std::uint32_t strips;
    Shape scales;
};

Cut cut_of(const Shape& input, ScaleBlock block) {
    const bool is_square = block == ScaleBlock::Square128;
    const bool is_row = block == ScaleBlock::Row;
    const std::uint32_t row_tiles = is_square ? kBlock / kTileRows : 1;
    const std::uint32_t group_rows = row_tiles * kTileRows;
    const std::uint32_t blocks = is_row ? 1 : blocks_in(input[1]);
    return {.row_tiles = row_tiles,
            .groups = (input[0] + group_rows - 1) / group_rows,
            .blocks = blocks,
            .strips = is_row ? blocks_in(input[1]) : row_tiles,
            .scales = {is_square ? blocks_in(input[0]) : input[0], blocks}};
}

std::string schedule_words(const void* parameters) {
    return config::Value<ScaleBlock>::show(static_cast<const QuantiseSpec*>(parameters)->block);
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<QuantiseSpec>();
    const Shape& input = context.inputs[0].spec.shape;
    judge_grid(context.arch, spec.grid, judge);
    const Cut cut = cut_of(input, spec.block);
    const std::uint64_t bytes = (std::uint64_t{cut.strips} + 5) * kStripTiles * kFloatTile +
                                std::uint64_t{kTileRows} * fp8::aligned(cut.blocks * 4);
    judge.require(bytes <= buffer_room(context.arch), "input",
                  fmt::format("with rows of {} elements takes {} B of circular buffers; a core has "
                              "{} B of L1 for them",
                              input[1], bytes, buffer_room(context.arch)));
    const Shape& scale = context.outputs.size() > 1 ? context.outputs[1].spec.shape : cut.scales;
    judge.require(scale == cut.scales, "scale",
                  fmt::format("is {}; it must be {}", to_string(scale), to_string(cut.scales)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const Shape& input = context.inputs[0].spec.shape;
    return {{.spec = {input, DataFormat::Fp8_e4m3, Layout::ROW_MAJOR}},
            {.spec = {cut_of(input, context.params<QuantiseSpec>().block).scales,
                      DataFormat::Float32, Layout::ROW_MAJOR}}};
}

ComputeConfig compute_config(const Cut& cut, ScaleRule rule) {
    ComputeConfig config;
    config.fp32_dest_acc_en = true;
    config.compile_args = {cut.strips, rule == ScaleRule::PerToken ? 1U : 0U};
    config.unpack_to_dest_mode.assign(kScale + 1U, UnpackToDestMode::Default);
    for (const std::uint8_t cb : {kRows, kValues, kScale}) {
        config.unpack_to_dest_mode[cb] = UnpackToDestMode::UnpackToDestFp32;
    }
    return config;
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<QuantiseSpec>();
    const DeviceTensor& input = context.device_inputs[0][position];
    const Shape& shape = input.spec.shape;
    const Cut cut = cut_of(shape, spec.block);
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, cut.groups);
    const std::uint32_t scale_bytes = cut.blocks * 4;
    const DataFormat format = input.spec.format;

    Program program = CreateProgram();
    const auto add = [&](std::uint8_t index, DataFormat of, std::uint32_t bytes,
                         std::uint32_t pages) {
        fp8::add_buffer(program, work.cores, index, of, bytes, pages);
    };
    add(kRows, format, tile_bytes(format), 2 * kStripTiles);
    add(kValues, DataFormat::Float32, kFloatTile, cut.strips * kStripTiles);
    add(kLargest, DataFormat::Float32, kFloatTile, 2);
    add(kScale, DataFormat::Float32, kFloatTile, 1);
    add(kOut, DataFormat::Fp8_e4m3, tile_bytes(DataFormat::Fp8_e4m3), 2 * kStripTiles);
    add(kScales, DataFormat::UInt32, fp8::aligned(scale_bytes), kTileRows);
    std::vector<std::uint32_t> reading{shape[0], shape[1], element_bytes(format), cut.row_tiles};
    std::vector<std::uint32_t> writing{shape[0],
                                       shape[1],
                                       static_cast<std::uint32_t>(spec.block),
                                       cut.row_tiles,
                                       static_cast<std::uint32_t>(spec.rule),
                                       fp8::aligned(scale_bytes),
                                       scale_bytes};
    std::vector<std::uint32_t> from;
    std::vector<std::uint32_t> to;
    fp8::append({&input.buffer}, reading, from);
    fp8::append(
        {&context.device_outputs[0][position].buffer, &context.device_outputs[1][position].buffer},
        writing, to);
    const KernelHandle reader = CreateKernel(program, "ops/fp8_quantise/kernels/reader.cpp",
                                             work.cores, ReaderDataMovementConfig(reading));
    const KernelHandle compute = CreateKernel(program, "ops/fp8_quantise/kernels/compute.cpp",
                                              work.cores, compute_config(cut, spec.rule));
    const KernelHandle writer = CreateKernel(program, "ops/fp8_quantise/kernels/writer.cpp",
                                             work.cores, WriterDataMovementConfig(writing));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, reader, share.core, {share.first, share.count, from[0]});
        SetRuntimeArgs(program, compute, share.core, {share.count * cut.blocks});
        SetRuntimeArgs(program, writer, share.core, {share.first, share.count, to[0], to[1]});
    }
    return program;
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) { return make_program(context, p); });
}

/// The elements of one block: rows and columns from a corner on.
struct Region {
    std::size_t row, rows, column, columns;
};

void quantise_region(const std::vector<float>& values, const Region& region, ScaleRule rule,
                     HostTensor& codes, float& scale) {
    const std::size_t width = codes.shape[1];
    float largest = 0;
    const auto each = [&](const auto& act) {
        for (std::size_t row = region.row; row < region.row + region.rows; ++row) {
            for (std::size_t c = region.column; c < region.column + region.columns; ++c) {
                act(row * width + c);
            }
        }
    };
    each([&](std::size_t i) { largest = std::max(largest, std::fabs(values[i])); });
    scale = fp8::scale_of(largest, rule);
    each(
        [&](std::size_t i) { codes.as<std::uint8_t>()[i] = fp8::code_of(values[i], scale, rule); });
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<QuantiseSpec>();
    const HostTensor input = context.read(0);
    std::vector<float> values(num_elements(input.shape));
    read_floats(input, 0, values);
    const Cut cut = cut_of(input.shape, spec.block);
    HostTensor codes = make_host_tensor(input.shape, DataFormat::Fp8_e4m3);
    HostTensor scales = make_host_tensor(cut.scales, DataFormat::Float32);
    const std::size_t rows = spec.block == ScaleBlock::Square128 ? kBlock : 1;
    const std::size_t columns = spec.block == ScaleBlock::Row ? input.shape[1] : kBlock;
    for (std::size_t r = 0; r < cut.scales[0]; ++r) {
        for (std::size_t b = 0; b < cut.scales[1]; ++b) {
            const Region region{r * rows, std::min(rows, input.shape[0] - r * rows), b * columns,
                                std::min(columns, input.shape[1] - b * columns)};
            quantise_region(values, region, spec.rule, codes,
                            scales.as<float>()[r * cut.scales[1] + b]);
        }
    }
    std::vector<HostTensor> outputs;
    outputs.push_back(std::move(codes));
    outputs.push_back(std::move(scales));
    return outputs;
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<QuantiseSpec>(kFields),
                        .schedule = schedule_words,
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::fp8_quantise
