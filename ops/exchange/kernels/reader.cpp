// SPDX-License-Identifier: Apache-2.0
// Brings in a core's own bytes from memory and announces those that arrive over the link.
#include "plan.hpp"
#include "rows.hpp"

namespace {

volatile tt_l1_ptr uint32_t* semaphore(uint32_t id) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(id));
}

// A circular buffer that this kernel fills from memory, several blocks at a time: a read's latency
// is longer than the link takes for a block.
class OwnBlocks {
public:
    OwnBlocks(uint32_t cb, uint32_t block_tiles, uint32_t capacity)
        : cb_(cb), block_tiles_(block_tiles), capacity_(capacity) {}

    // Reads up to half of the buffer of [begin, begin + bytes), whose elements take `scale` times
    // the bytes there. Returns the blocks read.
    template <typename Accessor>
    uint32_t read(const Accessor& source, RowWalk& rows, uint32_t begin, uint32_t bytes,
                  uint32_t scale = 1) {
        const uint32_t block_bytes = block_tiles_ * kUnitBytes;
        const uint32_t to_end = capacity_ - num_read_ % capacity_;
        const uint32_t most = capacity_ / 2 < to_end ? capacity_ / 2 : to_end;
        const uint32_t wanted = (bytes + block_bytes - 1) / block_bytes;
        const uint32_t blocks = wanted < most ? wanted : most;
        const uint32_t taken = bytes < blocks * block_bytes ? bytes : blocks * block_bytes;
        cb_reserve_back(cb_, blocks * block_tiles_);
        const uint32_t l1_address = get_write_ptr(cb_);
        rows.for_each(begin, taken,
                      [&](uint32_t row, uint32_t offset, uint32_t place, uint32_t size) {
                          noc_async_read(source.get_noc_addr(row, offset * scale),
                                         l1_address + place * scale, size * scale);
                      });
        noc_async_read_barrier();
        cb_push_back(cb_, blocks * block_tiles_);
        num_read_ += blocks;
        return blocks;
    }

private:
    uint32_t cb_;
    uint32_t block_tiles_;
    uint32_t capacity_;  // blocks
    uint32_t num_read_ = 0;
};

// A circular buffer that the device before fills; its blocks are counted by `arrived`.
class Arrivals {
public:
    Arrivals(uint32_t cb, uint32_t block_tiles) : cb_(cb), block_tiles_(block_tiles) {}

    void announce(uint32_t blocks, volatile tt_l1_ptr uint32_t* arrived, uint32_t& num_arrived) {
        for (uint32_t i = 0; i < blocks; ++i) {
            cb_reserve_back(cb_, block_tiles_);
            noc_semaphore_wait_min(arrived, ++num_arrived);
            cb_push_back(cb_, block_tiles_);
            ++num_announced_;
        }
    }
    // Blocks without data up to the end of the buffer, which the consumer drops.
    void fill_up(const Plan& plan) {
        const uint32_t left = plan.num_left_over(num_announced_);
        for (uint32_t i = 0; i < left; ++i) {
            cb_reserve_back(cb_, block_tiles_);
            cb_push_back(cb_, block_tiles_);
        }
        num_announced_ = 0;
    }

private:
    uint32_t cb_;
    uint32_t block_tiles_;
    uint32_t num_announced_ = 0;
};

}  // namespace

void kernel_main() {
    const Rows rows{get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4)};
    RowWalk input_rows(rows);
    RowWalk output_rows(rows);
    RowWalk units(kUnits);
    auto* arrived = semaphore(get_arg_val<uint32_t>(5));
    auto* stored = semaphore(get_arg_val<uint32_t>(6));
    const Plan plan = plan_from_args(7);
    const uint32_t own_blocks = get_compile_time_arg_val(0);
    const uint32_t sum_scale = get_compile_time_arg_val(1);  // of sums that travel, to bfloat16
    constexpr auto input_args = TensorAccessorArgs<2>();
    constexpr auto output_args = TensorAccessorArgs<4>();
    constexpr auto workspace_args = TensorAccessorArgs<6>();
    const auto input = TensorAccessor(input_args, get_arg_val<uint32_t>(0));
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(1));
    const auto workspace = TensorAccessor(workspace_args, get_arg_val<uint32_t>(2));

    OwnBlocks local(kCbLocal, plan.sum_tiles, own_blocks);
    OwnBlocks earlier(kCbEarlier, plan.sum_tiles, own_blocks);
    OwnBlocks own(kCbOwn, plan.gather_tiles, own_blocks);
    Arrivals partial_sums(kCbReceived, plan.sum_tiles);
    Arrivals gathered(kCbGathered, plan.gather_tiles);
    uint32_t num_arrived = 0;
    uint32_t num_phases = 0;

    plan.for_each_phase([&](const Phase& phase) {
        // What earlier phases stored may be read in this one.
        noc_semaphore_wait_min(stored, num_phases++);
        Arrivals& arrivals = phase.sums ? partial_sums : gathered;
        plan.for_each_piece(phase, [&](const Step& step, const Piece& piece) {
            OwnBlocks& blocks = !phase.sums                               ? own
                                : step.own_cb(sum_scale != 1) == kCbLocal ? local
                                                                          : earlier;
            if (!step.reads()) {
                arrivals.announce(piece.num_blocks(phase.block_bytes()), arrived, num_arrived);
                return;
            }
            for (uint32_t done = 0; done < piece.bytes;) {
                const uint32_t begin = piece.read_begin + done;
                const uint32_t left = piece.bytes - done;
                const uint32_t read = step.source() == kInput
                                          ? blocks.read(input, input_rows, begin, left)
                                      : step.source() == kOutput
                                          ? blocks.read(output, output_rows, begin, left)
                                          : blocks.read(workspace, units, begin, left, sum_scale);
                if (step.receives()) {
                    arrivals.announce(read, arrived, num_arrived);
                }
                done += read * phase.block_bytes();
            }
        });
        arrivals.fill_up(plan);
    });
}
