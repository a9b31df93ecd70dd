// SPDX-License-Identifier: Apache-2.0
#include "ops/valid_tiles/eltwise.hpp"

#include <string>
#include <utility>

#include "ops/expect_tensor.hpp"
#include "ops/work_share.hpp"

namespace tessera::ops {
namespace {

void check(const EltwiseOp& op, const ActivationSpec& schedule) {
    const NamedTensor& first = op.inputs.front();
    const TensorSpec spec = eltwise_output_spec(op.name, first.name, first.tensor.spec);
    for (const NamedTensor& input : op.inputs) {
        expect_tensor(op.name, input.name, input.tensor, spec);
    }
    expect_tensor(op.name, "output", op.output, spec);
    expect_counts(op.name, op.num_routed_tokens, spec.shape[0], spec.shape[1]);
    require(schedule.cb_depth > 0, "{}: cb_depth is 0; it must be at least 1", op.name);
}

void add_reader(Program& program, const SharedBlocks& work, const TokenTiles& tiles,
                const EltwiseOp& op) {
    const Buffer& counts = op.num_routed_tokens.device.buffer;
    const Buffer& first = op.inputs.front().tensor.buffer;
    const Buffer& second = op.inputs.back().tensor.buffer;  // the first again if there is one
    std::vector<std::uint32_t> args{tiles.token_tiles, tiles.column_tiles, tiles.num_experts,
                                    counts.aligned_page_size,
                                    static_cast<std::uint32_t>(op.inputs.size())};
    TensorAccessorArgs(counts).append_to(args);
    TensorAccessorArgs(first).append_to(args);
    TensorAccessorArgs(second).append_to(args);
    const KernelHandle reader = CreateKernel(program, "ops/valid_tiles/kernels/eltwise_reader.cpp",
                                             work.cores, ReaderDataMovementConfig(std::move(args)));
    for (const BlockShare& share : work.shares) {
        SetRuntimeArgs(program, reader, share.core,
                       {counts.address, first.address, second.address, share.first, share.count});
    }
}

void add_compute(Program& program, const SharedBlocks& work, const EltwiseOp& op,
                 const ActivationSpec& schedule) {
    const ComputeConfig config{.fp32_dest_acc_en = schedule.fp32_dest_acc,
                               .compile_args = {},
                               .defines = {},
                               .named_compile_args = {}};
    const KernelHandle compute =
        CreateKernel(program, std::string(op.compute_kernel), work.cores, config);
    for (const BlockShare& share : work.shares) {
        SetRuntimeArgs(program, compute, share.core, {share.count});
    }
}

}  // namespace

TensorSpec eltwise_output_spec(std::string_view op, std::string_view name,
                               const TensorSpec& input) {
    require(input.shape.size() == 3 && num_elements(input.shape) > 0 &&
                input.format == DataFormat::Float16_b && input.layout == Layout::TILE,
            "{}: {} is {}; it must be bfloat16 TILE of rank 3 without an extent of 0", op, name,
            describe(input));
    return input;
}

Program make_eltwise_program(const ArchSpec& arch, const EltwiseOp& op,
                             const ActivationSpec& schedule) {
    check(op, schedule);
    const TokenTiles tiles = token_tiles_of(op.output.spec.shape);
    const RoutedTokens& counts = op.num_routed_tokens;
    const SharedBlocks work =
        share_blocks(schedule_grid(op.name, arch, schedule.grid),
                     {num_valid_tiles(tiles, counts.host), num_zero_tiles(tiles, counts.host)},
                     TileDistribution::Block);

    Program program = CreateProgram();
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        add_tile_buffer(program, work.cores, i == 0 ? kInputCb : kSecondInputCb,
                        op.output.spec.format, schedule.cb_depth);
    }
    add_counts_buffer(program, work.cores, kReaderCountsCb, counts);
    add_reader(program, work, tiles, op);
    add_compute(program, work, op, schedule);
    add_writer(program, work, {.tiles = tiles, .output_depth = schedule.cb_depth}, op.output,
               counts);
    return program;
}

}  // namespace tessera::ops
