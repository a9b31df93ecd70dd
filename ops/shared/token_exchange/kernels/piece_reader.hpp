// SPDX-License-Identifier: Apache-2.0
// Brings in rows of one or two tensors by the pieces that their packets hold.
#pragma once

#include <cstdint>

#include "../../kernels/packet_pieces.hpp"

// Brings rows in, a piece a page of a circular buffer, several pages at a time: a read takes longer
// than the link takes for a piece.
class PieceReader {
public:
    static constexpr uint32_t kAtOnce = 4;

    explicit PieceReader(uint32_t cb)
        : cb_(cb),
          num_pages_(get_local_cb_interface(cb).fifo_size /
                     get_local_cb_interface(cb).fifo_page_size) {}

    template <typename Accessor>
    void read(const PacketPieces& pieces, const Accessor& source, uint32_t row) {
        pieces.for_each([&](uint32_t offset, uint32_t bytes) {
            cb_reserve_back(cb_, num_issued_ + 1);
            const uint32_t page_bytes = get_local_cb_interface(cb_).fifo_page_size;
            noc_async_read(source.get_noc_addr(row, offset),
                           get_write_ptr(cb_) + num_issued_ * page_bytes, bytes);
            ++num_issued_;
            // Pages that are reserved together follow each other.
            if (num_issued_ == kAtOnce || (num_pushed_ + num_issued_) % num_pages_ == 0) {
                push();
            }
        });
    }
    // Pushes the pieces that were read since the last push.
    void push() {
        if (num_issued_ != 0) {
            noc_async_read_barrier();
            cb_push_back(cb_, num_issued_);
            num_pushed_ += num_issued_;
            num_issued_ = 0;
        }
    }

private:
    uint32_t cb_;
    uint32_t num_pages_;
    uint32_t num_pushed_ = 0;
    uint32_t num_issued_ = 0;
};
