// SPDX-License-Identifier: Apache-2.0
#include "ops/fp8_dequantise/fp8_dequantise.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::fp8_dequantise {
namespace {

using config::field;
using fp8::kBlock;

constexpr std::uint32_t kStripTiles = kBlock / kTileColumns;
constexpr std::uint32_t kCodeTile = tile_bytes(DataFormat::Fp8_e4m3);
constexpr std::uint32_t kFloatTile = tile_bytes(DataFormat::Float32);

// Circular buffers, as the kernels number them.
enum : std::uint8_t { kRows = 0, kCodes = 5, kScale = 7, kScaleRows = 13, kOut = 16 };

constexpr std::array kFields{
    field<&DequantiseSpec::output>("output", "float32", "float32, or bfloat16, rounded once more"),
    field<&DequantiseSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

std::uint32_t blocks_in(std::uint32_t elements) {
    return div_up(elements, kBlock);
}

/// All rows of a stack as one.
Shape matrix_of(const Shape& stack) {
    return {num_rows(stack), row_length(stack)};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<DequantiseSpec>();
    const Shape codes = matrix_of(context.inputs[0].spec.shape);
    const Shape scale = matrix_of(context.inputs[1].spec.shape);
    judge_grid(context.arch, spec.grid, judge);
    const Shape rows{codes[0], blocks_in(codes[1])};
    const Shape whole_rows{codes[0], 1};
    const Shape squares{blocks_in(codes[0]), blocks_in(codes[1])};
    judge.require(scale == rows || scale == whole_rows || scale == squares, "scale",
                  fmt::format("is {}; allowed: {}, {} or {}", to_string(scale), to_string(rows),
                              to_string(whole_rows), to_string(squares)));
    judge.require(spec.output == DataFormat::Float32 || spec.output == DataFormat::Float16_b,
                  "output",
                  fmt::format("is {}; allowed: float32 or bfloat16", name_of(spec.output)));
    const std::uint64_t bytes = 3 * kStripTiles * (kCodeTile + kFloatTile) +
                                std::uint64_t{kTileRows} * fp8::aligned(scale[1] * 4);
    judge.require(bytes <= buffer_room(context.arch), "scale",
                  fmt::format("with rows of {} takes {} B of circular buffers; a core has {} B of "
                              "L1 for them",
                              scale[1], bytes, buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    return {{.spec = {context.inputs[0].spec.shape, context.params<DequantiseSpec>().output,
                      Layout::ROW_MAJOR}}};
}

/// Rows of codes that share a row of scales.
std::uint32_t rows_of_scale(const Shape& codes, const Shape& scale) {
    return scale[0] == codes[0] ? 1 : kBlock;
}

ComputeConfig compute_config() {
    ComputeConfig config;
    config.fp32_dest_acc_en = true;
    config.unpack_to_dest_mode.assign(kScale + 1U, UnpackToDestMode::Default);
    config.unpack_to_dest_mode[kScale] = UnpackToDestMode::UnpackToDestFp32;
    return config;
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<DequantiseSpec>();
    const DeviceTensor& codes = context.device_inputs[0][position];
    const DeviceTensor& scales = context.device_inputs[1][position];
    const DeviceTensor& output = context.device_outputs[0][position];
    const Shape shape = matrix_of(codes.spec.shape);
    const Shape scale = matrix_of(scales.spec.shape);
    const std::uint32_t groups = div_up(shape[0], kTileRows);
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, groups);
    const std::uint32_t scale_bytes = scale[1] * 4;

    Program program = CreateProgram();
    const auto add = [&](std::uint8_t index, DataFormat format, std::uint32_t bytes,
                         std::uint32_t pages) {
        fp8::add_buffer(program, work.cores, index, format, bytes, pages);
    };
    add(kRows, DataFormat::Fp8_e4m3, kCodeTile, 2 * kStripTiles);
    add(kCodes, DataFormat::Fp8_e4m3, kCodeTile, kStripTiles);
    add(kScale, DataFormat::Float32, kFloatTile, 2);
    add(kScaleRows, DataFormat::UInt32, fp8::aligned(scale_bytes), kTileRows);
    add(kOut, spec.output, tile_bytes(spec.output), 2 * kStripTiles);
    std::vector<std::uint32_t> reading{shape[0], shape[1], rows_of_scale(shape, scale), scale_bytes,
                                       fp8::aligned(scale_bytes)};
    std::vector<std::uint32_t> writing{shape[0], shape[1], element_bytes(spec.output)};
    std::vector<std::uint32_t> from;
    std::vector<std::uint32_t> to;
    fp8::append({&codes.buffer, &scales.buffer}, reading, from);
    fp8::append({&output.buffer}, writing, to);
    const KernelHandle reader = CreateKernel(program, "ops/fp8_dequantise/kernels/reader.cpp",
                                             work.cores, ReaderDataMovementConfig(reading));
    const KernelHandle compute = CreateKernel(program, "ops/fp8_dequantise/kernels/compute.cpp",
                                              work.cores, compute_config());
    const KernelHandle writer = CreateKernel(program, "ops/fp8_dequantise/kernels/writer.cpp",
                                             work.cores, WriterDataMovementConfig(writing));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, reader, share.core, {share.first, share.count, from[0], from[1]});
        SetRuntimeArgs(program, compute, share.core, {share.count * blocks_in(shape[1])});
        SetRuntimeArgs(program, writer, share.core, {share.first, share.count, to[0]});
    }
    return program;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor codes = context.read(0);
    const HostTensor scales = context.read(1);
    HostTensor output = make_host_tensor(codes.shape, DataFormat::Float32);
    const Shape scale = matrix_of(scales.shape);
    const std::size_t columns = row_length(codes.shape);
    const std::size_t rows_each = rows_of_scale(matrix_of(codes.shape), scale);
    for (std::size_t i = 0; i < codes.bytes.size(); ++i) {
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
