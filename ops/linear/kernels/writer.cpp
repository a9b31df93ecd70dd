// SPDX-License-Identifier: Apache-2.0
// Sends partial sums to the member that finishes their tile, and stores the tiles that this core
// finishes. Reads the weights of some banks for the reader, over the other NoC.
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"
#include "dataflow_api.h"
#include "weight_reads.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::linear;

constexpr uint32_t kFloatTileBytes = 4096;
constexpr uint32_t kCbPartial = index_of(Cb::Partial);
constexpr uint32_t kCbGathered = index_of(Cb::Gathered);
constexpr uint32_t kCbOut = index_of(Cb::Output);

// Places of the runtime arguments; x and y of each member's core come last.
constexpr uint32_t kSemaphoreArg = Share::kCount;
constexpr uint32_t kTensorArg = kSemaphoreArg + Semaphores::kCount;
constexpr uint32_t kMembersArg = kTensorArg + WriterTensors::Addresses::kCount;

struct Team {
    const LinearArgs& args;
    Share share;
    Semaphores semaphores;

    uint64_t on_member(uint32_t member, uint32_t l1_addr) const {
        return get_noc_addr(get_arg_val<uint32_t>(kMembersArg + 2 * member),
                            get_arg_val<uint32_t>(kMembersArg + 2 * member + 1), l1_addr);
    }
    // Sends tiles [first, first + count) of a block of `all`, each to the member that owns it, next
    // to those of the other members.
    void send(uint32_t first, uint32_t count, uint32_t all) const {
        uint32_t owner = 0;
        cb_wait_front(kCbPartial, args.strip * args.block_tiles);
        for (uint32_t tile = first; tile < first + count; ++tile) {
            while (tile >= first_owned(all, args.members, owner + 1)) {
                owner += 1;
            }
            const uint32_t place =
                (tile - first_owned(all, args.members, owner)) * args.members + share.member;
            noc_async_write(get_read_ptr(kCbPartial) + (tile - first) * kFloatTileBytes,
                            on_member(owner, get_write_ptr(kCbGathered) + place * kFloatTileBytes),
                            kFloatTileBytes);
        }
        noc_async_writes_flushed();
        cb_pop_front(kCbPartial, args.strip * args.block_tiles);
    }
    void signal(uint32_t semaphore) const {
        for (uint32_t member = 0; member < args.members; ++member) {
            noc_semaphore_inc(on_member(member, get_semaphore(semaphore)), 1);
        }
    }
    // Waits until all members have signalled `rounds` times.
    void wait(uint32_t semaphore, uint32_t rounds) const {
        noc_semaphore_wait_min(
            reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(semaphore)),
            rounds * args.members);
    }
};

// Stores the rows of one output tile.
template <class Accessor>
void store_tile(const Accessor& output, const Team& team, uint32_t first_row, uint32_t column) {
    const uint32_t start = (team.share.first_column + column) * kTileRowBytes;
    const uint32_t bytes = smaller(kTileRowBytes, 2 * team.args.columns - start);
    cb_wait_front(kCbOut, 1);
    for (uint32_t i = 0; i < kRowsOfTile && first_row + i < team.args.rows; ++i) {
        noc_async_write(get_read_ptr(kCbOut) + i * kTileRowBytes,
                        output.get_noc_addr(first_row + i, start), bytes);
    }
    noc_async_writes_flushed();
    cb_pop_front(kCbOut, 1);
}

template <class Accessor>
void store_owned(const Accessor& output, const Team& team, uint32_t block, uint32_t tile_rows) {
    const uint32_t all = team.share.num_columns * tile_rows;
    const uint32_t end = first_owned(all, team.args.members, team.share.member + 1);
    for (uint32_t tile = first_owned(all, team.args.members, team.share.member); tile < end;
         ++tile) {
        const uint32_t row = block * team.args.block_tiles + tile % tile_rows;
        store_tile(output, team, row * kRowsOfTile, tile / tile_rows);
    }
}

// Reads this kernel's part of a strip's weights, as the reader asks for them.
template <class Accessor>
void serve_strip(const Accessor& weights, const LinearArgs& args, const Share& share,
                 uint32_t column) {
    if (share.writer_banks == 0 || column >= share.num_columns) {
        return;
    }
    const asked_reads::Banks banks{share.writer_banks, args.banks, args.bank_step};
    const uint32_t columns = smaller(args.strip, share.num_columns - column);
    for (uint32_t k = 0; k < share.num_k; k += args.k_block) {
        asked_reads::serve(index_of(Cb::Asked), [&](const asked_reads::Push& push) {
            read_push(weights, args, banks, columns, push);
        });
    }
}

}  // namespace

void kernel_main() {
    const auto args = LinearArgs::read();
    const Team team{args, Share::read(), Semaphores::read(kSemaphoreArg)};
    const TensorAccessor output(WriterTensors::output(), WriterTensors::output_address(kTensorArg));
    const TensorAccessor weights(WriterTensors::weights(),
                                 WriterTensors::weights_address(kTensorArg));
    const uint32_t gathered = args.most_owned * args.members;
    for (uint32_t block = 0; block < num_blocks(args); ++block) {
        const uint32_t tile_rows = tile_rows_of(args, block);
        cb_reserve_back(kCbGathered, gathered);
        // All members have read the sums of the block before.
        team.wait(team.semaphores.finished, block);
        serve_strip(weights, args, team.share, 0);
        for (uint32_t column = 0; column < team.share.num_columns; column += args.strip) {
            // Compute holds the sums of two strips, so that the weights of the next one come first.
            serve_strip(weights, args, team.share, column + args.strip);
            const uint32_t columns = smaller(args.strip, team.share.num_columns - column);
            team.send(column * tile_rows, columns * tile_rows, team.share.num_columns * tile_rows);
        }
        noc_async_write_barrier();
        team.signal(team.semaphores.arrived);
        team.wait(team.semaphores.arrived, block + 1);
        cb_push_back(kCbGathered, gathered);
        store_owned(output, team, block, tile_rows);
        // Compute has popped the sums when there is room for the next ones.
        cb_reserve_back(kCbGathered, gathered);
        team.signal(team.semaphores.finished);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
