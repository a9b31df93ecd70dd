// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_bmm/moe_bmm.hpp"

#include <utility>

#include "ops/expect_tensor.hpp"
#include "ops/work_share.hpp"

namespace tessera::ops::moe_bmm {
namespace {

std::uint32_t div_up(std::uint32_t dividend, std::uint32_t divisor) {
    return dividend / divisor + (dividend % divisor == 0 ? 0 : 1);
}

void expect_operand(std::string_view name, const TensorSpec& spec) {
    require(spec.shape.size() == 3 && num_elements(spec.shape) > 0 &&
                spec.format == DataFormat::Float16_b && spec.layout == Layout::TILE,
            "moe_bmm: {} is {}; it must be bfloat16 TILE of rank 3 without an extent of 0", name,
            describe(spec));
}

void check_schedule(const ArchSpec& arch, const MoeBmmSpec& schedule) {
    const Subblock subblock = schedule.subblock;
    require(schedule.k_block > 0 && schedule.cb_depth > 0,
            "moe_bmm: k_block is {} and cb_depth {}; both must be at least 1", schedule.k_block,
            schedule.cb_depth);
    const std::uint32_t half =
        (schedule.fp32_dest_acc ? arch.dst.tiles_32bit : arch.dst.tiles_16bit) / 2;
    const std::uint64_t tiles = std::uint64_t{subblock.height} * subblock.width;
    require(tiles >= 1 && tiles <= half,
            "moe_bmm: a subblock of {}x{} tiles does not fit in half of DST; with {} accumulation "
            "1 to {} tiles do",
            subblock.height, subblock.width, schedule.fp32_dest_acc ? "fp32" : "bfloat16", half);
}

void check(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
           const MoeBmmSpec& schedule) {
    const TensorSpec& input = inputs.input_hidden_state.spec;
    expect_interleaved("moe_bmm", "input_hidden_state", inputs.input_hidden_state);
    expect_interleaved("moe_bmm", "expert_weights", inputs.expert_weights);
    expect_tensor("moe_bmm", "output", outputs.output,
                  output_spec(input, inputs.expert_weights.spec));
    expect_counts("moe_bmm", inputs.num_routed_tokens, input.shape[0], input.shape[1]);
    check_schedule(arch, schedule);
}

/// Subblocks of all experts' tokens.
std::uint32_t num_blocks(const TokenTiles& tiles, std::span<const std::uint32_t> counts,
                         Subblock subblock) {
    std::uint32_t rows = 0;
    for (const std::uint32_t count : counts) {
        rows += div_up(num_token_tiles(count), subblock.height);
    }
    return rows * div_up(tiles.column_tiles, subblock.width);
}

SharedBlocks share(const ArchSpec& arch, const TokenTiles& tiles,
                   std::span<const std::uint32_t> counts, const MoeBmmSpec& schedule) {
    const BlockCounts units{num_blocks(tiles, counts, schedule.subblock),
                            num_zero_tiles(tiles, counts)};
    if (schedule.schedule == BmmSchedule::SingleCore) {
        return share_blocks({1, 1}, units, TileDistribution::Block);
    }
    return share_blocks(schedule_grid("moe_bmm", arch, schedule.grid), units,
                        schedule.distribution);
}

void add_input_buffers(Program& program, const CoreRangeSet& cores, const RoutedTokens& counts,
                       const MoeBmmSpec& schedule) {
    const std::uint32_t k_tiles = schedule.cb_depth * schedule.k_block;
    add_tile_buffer(program, cores, kInputCb, DataFormat::Float16_b,
                    k_tiles * schedule.subblock.height);
    add_tile_buffer(program, cores, kSecondInputCb, DataFormat::Float16_b,
                    k_tiles * schedule.subblock.width);
    add_counts_buffer(program, cores, kReaderCountsCb, counts);
    add_blocks_buffer(program, cores, kComputeBlocksCb);
}

void add_reader(Program& program, const SharedBlocks& work, const TokenTiles& tiles,
                std::uint32_t k_tiles, const Inputs& inputs, const MoeBmmSpec& schedule) {
    const Buffer& counts = inputs.num_routed_tokens.device.buffer;
    std::vector<std::uint32_t> args{tiles.token_tiles,        k_tiles,
                                    tiles.column_tiles,       schedule.k_block,
                                    schedule.subblock.height, schedule.subblock.width,
                                    tiles.num_experts,        counts.aligned_page_size};
    TensorAccessorArgs(inputs.input_hidden_state.buffer).append_to(args);
    TensorAccessorArgs(inputs.expert_weights.buffer).append_to(args);
    TensorAccessorArgs(counts).append_to(args);
    const KernelHandle reader = CreateKernel(program, "ops/moe_bmm/kernels/reader.cpp", work.cores,
                                             ReaderDataMovementConfig(std::move(args)));
    for (const BlockShare& share : work.shares) {
        SetRuntimeArgs(
            program, reader, share.core,
            {inputs.input_hidden_state.buffer.address, inputs.expert_weights.buffer.address,
             counts.address, share.first, share.stride, share.count});
    }
}

void add_compute(Program& program, const SharedBlocks& work, std::uint32_t k_tiles,
                 const MoeBmmSpec& schedule) {
    const ComputeConfig config{.math_fidelity = schedule.math_fidelity,
                               .fp32_dest_acc_en = schedule.fp32_dest_acc,
                               .compile_args = {k_tiles, schedule.k_block, schedule.subblock.height,
                                                schedule.subblock.width},
                               .defines = {},
                               .named_compile_args = {}};
    const KernelHandle compute =
        CreateKernel(program, "ops/moe_bmm/kernels/compute.cpp", work.cores, config);
    for (const BlockShare& share : work.shares) {
        SetRuntimeArgs(program, compute, share.core, {share.count});
    }
}

}  // namespace

TensorSpec output_spec(const TensorSpec& input_hidden_state, const TensorSpec& expert_weights) {
    expect_operand("input_hidden_state", input_hidden_state);
    expect_operand("expert_weights", expert_weights);
    const Shape& input = input_hidden_state.shape;
    const Shape& weights = expert_weights.shape;
    require(input[0] == weights[0] && input[2] == weights[1],
            "moe_bmm: expert_weights is {}; for input_hidden_state {} it must be ({},{},H_out)",
            describe(expert_weights), describe(input_hidden_state), input[0], input[2]);
    return {{input[0], input[1], weights[2]}, DataFormat::Float16_b, Layout::TILE};
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const MoeBmmSpec& schedule) {
    check(arch, inputs, outputs, schedule);
    const RoutedTokens& counts = inputs.num_routed_tokens;
    const TokenTiles tiles = token_tiles_of(outputs.output.spec.shape);
    const std::uint32_t k_tiles = div_up(inputs.expert_weights.spec.shape[1], kTileRows);
    const SharedBlocks work = share(arch, tiles, counts.host, schedule);

    Program program = CreateProgram();
    add_input_buffers(program, work.cores, counts, schedule);
    add_reader(program, work, tiles, k_tiles, inputs, schedule);
    add_compute(program, work, k_tiles, schedule);
    const std::uint32_t block_tiles = schedule.subblock.height * schedule.subblock.width;
    add_writer(program, work, {.tiles = tiles, .block_tiles = block_tiles}, outputs.output, counts);
    return program;
}

}  // namespace tessera::ops::moe_bmm
