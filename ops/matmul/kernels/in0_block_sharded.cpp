// SPDX-License-Identifier: Apache-2.0
// Each core of a row in turn multicasts the blocks of in0 in its own shard, and receives those of
// each other core.
#include "../../shared/kernels/block_handshake.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::matmul;

constexpr uint32_t cb_in0 = index_of(Cb::In0);
constexpr uint32_t cb_shard = index_of(Cb::In0Shard);

struct Shape {
    uint32_t block_h;
    uint32_t block_w;
    uint32_t shard_w;  // tiles of a row of the shard
    uint32_t tile_size;

    uint32_t block_bytes() const { return block_h * block_w * tile_size; }
    // Returns whether a block's rows are contiguous in the shard.
    bool is_contiguous() const { return shard_w == block_w || block_h == 1; }
};

struct Row {
    uint64_t rectangle;  // all cores of the row, including this one
    uint32_t num_cores;
    uint32_t position;  // position of this core
    uint32_t first_x;
    uint32_t y;
    uint32_t replies_addr;
    uint32_t flag_addr;
    uint32_t valid_addr;  // holds VALID, to be sent as the flag
    bool flushes;         // waits until a block has left
};

// Copies a block whose rows are not contiguous to the buffer from which it is sent.
void copy_block(const Shape& shape, uint32_t shard_addr) {
    const uint32_t row_bytes = shape.block_w * shape.tile_size;
    uint32_t l1_addr = get_write_ptr(cb_in0);
    for (uint32_t row = 0; row < shape.block_h; ++row) {
        // The NoC copies inside of L1 at its full width; loads and stores of the RISC would take
        // cycles for each word.
        noc_async_read(get_noc_addr(shard_addr), l1_addr, row_bytes);
        shard_addr += shape.shard_w * shape.tile_size;
        l1_addr += row_bytes;
    }
    noc_async_read_barrier();
}

// Multicasts the block, to this core as well if its buffer does not hold the block yet.
void multicast_block(const Row& row, const Shape& shape, uint32_t shard_addr) {
    const uint32_t l1_addr = get_write_ptr(cb_in0);
    const uint64_t there = row.rectangle | l1_addr;
    // A contiguous block is sent from the shard, so this core needs it too. copy_block() put any
    // other block into this core's buffer already.
    if (shape.is_contiguous()) {
        noc_async_write_multicast_loopback_src(shard_addr, there, shape.block_bytes(),
                                               row.num_cores, true);
    } else {
        noc_async_write_multicast(l1_addr, there, shape.block_bytes(), row.num_cores - 1, true);
    }
    // The flag follows on the same NoC and virtual channel, so it cannot overtake the block and
    // needs no barrier in between.
    noc_semaphore_set_multicast_loopback_src(row.valid_addr, row.rectangle | row.flag_addr,
                                             row.num_cores);
    if (row.flushes) {
        noc_async_writes_flushed();
    }
}

void send_block(const Row& row, const Shape& shape, uint32_t shard_addr) {
    if (!shape.is_contiguous()) {
        copy_block(shape, shard_addr);
    }
    if (row.num_cores > 1) {
        // A multicast writes to the same address in every core: all of them must have reserved the
        // pages first.
        noc_semaphore_wait(semaphore_at(row.replies_addr), row.num_cores - 1);
        // Reset before the block is sent, because a receiver may reply for the next block as soon
        // as it reads the flag.
        noc_semaphore_set(semaphore_at(row.replies_addr), 0);
        return multicast_block(row, shape, shard_addr);
    }
    if (shape.is_contiguous()) {
        noc_async_write(shard_addr, get_noc_addr(get_write_ptr(cb_in0)), shape.block_bytes());
        noc_async_write_barrier();
    }
    noc_semaphore_set(semaphore_at(row.flag_addr), VALID);
}

// Exchanges one block of K, from the core that holds it: `k_block` counts the row's blocks.
void exchange_block(const Row& row, const Shape& shape, uint32_t first_row, uint32_t k_block) {
    const uint32_t blocks_per_shard = shape.shard_w / shape.block_w;
    const uint32_t holder = k_block / blocks_per_shard;
    cb_reserve_back(cb_in0, shape.block_h * shape.block_w);
    // Reset before the reply: the sender may answer at once.
    noc_semaphore_set(semaphore_at(row.flag_addr), INVALID);
    if (holder == row.position) {
        const uint32_t tile =
            first_row * shape.shard_w + k_block % blocks_per_shard * shape.block_w;
        send_block(row, shape, get_read_ptr(cb_shard) + tile * shape.tile_size);
    } else {
        noc_semaphore_inc(get_noc_addr(row.first_x + holder, row.y, row.replies_addr), 1);
    }
    noc_semaphore_wait(semaphore_at(row.flag_addr), VALID);
    cb_push_back(cb_in0, shape.block_h * shape.block_w);
}

Row row_from_args() {
    const auto args = In0Row::Each{};
    return {.rectangle = get_noc_multicast_addr(args.start_x(), args.start_y(), args.end_x(),
                                                args.end_y(), 0),
            .num_cores = args.num_cores(),
            .position = args.position(),
            .first_x = args.first_x(),
            .y = args.y(),
            .replies_addr = get_semaphore(args.replies_semaphore()),
            .flag_addr = get_semaphore(args.flag_semaphore()),
            .valid_addr = get_semaphore(args.valid_semaphore()),
            .flushes = args.flushes() != 0};
}

}  // namespace

void kernel_main() {
    const Row row = row_from_args();
    const auto args = In0RowArgs::read();
    const Shape shape{.block_h = args.block_h,
                      .block_w = args.block_w,
                      .shard_w = args.shard_w,
                      .tile_size = static_cast<uint32_t>(get_tile_size(cb_in0))};

    for (uint32_t bh = 0; bh < args.num_blocks_h; ++bh) {
        for (uint32_t bw = 0; bw < args.num_blocks_w; ++bw) {
            for (uint32_t k_block = 0; k_block < args.num_k_blocks; ++k_block) {
                exchange_block(row, shape, bh * shape.block_h, k_block);
            }
        }
    }
    // Writes or atomics in flight at the end would be counted for the next kernel on this RISC.
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
