// SPDX-License-Identifier: Apache-2.0
// Stores the rows of units, or sends the sums of a part of a sequence to the core that merges them.
#include "blocks.hpp"

using namespace attention;

namespace {

constexpr uint32_t kCbResultRows = index_of(Cb::ResultRows);
constexpr uint32_t kCbOwnPartial = index_of(Cb::OwnPartial);
constexpr uint32_t kStripTiles = 4;
constexpr uint32_t kStripRowBytes = 256;
constexpr uint32_t kFloatTileBytes = 4096;

template <class Accessor>
void store(const Accessor& output, uint32_t row_bytes, uint32_t first, uint32_t stride,
           uint32_t count) {
    for (uint32_t offset = 0; offset < row_bytes; offset += kStripRowBytes) {
        cb_wait_front(kCbResultRows, kStripTiles);
        const uint32_t l1_addr = get_read_ptr(kCbResultRows);
        // A unit's rows may belong to several heads, so their distance in the output is an
        // argument.
        for (uint32_t row = 0; row < count; ++row) {
            noc_async_write(l1_addr + row * kStripRowBytes,
                            output.get_noc_addr(first + row * stride, offset),
                            smaller(kStripRowBytes, row_bytes - offset));
        }
        noc_async_writes_flushed();
        cb_pop_front(kCbResultRows, kStripTiles);
    }
}

// The core that merges has said that it has room; all cores have its buffer at the same address.
void send(const WriterArgs& args, uint32_t number) {
    const uint32_t pages = args.partial_tiles;
    auto* room = reinterpret_cast<Words>(get_semaphore(args.room_semaphore));
    const auto leader = Leader::read(WriterTensors::Addresses::kCount);
    cb_wait_front(kCbOwnPartial, pages);
    // The word counts the parts that this core may have sent: the buffer of the merging core holds
    // one at a time.
    noc_semaphore_wait_min(room, number);
    noc_async_write(get_read_ptr(kCbOwnPartial),
                    get_noc_addr(leader.x, leader.y, get_write_ptr(kCbPartial)),
                    pages * kFloatTileBytes);
    // The data must have arrived before the count: only writes on one NoC and virtual channel keep
    // their order.
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(leader.x, leader.y, get_semaphore(args.arrived_semaphore)), 1);
    cb_pop_front(kCbOwnPartial, pages);
}

}  // namespace

void kernel_main() {
    const auto args = WriterArgs::read();
    const TensorAccessor output(WriterTensors::output(), WriterTensors::Addresses::read().output);

    for (uint32_t num_sent = 0;;) {
        cb_wait_front(kCbWriterUnits, 1);
        const auto* words = reinterpret_cast<Words>(get_read_ptr(kCbWriterUnits));
        const uint32_t what = words[0];
        const uint32_t first = words[1];
        const uint32_t stride = words[2];
        const uint32_t count = words[3];
        cb_pop_front(kCbWriterUnits, 1);
        // The reader ends the launch, because only it knows the units.
        if (what == kEnd) {
            break;
        }
        if (what == kResult) {
            store(output, args.row_bytes, first, stride, count);
        } else {
            send(args, ++num_sent);
        }
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
