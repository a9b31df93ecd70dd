// SPDX-License-Identifier: Apache-2.0
#include "ops/residual_add/residual_add.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/residual_add/kernels/args.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
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

// A row's offset in a tile keeps the alignment of DRAM, so the row can be read there directly.
PieceArgs pieces_of(const ArchSpec& arch, std::uint32_t rows, std::uint32_t row_bytes) {
    const std::uint32_t stride = round_up(row_bytes, dram_alignment(arch));
    // Rows longer than a tile are cut into pieces of one tile.
    return {.rows = rows,
            .row_bytes = row_bytes,
            .of_row = div_up(row_bytes, kTileBytes),
            .rows_of_tile = std::max(kTileBytes / stride, 1U),
            .stride = std::min(stride, kTileBytes)};
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<CopySpec>();
    const DeviceTensor& a = context.device_inputs["a"_in][position];
    const DeviceTensor& b = context.device_inputs["b"_in][position];
    const DeviceTensor& output = context.device_outputs[only(kOutputs)][position];
    const std::uint32_t rows = num_rows(a.spec.shape);
    const std::uint32_t row_bytes = 2 * row_length(a.spec.shape);
    // Short rows share a tile and long rows are split, so additions always have whole tiles.
    const PieceArgs pieces = pieces_of(context.arch, rows, row_bytes);
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid,
                                       div_up(rows, pieces.rows_of_tile) * pieces.of_row);

    Program program = CreateProgram();
    for (const Cb cb : {Cb::A, Cb::B, Cb::Output}) {
        add_circular_buffer(program, work.cores, cb, DataFormat::Float16_b,
                            {spec.cb_depth, kTileBytes});
    }
    const ReaderTensors read{.a = &a.buffer, .b = &b.buffer};
    const WriterTensors written{.output = &output.buffer};
    const KernelHandle reader = CreateKernel(program, "ops/residual_add/kernels/reader.cpp",
                                             work.cores, reader_config(pieces, read));
    // fp32 DST: the sum of two bfloat16 numbers is rounded once, when it is packed.
    const KernelHandle compute = CreateKernel(program, "ops/residual_add/kernels/compute.cpp",
                                              work.cores, ComputeConfig{.fp32_dest_acc_en = true});
    const KernelHandle writer = CreateKernel(program, "ops/residual_add/kernels/writer.cpp",
                                             work.cores, writer_config(pieces, written));
    for (const WorkShare& share : work.shares) {
        const PieceRange range{.first_piece = share.first, .num_pieces = share.count};
        set_args(program, reader, share.core, range, addresses_of(read));
        set_args(program, compute, share.core, PieceCount{.num_pieces = share.count});
        set_args(program, writer, share.core, range, addresses_of(written));
    }
    return program;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::vector<float> other = floats_of(context.read("b"_in));
    // In double, rounded once: the op's only rounding is that of its output.
    return {for_each_row(context.read("a"_in), [&](std::size_t row, std::vector<double>& values) {
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
