// SPDX-License-Identifier: Apache-2.0
// Brings in a core's own tiles from memory and announces those that arrive over the link.
#include "ring_slice.hpp"
#include "row_pieces.hpp"

namespace {

// Hands over the tiles that the device before writes into a circular buffer of this core.
class Arrivals {
public:
    Arrivals(uint32_t cb, uint32_t semaphore_id)
        : cb_(cb),
          semaphore_(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(semaphore_id))) {}

    void announce_next() {
        // Reserved before the count is awaited, so that a tile in L1 is announced at once.
        cb_reserve_back(cb_, 1);
        noc_semaphore_wait_min(semaphore_, ++num_arrived_);
        cb_push_back(cb_, 1);
    }

private:
    uint32_t cb_;
    volatile tt_l1_ptr uint32_t* semaphore_;
    uint32_t num_arrived_ = 0;
};

template <typename Accessor>
void read_tile(const Accessor& input, const RowPieces& pieces, uint32_t tile) {
    cb_reserve_back(kCbLocal, 1);
    const uint32_t l1_address = get_write_ptr(kCbLocal);
    // A tile may cover the end of one row and the start of the next, as memory has them.
    pieces.for_each(tile, [&](uint32_t row, uint32_t offset, uint32_t place, uint32_t bytes) {
        noc_async_read(input.get_noc_addr(row, offset), l1_address + place, bytes);
    });
    noc_async_read_barrier();
    cb_push_back(kCbLocal, 1);
}

// Reads a chunk's own tiles, each with the partial sum that arrives for it.
template <typename Accessor>
void read_chunk(const Accessor& input, const RowPieces& pieces, const TileRange& chunk,
                bool has_sums, Arrivals& partial_sums) {
    for (uint32_t tile = chunk.begin; tile < chunk.end; ++tile) {
        // The own tile is read before the partial sum is awaited, so that both take the same time.
        read_tile(input, pieces, tile);
        if (has_sums) {
            partial_sums.announce_next();
        }
    }
}

}  // namespace

void kernel_main() {
    const uint32_t input_address = ReaderTensors::input_address();
    constexpr uint32_t kFirstOfSlice = ReaderTensors::Addresses::kCount;
    constexpr uint32_t kFirstOfRows = kFirstOfSlice + SliceArgs::kCount;
    const RingSlice slice = ring_slice_from_args(kFirstOfSlice);
    const RowPieces pieces = row_pieces_from_args(kFirstOfRows, get_tile_size(kCbLocal));
    const ReaderCore::Each core{kFirstOfRows + RowArgs::kCount};
    Arrivals partial_sums(kCbReceived, core.sum_arrived_semaphore());
    Arrivals full_sums(kCbGathered, core.gathered_arrived_semaphore());

    const auto input = TensorAccessor(ReaderTensors::input(), input_address);

    for (uint32_t round = 0; round < slice.num_rounds(); ++round) {
        for (uint32_t step = 0; step < slice.num_devices; ++step) {
            read_chunk(input, pieces, slice.to_reduce(round, step), step > 0, partial_sums);
        }
        for (uint32_t step = 1; step < slice.num_devices; ++step) {
            const TileRange chunk = slice.to_gather(round, step);
            // Nothing is read in this half: the tiles are already where the writer takes them.
            for (uint32_t tile = chunk.begin; tile < chunk.end; ++tile) {
                full_sums.announce_next();
            }
        }
    }
}
