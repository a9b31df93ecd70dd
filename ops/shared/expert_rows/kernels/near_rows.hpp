// SPDX-License-Identifier: Apache-2.0
// Rows of tile rows that some cores read and send to all others.
#pragma once

#include "near_args.hpp"
#include "row_scales.hpp"
#include "tile_rows.hpp"

namespace {

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t kTileRowBytes = 64;  // of bfloat16
constexpr uint32_t kRowTileBytes = kTileRowBytes * tile_height;

// The rows of one tile row after another, for all cores. In turn, some cores bring a part of K
// each. L1 holds chunks of K one after the other, each with all rows.
template <class Accessor>
struct RowSource {
    const Accessor& rows;
    const ReaderArgs& args;
    const NearArgs& near;
    NearShare share;
    NearRectangle rectangle;
    uint32_t semaphores_arg;  // index of the first of NearSemaphores
    uint32_t places_arg;      // index of the first NearPlace
    uint32_t turns = 0;       // tile rows that this core has sent a part of

    uint32_t first_chunk(uint32_t part) const {
        return args.k_tiles / near.chunk * part / near.row_parts;
    }
    uint32_t semaphore_address(uint32_t place) const {
        return get_semaphore(get_arg_val<uint32_t>(semaphores_arg + place));
    }
    volatile tt_l1_ptr uint32_t* semaphore(uint32_t place) const {
        return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore_address(place));
    }
    // Tells the cores that bring tile row `number` that this one has room for it. Returns the part
    // that this core brings; row_parts: none.
    uint32_t offer_room(uint32_t number) const {
        uint32_t mine = near.row_parts;
        for (uint32_t part = 0; part < near.row_parts; ++part) {
            const uint32_t source = (number * near.row_parts + part) % share.num_cores;
            const auto place = NearPlace::read(places_arg + source * NearPlace::kCount);
            noc_semaphore_inc(
                get_noc_addr(place.x, place.y, semaphore_address(NearSemaphores::rows_free_place)),
                1);
            mine = source == share.number ? part : mine;
        }
        return mine;
    }
    // Places of a tile without a row keep what L1 has: rows of a product do not mix.
    void read_chunk(const TileRow& row, uint32_t chunk, uint32_t l1_addr) const {
        const uint32_t piece = near.chunk * kTileRowBytes;
        for (uint32_t i = 0; i < tile_height; ++i) {
            if (row.sources[i] != kNobody) {
                noc_async_read(rows.get_noc_addr(row.sources[i], chunk * piece),
                               l1_addr + i * piece, piece);
            }
        }
    }
    // Sends each run of rows at once.
    void send_chunk(const TileRow& row, uint64_t all, uint32_t l1_addr) const {
        const uint32_t piece = near.chunk * kTileRowBytes;
        for (uint32_t i = 0; i < tile_height;) {
            const uint32_t first = i;
            while (i < tile_height && row.sources[i] != kNobody) {
                ++i;
            }
            if (i != first) {
                const uint32_t place = l1_addr + first * piece;
                noc_async_write_multicast(place, all | place, (i - first) * piece,
                                          rectangle.num_receivers);
            } else {
                ++i;
            }
        }
    }
    void send(const TileRow& row, uint32_t number, uint32_t part) {
        const uint32_t l1_addr = get_write_ptr(cb_rows);
        const uint32_t chunk_bytes = near.chunk * kRowTileBytes;
        const uint32_t end = first_chunk(part + 1);
        for (uint32_t chunk = first_chunk(part); chunk < end; ++chunk) {
            read_chunk(row, chunk, l1_addr + chunk * chunk_bytes);
        }
        turns += 1;
        noc_semaphore_wait_min(semaphore(NearSemaphores::rows_free_place), turns * share.num_cores);
        noc_async_read_barrier();
        const uint64_t all = get_noc_multicast_addr(rectangle.start_x, rectangle.start_y,
                                                    rectangle.end_x, rectangle.end_y, 0);
        for (uint32_t chunk = first_chunk(part); chunk < end; ++chunk) {
            send_chunk(row, all, l1_addr + chunk * chunk_bytes);
        }
        // The number must not overtake the rows.
        noc_async_write_barrier();
        const uint32_t place = NearSemaphores::arrived_0_place + part;
        noc_semaphore_set(semaphore(place), number + 1);
        noc_semaphore_set_multicast(semaphore_address(place), all | semaphore_address(place),
                                    rectangle.num_receivers);
    }
    // This core takes tile row `number`; if it is its turn, it sends a part to all.
    template <class Rows>
    void bring(Rows& found, uint32_t tile_row, uint32_t number) {
        cb_reserve_back(cb_rows, args.k_tiles);
        const uint32_t part = offer_room(number);
        if (part != near.row_parts) {
            send(found.at(tile_row), number, part);
        }
    }
    void receive(uint32_t number) const {
        for (uint32_t part = 0; part < near.row_parts; ++part) {
            noc_semaphore_wait_min(semaphore(NearSemaphores::arrived_0_place + part), number + 1);
            cb_push_back(cb_rows, (first_chunk(part + 1) - first_chunk(part)) * near.chunk);
        }
    }
};

}  // namespace
