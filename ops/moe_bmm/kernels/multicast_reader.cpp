// SPDX-License-Identifier: Apache-2.0
// Works on blocks of one expert together with the other cores of this row of the grid. Each core
// has rows of tokens of its own, and all have the same weights. The row's first core reads these
// from DRAM and sends them to the others. All take part in each step, so that their circular
// buffers stay in step and weights land at each core's write pointer. A core without rows lets them
// go by.
#include "../../shared/kernels/block_handshake.hpp"
#include "operands.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::moe_bmm;
using namespace tessera::ops::valid_tiles;

constexpr uint32_t kRowArgs = ReaderTensors::Addresses::kCount;
constexpr uint32_t kCoreArgs = kRowArgs + CoreOfGrid::kCount;
constexpr uint32_t kSenderArgs = kCoreArgs + CoreOfRow::kCount;
constexpr uint32_t kReceiverArgs = kSenderArgs + BlockSenderArgs::kCount;

// A step of the row: as many blocks of rows of one expert as the row has cores, and a column.
struct Step {
    uint32_t expert;
    uint32_t first_row_block;
    uint32_t column;
};

struct StepWalk {
    const Shapes& shapes;
    const TokenCounts& counts;
    uint32_t num_columns;  // of cores
    uint32_t expert = 0;
    uint32_t steps_before = 0;  // of all experts before this one

    uint32_t blocks_across() const { return div_up(shapes.column_tiles, shapes.block_width); }
    uint32_t row_blocks() const { return div_up(counts.tile_rows(expert), shapes.block_height); }
    uint32_t num_steps() const { return div_up(row_blocks(), num_columns) * blocks_across(); }

    uint32_t num_steps_of_all() {
        // The walk is used twice, so that it goes back to its start.
        uint32_t steps = 0;
        for (expert = 0; expert < counts.num_experts; ++expert) {
            steps += num_steps();
        }
        expert = 0;
        return steps;
    }
    Step find(uint32_t index) {
        // Indices ascend, so that experts are never walked twice.
        for (uint32_t n = num_steps(); index - steps_before >= n; n = num_steps()) {
            steps_before += n;
            ++expert;
        }
        const uint32_t in_expert = index - steps_before;
        return {expert, in_expert / blocks_across() * num_columns,
                in_expert % blocks_across() * shapes.block_width};
    }
};

// Returns this core's block of a step; without rows if the expert has no more tokens.
Block block_of(const Step& step, const Shapes& shapes, const TokenCounts& counts,
               uint32_t core_column) {
    // A core beyond the expert's rows still takes part in the step.
    const uint32_t row = (step.first_row_block + core_column) * shapes.block_height;
    const uint32_t rows = counts.tile_rows(step.expert);
    return {step.expert,
            step.expert * shapes.token_tiles + row,
            step.column,
            row < rows ? smaller(shapes.block_height, rows - row) : 0,
            smaller(shapes.block_width, shapes.column_tiles - step.column),
            row < rows ? counts.of(step.expert) - row * tile_height : 0};
}

template <class Accessor0, class Accessor1>
void feed(const Accessor0& in0, const Accessor1& in1, const Shapes& shapes, const Block& block,
          bool sends, const BlockSender& sender, const BlockReceiver& receiver) {
    const uint32_t in0_pages = shapes.block_height * shapes.k_block;
    const uint32_t in1_pages = shapes.k_block * shapes.block_width;
    for (uint32_t first_k = 0; first_k < shapes.k_tiles; first_k += shapes.k_block) {
        const uint32_t num_k = smaller(shapes.k_block, shapes.k_tiles - first_k);
        if (block.rows != 0) {
            // Own rows are on their way while the weights come.
            cb_reserve_back(cb_in0, in0_pages);
            read_in0(in0, shapes, block, first_k, num_k);
        }
        cb_reserve_back(cb_in1, in1_pages);
        if (sends) {
            read_in1(in1, shapes, block, first_k, num_k);
            noc_async_read_barrier();
            // The block is sent whole, also for a short K: receivers hold the same pages.
            sender.send(get_write_ptr(cb_in1), num_k * shapes.block_width * shapes.tile_size);
        } else {
            receiver.receive();
            // The weights' flag says nothing of this core's own reads.
            noc_async_read_barrier();
        }
        if (block.rows != 0) {
            cb_push_back(cb_in0, in0_pages);
        }
        cb_push_back(cb_in1, in1_pages);
    }
}

}  // namespace

void kernel_main() {
    const auto tiles = TileArgs::read();
    const uint32_t stride = CountArgs::read().counts_stride;
    const Shapes shapes = read_shapes(tiles);
    const auto in0 =
        TensorAccessor(ReaderTensors::input(), ReaderTensors::input_address(), shapes.tile_size);
    const auto in1 = TensorAccessor(ReaderTensors::weights(), ReaderTensors::weights_address(),
                                    shapes.tile_size);
    const TokenCounts counts = read_counts(
        TensorAccessor(ReaderTensors::counts(), ReaderTensors::counts_address(), sizeof(uint32_t)),
        Cb::ReaderCounts, stride, tiles.num_experts);
    const auto core = CoreOfRow::read(kCoreArgs);
    const BlockSender sender(kSenderArgs);
    const BlockReceiver receiver(kReceiverArgs);

    StepWalk walk{shapes, counts, core.num_columns};
    const Share share = share_of_blocks(CoreOfGrid::read(kRowArgs), walk.num_steps_of_all());
    // The number goes first; compute starts its loop with it.
    announce(Cb::ComputeBlocks, share.count, 0, 0, 0);
    for (uint32_t i = 0; i < share.count; ++i) {
        const Step step = walk.find(share.first + i * share.stride);
        const Block block = block_of(step, shapes, counts, core.column);
        announce(Cb::ComputeBlocks, block.rows, block.columns, 0, 0);
        // The writer needs to know blocks with rows only.
        if (block.rows != 0) {
            announce(Cb::WriterBlocks, block.row * shapes.column_tiles + block.column, block.rows,
                     block.columns, block.num_tokens);
        }
        feed(in0, in1, shapes, block, core.column == 0, sender, receiver);
    }
    announce(Cb::WriterBlocks, 0, 0, 0, 0);  // no more
    // The multicasts of the last step must have arrived.
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
