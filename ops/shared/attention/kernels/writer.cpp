// SPDX-License-Identifier: Apache-2.0
// Stores the rows of units, or sends the sums of a part of a sequence to the core that merges them.
#include "blocks.hpp"

using namespace attention;

namespace {

constexpr uint32_t kCbResultRows = 16;
constexpr uint32_t kCbOwnPartial = 19;
constexpr uint32_t kStripTiles = 4;
constexpr uint32_t kStripRowBytes = 256;

template <class Accessor>
void store(const Accessor& output, uint32_t row_bytes, uint32_t first, uint32_t stride,
           uint32_t count) {
    for (uint32_t offset = 0; offset < row_bytes; offset += kStripRowBytes) {
        cb_wait_front(kCbResultRows, kStripTiles);
        const uint32_t l1_addr = get_read_ptr(kCbResultRows);
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
void send(uint32_t pages, uint32_t page_bytes, uint32_t number) {
    auto* room = reinterpret_cast<Words>(get_semaphore(get_compile_time_arg_val(1)));
    const uint32_t leader_x = get_arg_val<uint32_t>(1);
    const uint32_t leader_y = get_arg_val<uint32_t>(2);
    cb_wait_front(kCbOwnPartial, pages);
    noc_semaphore_wait_min(room, number);
    noc_async_write(get_read_ptr(kCbOwnPartial),
                    get_noc_addr(leader_x, leader_y, get_write_ptr(kCbPartial)),
                    pages * page_bytes);
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(leader_x, leader_y, get_semaphore(get_compile_time_arg_val(2))),
                      1);
    cb_pop_front(kCbOwnPartial, pages);
}

}  // namespace

void kernel_main() {
    const uint32_t row_bytes = get_compile_time_arg_val(0);
    const uint32_t partial_pages = get_compile_time_arg_val(3);
    constexpr uint32_t kFloatTileBytes = 4096;
    const TensorAccessor output(TensorAccessorArgs<4>(), get_arg_val<uint32_t>(0));

    for (uint32_t num_sent = 0;;) {
        cb_wait_front(kCbWriterUnits, 1);
        const auto* words = reinterpret_cast<Words>(get_read_ptr(kCbWriterUnits));
        const uint32_t what = words[0];
        const uint32_t first = words[1];
        const uint32_t stride = words[2];
        const uint32_t count = words[3];
        cb_pop_front(kCbWriterUnits, 1);
        if (what == kEnd) {
            break;
        }
        if (what == kResult) {
            store(output, row_bytes, first, stride, count);
        } else {
            send(partial_pages, kFloatTileBytes, ++num_sent);
        }
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
