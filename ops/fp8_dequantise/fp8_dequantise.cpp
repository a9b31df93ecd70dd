// SPDX-License-Identifier: Apache-2.0
#include "ops/fp8_dequantise/fp8_dequantise.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/fp8_dequantise/kernels/args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::fp8_dequantise {
namespace {

using config::field;
using fp8::kBlock;

constexpr std::uint32_t kStripTiles = kBlock / kTileColumns;
constexpr std::uint32_t kCodeTile = tile_bytes(DataFormat::Fp8_e4m3);
constexpr std::uint32_t kFloatTile = tile_bytes(DataFormat::Float32);

constexpr std::array kFields{
    field<&DequantiseSpec::output>("output", "float32", "float32, or bfloat16, rounded once more"),
    field<&DequantiseSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

std::uint32_t blocks_in(std::uint32_t elements) {
    return div_up(elements, kBlock);
}

/// Returns the shape of all rows of a stack as one matrix.
Shape matrix_of(const Shape& stack) {
    return {num_rows(stack), row_length(stack)};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<DequantiseSpec>();
    const Shape codes = matrix_of(context.inputs["codes"_in].spec.shape);
    const Shape scale = matrix_of(context.inputs["scale"_in].spec.shape);
    judge_grid(context.arch, spec.grid, judge);
    // Three forms of scales: a row of 128 codes, a whole row, and a square of 128 x 128.
    const Shape rows{codes[0], blocks_in(codes[1])};
    const Shape whole_rows{codes[0], 1};
    const Shape squares{blocks_in(codes[0]), blocks_in(codes[1])};
    judge.require(scale == rows || scale == whole_rows || scale == squares, "scale",
                  fmt::format("is {}; allowed: {}, {} or {}", to_string(scale), to_string(rows),
                              to_string(whole_rows), to_string(squares)));
    judge.require(spec.output == DataFormat::Float32 || spec.output == DataFormat::Float16_b,
                  "output",
                  fmt::format("is {}; allowed: float32 or bfloat16", name_of(spec.output)));
    // Codes twice, scales and outputs; the scales of 32 rows are held whole.
    const std::uint64_t bytes = 3 * kStripTiles * (kCodeTile + kFloatTile) +
                                std::uint64_t{kTileRows} * fp8::aligned(scale[1] * 4);
    judge.require(bytes <= buffer_room(context.arch), "scale",
                  fmt::format("with rows of {} takes {} B of circular buffers; a core has {} B of "
                              "L1 for them",
                              scale[1], bytes, buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    return {{.spec = {context.inputs["codes"_in].spec.shape,
                      context.params<DequantiseSpec>().output, Layout::ROW_MAJOR}}};
}

/// Returns the rows of codes that share a row of scales.
std::uint32_t rows_of_scale(const Shape& codes, const Shape& scale) {
    // Squares share a row of scales between 128 rows.
    return scale[0] == codes[0] ? 1 : kBlock;
}

ComputeConfig compute_config() {
    ComputeConfig config;
    config.fp32_dest_acc_en = true;
    config.unpack_to_dest_mode.assign(index_of(Cb::Scale) + 1U, UnpackToDestMode::Default);
    // A scale passes to DST unrounded; through a source register it would lose 13 bits.
    config.unpack_to_dest_mode[index_of(Cb::Scale)] = UnpackToDestMode::UnpackToDestFp32;
    return config;
}

void add_buffers(Program& program, const CoreRangeSet& cores, DataFormat output,
                 std::uint32_t scale_stride) {
    const auto add = [&](Cb cb, DataFormat format, std::uint32_t bytes, std::uint32_t pages) {
        add_circular_buffer(program, cores, cb, format, {pages, bytes});
    };
    // Two strips of rows: one arrives while the other is tilized.
    add(Cb::Rows, DataFormat::Fp8_e4m3, kCodeTile, 2 * kStripTiles);
    add(Cb::Codes, DataFormat::Fp8_e4m3, kCodeTile, kStripTiles);
    // Two scale tiles: one arrives while the other is multiplied.
    add(Cb::Scale, DataFormat::Float32, kFloatTile, 2);
    add(Cb::ScaleRows, DataFormat::UInt32, scale_stride, kTileRows);
    add(Cb::Output, output, tile_bytes(output), 2 * kStripTiles);
}

ReaderArgs reader_args(const Shape& codes, const Shape& scale) {
    return {.rows = codes[0],
            .columns = codes[1],
            .block_rows = rows_of_scale(codes, scale),
            .scale_bytes = scale[1] * 4,
            .scale_stride = fp8::aligned(scale[1] * 4)};
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<DequantiseSpec>();
    const Shape codes = matrix_of(context.inputs["codes"_in].spec.shape);
    const ReaderArgs args = reader_args(codes, matrix_of(context.inputs["scale"_in].spec.shape));
    const ReaderTensors read{.codes = &context.device_inputs["codes"_in][position].buffer,
                             .scales = &context.device_inputs["scale"_in][position].buffer};
    const fp8::StripWriterTensors written{
        .output = &context.device_outputs[only(kOutputs)][position].buffer};
    // A group is 32 rows: as many as a tile has.
    const std::uint32_t groups = div_up(codes[0], kTileRows);
    // Groups are whole rows, so that a core reads the scales of a row once.
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, groups);

    Program program = CreateProgram();
    add_buffers(program, work.cores, spec.output, args.scale_stride);
    const fp8::StripWriterArgs writing{
        .rows = codes[0], .columns = codes[1], .element_bytes = element_bytes(spec.output)};
    const KernelHandle reader = CreateKernel(program, "ops/fp8_dequantise/kernels/reader.cpp",
                                             work.cores, reader_config(args, read));
    const KernelHandle compute = CreateKernel(program, "ops/fp8_dequantise/kernels/compute.cpp",
                                              work.cores, compute_config());
    const KernelHandle writer = CreateKernel(program, "ops/fp8_dequantise/kernels/writer.cpp",
                                             work.cores, writer_config(writing, written));
    for (const WorkShare& share : work.shares) {
        const fp8::GroupRange range{.first_group = share.first, .num_groups = share.count};
        set_args(program, reader, share.core, range, addresses_of(read));
        set_args(program, compute, share.core,
                 StripCount{.num_strips = share.count * blocks_in(codes[1])});
        set_args(program, writer, share.core, range, addresses_of(written));
    }
    return program;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor codes = context.read("codes"_in);
    const HostTensor scales = context.read("scale"_in);
    HostTensor output = make_host_tensor(codes.shape, DataFormat::Float32);
    const Shape scale = matrix_of(scales.shape);
    const std::size_t columns = row_length(codes.shape);
    const std::size_t rows_each = rows_of_scale(matrix_of(codes.shape), scale);
    for (std::size_t i = 0; i < codes.bytes.size(); ++i) {
        // One scale for a whole row serves all of its blocks.
        const std::size_t block =
            std::min<std::size_t>(i % columns / kBlock, scale[1] - std::size_t{1});
        output.as<float>()[i] = fp8::value_of(codes.as<std::uint8_t>()[i]) *
                                scales.as<float>()[i / columns / rows_each * scale[1] + block];
    }
    return list_of(std::move(output));
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<DequantiseSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::fp8_dequantise
