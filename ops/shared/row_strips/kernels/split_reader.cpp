// SPDX-License-Identifier: Apache-2.0
// Reader of a core that has some columns of each unit: ones, its part of the vectors, its strips of
// the rows, and the exchange of statistics with the other cores of the split.
#include "../../kernels/block_handshake.hpp"
#include "ones_tile.hpp"

namespace {

using tessera::ops::row_strips::ColumnShare;
using tessera::ops::row_strips::PartsArgs;
using tessera::ops::row_strips::SplitArgs;
using tessera::ops::row_strips::SplitMember;

constexpr uint32_t kCbPart = index_of(StripCb::Part);
constexpr uint32_t kCbGathered = index_of(StripCb::Gathered);
constexpr uint32_t kCbMerged = index_of(StripCb::Merged);
constexpr uint32_t kFloatTileBytes = 4096;
constexpr uint32_t kTileColumns = 32;

// Places of the runtime arguments: this core's columns, the split, its semaphore, the tensors, and
// the handshake of the leader with the others.
constexpr uint32_t kMemberArg = ColumnShare::kCount;
constexpr uint32_t kPartsArg = kMemberArg + SplitMember::kCount;
constexpr uint32_t kTensorArg = kPartsArg + PartsArgs::kCount;
constexpr uint32_t kHandshakeArg = kTensorArg + ReaderTensors::Addresses::kCount;

// Row 0 of the tiles of this core's columns.
template <class Accessor>
void push_vector(const Accessor& vector, const ColumnShare& share, uint32_t columns, uint32_t cb) {
    const uint32_t row_l1 = get_write_ptr(index_of(StripCb::VectorRow));
    const uint32_t first = share.first_strip * kBlock;
    const uint32_t bytes = smaller(share.num_strips * kBlock, columns - first) * sizeof(uint16_t);
    // One read of the columns, which are then spread inside of L1. Their pieces in memory would be
    // too short for reads of their own.
    noc_async_read(vector.get_noc_addr(0, first * sizeof(uint16_t)), row_l1, bytes);
    noc_async_read_barrier();
    cb_reserve_back(cb, share.num_strips * kStripTiles);
    constexpr uint32_t kFaceRowBytes = 16 * sizeof(uint16_t);
    uint32_t tile_l1 = get_write_ptr(cb);
    // A face has 16 columns, so that row 0 of a tile is in two places.
    for (uint32_t at = 0; at < bytes; at += 2 * kFaceRowBytes) {
        for (uint32_t face = 0; face < 2 && at + face * kFaceRowBytes < bytes; ++face) {
            const uint32_t from = at + face * kFaceRowBytes;
            noc_async_read(get_noc_addr(row_l1 + from),
                           tile_l1 + face * kFaceHalves * sizeof(uint16_t),
                           smaller(kFaceRowBytes, bytes - from));
        }
        tile_l1 += kTileWords * sizeof(uint32_t);
    }
    noc_async_read_barrier();
    cb_push_back(cb, share.num_strips * kStripTiles);
}

// Place of a row's number in a tile of floats whose column belongs to a member.
uint32_t byte_in_tile(uint32_t row, uint32_t member) {
    return place_in_tile(row, member % kTileColumns) * sizeof(float);
}

struct Split {
    SplitMember self;
    PartsArgs parts;

    uint32_t tiles() const { return div_up(self.members, kTileColumns); }

    // Sends this core's number of each row to its column of the leader's tiles. Source and target
    // are at the same place of a tile, so that writes of four bytes are aligned alike.
    void send_part(uint32_t num_rows) const {
        cb_wait_front(kCbPart, 1);
        const uint32_t from = get_read_ptr(kCbPart);
        const uint32_t to =
            get_write_ptr(kCbGathered) + self.member / kTileColumns * kFloatTileBytes;
        for (uint32_t row = 0; row < num_rows; ++row) {
            const uint32_t place = byte_in_tile(row, self.member);
            noc_async_write(from + place, get_noc_addr(parts.leader_x, parts.leader_y, to + place),
                            sizeof(float));
        }
        noc_async_write_barrier();
        cb_pop_front(kCbPart, 1);
        noc_semaphore_inc(
            get_noc_addr(parts.leader_x, parts.leader_y, get_semaphore(parts.parts_semaphore)), 1);
    }
    // Columns after the last member add nothing. No other core writes them. A row's sum depends on
    // the row alone, so that rows which are not there may hold anything.
    void clear_unused_columns(uint32_t num_rows) const {
        auto* floats = reinterpret_cast<Words>(get_write_ptr(kCbGathered));
        for (uint32_t column = self.members; column < tiles() * kTileColumns; ++column) {
            for (uint32_t row = 0; row < num_rows; ++row) {
                floats[column / kTileColumns * (kFloatTileBytes / sizeof(float)) +
                       place_in_tile(row, column % kTileColumns)] = 0;
            }
        }
    }
    // Hands the parts of all members to compute, and the statistic that it makes to all.
    void merge(const BlockSender& sender, uint32_t cb) const {
        volatile tt_l1_ptr uint32_t* arrived = semaphore_at(get_semaphore(parts.parts_semaphore));
        cb_reserve_back(kCbGathered, tiles());
        noc_semaphore_wait(arrived, self.members);
        // No member sends its next part before it has this statistic.
        noc_semaphore_set(arrived, 0);
        cb_push_back(kCbGathered, tiles());
        cb_reserve_back(cb, 1);
        cb_wait_front(kCbMerged, 1);
        noc_async_read(get_noc_addr(get_read_ptr(kCbMerged)), get_write_ptr(cb), kFloatTileBytes);
        noc_async_read_barrier();
        cb_pop_front(kCbMerged, 1);
        sender.send(get_write_ptr(cb), kFloatTileBytes);
        noc_async_write_barrier();
        cb_push_back(cb, 1);
    }
};

void receive_statistic(uint32_t cb) {
    cb_reserve_back(cb, 1);
    BlockReceiver(kHandshakeArg).receive();
    cb_push_back(cb, 1);
}

void exchange_statistics(const Split& split, uint32_t num_statistics, uint32_t num_rows) {
    for (uint32_t i = 0; i < num_statistics; ++i) {
        const uint32_t cb = index_of(StripCb::FirstStatistic) + i;
        split.send_part(num_rows);
        if (split.self.member == 0) {
            split.merge(BlockSender(kHandshakeArg), cb);
        } else {
            receive_statistic(cb);
        }
    }
}

}  // namespace

void kernel_main() {
    const auto share = ColumnShare::read();
    const Split split{SplitMember::read(kMemberArg), PartsArgs::read(kPartsArg)};
    const auto args = SplitArgs::read();
    const Rows rows = rows_of_arguments();
    const TensorAccessor input(ReaderTensors::input(), ReaderTensors::input_address(kTensorArg));
    const TensorAccessor first_vector(ReaderTensors::first_operand(),
                                      ReaderTensors::first_operand_address(kTensorArg));
    const TensorAccessor second_vector(ReaderTensors::second_operand(),
                                       ReaderTensors::second_operand_address(kTensorArg));

    // Rows come first: compute needs the vectors after the statistics only.
    uint32_t unit = share.first_unit;
    for (uint32_t i = 0; i < share.num_units; ++i, unit += share.unit_step) {
        const uint32_t first_row = unit * kTileRows;
        const uint32_t num_rows = smaller(kTileRows, rows.count - first_row);
        for (uint32_t strip = 0; strip < share.num_strips; ++strip) {
            push_strip(input, rows, first_row, (share.first_strip + strip) * kBlock);
            if (i == 0 && strip == 0) {
                push_ones();
            }
        }
        if (i == 0) {
            push_vector(first_vector, share, rows.columns, index_of(StripCb::Vectors));
            if (args.num_vectors > 1) {
                push_vector(second_vector, share, rows.columns, index_of(StripCb::SecondVector));
            }
            if (split.self.members > 1 && split.self.member == 0) {
                split.clear_unused_columns(num_rows);
            }
        }
        if (split.self.members > 1) {
            exchange_statistics(split, args.num_statistics, num_rows);
        }
    }
    noc_async_atomic_barrier();
}
