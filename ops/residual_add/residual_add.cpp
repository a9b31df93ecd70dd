// SPDX-License-Identifier: Apache-2.0
#include "ops/residual_add/residual_add.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/row_strips/row_strips.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::residual_add {
namespace {

constexpr std::uint32_t kTileBytes = tile_bytes(DataFormat::Float16_b);

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<CopySpec>();
    judge_grid(context.arch, spec.grid, judge);
    judge_depth(spec.cb_depth, judge);
}

/// How rows are cut into pieces of a tile, or put together to one.
struct Pieces {
    std::uint32_t of_row;        ///< pieces of a row
    std::uint32_t rows_of_tile;  ///< rows of a piece
    std::uint32_t stride;        ///< bytes from one row's place in a tile to the next one's
};

Pieces pieces_of(const ArchSpec& arch, std::uint32_t row_bytes) {
    // A row's place in a tile keeps the alignment of DRAM, so that it can be read there without a
    // detour.
    const std::uint32_t stride = round_up(row_bytes, dram_alignment(arch));
    return {div_up(row_bytes, kTileBytes), std::max(kTileBytes / stride, 1U),
            std::min(stride, kTileBytes)};
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<CopySpec>();
    const DeviceTensor& a = context.device_inputs[0][position];
    const DeviceTensor& b = context.device_inputs[1][position];
    const DeviceTensor& output = context.device_outputs[0][position];
    const std::uint32_t rows = num_rows(a.spec.shape);
    const std::uint32_t row_bytes = 2 * row_length(a.spec.shape);
    const Pieces pieces = pieces_of(context.arch, row_bytes);
    // Short rows share a tile and long rows are cut, so that additions always have whole tiles.
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid,
                                       div_up(rows, pieces.rows_of_tile) * pieces.of_row);

    Program program = CreateProgram();
    constexpr std::uint8_t kA = 0;
    constexpr std::uint8_t kB = 1;
    constexpr std::uint8_t kOut = 16;
    for (const std::uint8_t index : {kA, kB, kOut}) {
        CreateCircularBuffer(
            program, work.cores,
            CircularBufferConfig(spec.cb_depth * kTileBytes, {{index, DataFormat::Float16_b}})
                .set_page_size(index, kTileBytes));
    }
    const std::vector<std::uint32_t> shapes{rows, row_bytes, pieces.of_row, pieces.rows_of_tile,
                                            pieces.stride};
    std::vector<std::uint32_t> reading = shapes;
    std::vector<std::uint32_t> writing = shapes;
    append_accessors({&a, &b}, reading);
    append_accessors({&output}, writing);
    const KernelHandle reader = CreateKernel(program, "ops/residual_add/kernels/reader.cpp",
                                             work.cores, ReaderDataMovementConfig(reading));
    const KernelHandle compute = CreateKernel(program, "ops/residual_add/kernels/compute.cpp",
                                              work.cores, ComputeConfig{.fp32_dest_acc_en = true});
    const KernelHandle writer = CreateKernel(program, "ops/residual_add/kernels/writer.cpp",
                                             work.cores, WriterDataMovementConfig(writing));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, reader, share.core,
                       {share.first, share.count, a.buffer.address, b.buffer.address});
        SetRuntimeArgs(program, compute, share.core, {share.count});
        SetRuntimeArgs(program, writer, share.core,
                       {share.first, share.count, output.buffer.address});
    }
    return program;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::vector<float> other = vector_of(context.read(1));
    // In double, rounded once: the op's only rounding is that of its output.
    return {for_each_row(context.read(0), [&](std::size_t row, std::vector<double>& values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] += static_cast<double>(other[row * values.size() + i]);
        }
    })};
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<CopySpec>(kCopyFields),
                        .rules = rules,
                        .infer = like_first_input,
                        .programs = on_each(make_program),
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::residual_add
