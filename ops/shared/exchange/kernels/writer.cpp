// SPDX-License-Identifier: Apache-2.0
// Stores the blocks that stay on this device, and forwards the next device's blocks.
//
// Blocks go into slots of the next device's circular buffers. That device grants all slots when it
// has come to the phase, and each one again when it is free; its reader learns of a block from a
// count that is raised after the block.
#include "plan.hpp"
#include "rows.hpp"
#include "slots.hpp"

namespace {

template <typename Accessor>
void store(const Accessor& destination, RowWalk& rows, uint32_t source, uint32_t bytes) {
    rows.for_each(source, bytes,
                  [&](uint32_t row, uint32_t offset, uint32_t l1_address, uint32_t size) {
                      noc_async_write(l1_address, destination.get_noc_addr(row, offset), size);
                  });
}

// Takes blocks out of circular buffers one after the other. A block is dropped when the next one
// has left: the flush after that one's packet is also that of this one's writes to memory.
class Blocks {
public:
    explicit Blocks(Slots& slots) : slots_(slots) {}

    // Blocks of `cb` are next; another buffer's is dropped first.
    void turn_to(uint32_t cb, uint32_t tiles, bool gives_back) {
        if (num_held_ != 0 && cb_ != cb) {
            drop();
        }
        // Blocks are awaited before the last ones are popped, which the buffer's read pointer does
        // not express. The address wraps by hand.
        const auto& interface = get_local_cb_interface(cb);
        cb_ = cb;
        tiles_ = tiles;
        bytes_ = tiles * interface.fifo_page_size;
        next_ = get_read_ptr(cb);
        limit_ = interface.fifo_limit;
        size_ = interface.fifo_size;
        if (num_held_ != 0) {
            pass();
        }
        gives_back_next_ = gives_back;
    }
    // Waits for the next block.
    uint32_t wait() const {
        // Waits for the held block and the next: a wait counts all unread pages.
        cb_wait_front(cb_, num_held_ + tiles_);
        return next_;
    }
    // Drops the block before, and keeps the one that was waited for.
    void keep() {
        drop_flushed();
        pass();
        num_held_ = tiles_;
        gives_back_ = gives_back_next_;
    }
    void drop() {
        noc_async_writes_flushed();
        drop_flushed();
    }

private:
    void pass() {
        next_ += bytes_;
        if (next_ == limit_) {
            next_ -= size_;
        }
    }
    void drop_flushed() {
        if (num_held_ != 0) {
            cb_pop_front(cb_, tiles_);
            num_held_ = 0;
            if (gives_back_) {
                slots_.give_back();
            }
        }
    }

    Slots& slots_;
    uint32_t cb_ = 0;
    uint32_t tiles_ = 0;
    uint32_t bytes_ = 0;
    uint32_t next_ = 0;  // L1 address of the block to be waited for
    uint32_t limit_ = 0;
    uint32_t size_ = 0;
    uint32_t num_held_ = 0;    // tiles
    bool gives_back_ = false;  // the block that is held, its slot
    bool gives_back_next_ = false;
};

// The circular buffer that holds what a step sends or stores.
uint32_t result_of(const Phase& phase, const Step& step, bool travels_as_fp32) {
    if (phase.sums) {
        return step.sum_cb(travels_as_fp32);
    }
    return step.receives() ? kCbGathered : kCbOwn;
}

// Sends and stores the blocks of a phase. The parts are members of one object, so the compiler
// inlines them like a lambda. As a function with parameters, the loops of all_gather took 1.2 % more
// cycles.
template <typename Output, typename Workspace>
struct PhaseWriter {
    const Plan& plan;
    Slots& slots;
    Blocks& blocks;
    uint32_t sum_scale;
    RowWalk& rows;
    RowWalk& units;
    const Output& output;
    const Workspace& workspace;
    volatile tt_l1_ptr uint32_t* stored;
    uint32_t& num_phases;

    void operator()(const Phase& phase) {
        uint32_t num_received = 0;
        slots.begin(phase);
        Turns turns(plan, phase);
        for (Turn turn = turns.next(); !turn.is_done(); turn = turns.next()) {
            write(phase, turn, num_received);
        }
        blocks.drop();
        drop_filling(phase, num_received);
        // Other cores of the device read the output in their next phase, so its data must have
        // arrived.
        noc_async_write_barrier();
        slots.end();
        // The reader's next phase may read the data that this phase has stored.
        noc_semaphore_set(stored, ++num_phases);
    }

    // Handles one turn, and counts the blocks that the link brought.
    void write(const Phase& phase, const Turn& turn, uint32_t& num_received) {
        const Step step = turn.step;
        const bool sends = step.sends();
        const bool stores_output = step.stores() && step.destination() == Place::Output;
        const bool stores_sums = step.stores() && !stores_output;
        // A sum that is made says that what it was made from has left its slot.
        const bool frees_slot = step.receives() && phase.sums;
        const uint32_t begin = turn.piece.store_begin;
        blocks.turn_to(result_of(phase, step, sum_scale > 1), phase.block_tiles,
                       step.receives() && !phase.sums);
        if (stores_output) {
            rows.seek(begin);
        } else if (stores_sums) {
            units.seek(begin * sum_scale);
        }
        for (uint32_t left = turn.piece.bytes; left != 0;) {
            const uint32_t bytes = left < phase.block_bytes() ? left : phase.block_bytes();
            const uint32_t source = blocks.wait();
            if (frees_slot) {
                slots.give_back();
            }
            if (sends) {
                // Sent before the block before is dropped: the flush of this packet is that of
                // the earlier writes.
                slots.send(source, slots.sent_bytes(bytes));
            } else {
                // Nothing is sent, so the flush must be asked for.
                noc_async_writes_flushed();
            }
            blocks.keep();
            if (stores_output) {
                store(output, rows, source, bytes);
            } else if (stores_sums) {
                store(workspace, units, source, bytes * sum_scale);
            }
            num_received += step.receives() ? 1 : 0;
            left -= bytes;
        }
    }
    // Drops the blocks without data that fill the slots up to their end.
    void drop_filling(const Phase& phase, uint32_t num_received) const {
        for (uint32_t i = phase.sums ? 0 : plan.num_left_over(num_received); i > 0; --i) {
            cb_wait_front(kCbGathered, phase.block_tiles);
            cb_pop_front(kCbGathered, phase.block_tiles);
        }
    }
};

}  // namespace

void kernel_main() {
    const auto args = WriterArgs::read();
    const uint32_t sum_scale = args.sum_tile_bytes / kUnitBytes;  // 0: there are no sums
    const WriterCore::Each core{WriterTensors::Addresses::kCount};
    RowWalk rows(Rows{core.row_bytes(), core.row_stride()});
    RowWalk units(units_of(sum_scale));
    auto* stored =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(core.stored_semaphore()));
    const uint32_t arrived_id = core.arrived_semaphore();
    const uint32_t first_credit_id = core.first_credit_semaphore();
    const uint32_t num_connections = core.num_connections();
    const uint32_t first_connection = core.first_arg + WriterCore::kCount;
    const Plan plan = plan_from_args(first_connection + kConnectionWords * num_connections);
    const auto output = TensorAccessor(WriterTensors::output(), WriterTensors::output_address());
    const auto workspace =
        TensorAccessor(WriterTensors::workspace(), WriterTensors::workspace_address());

    Links links(num_connections, first_connection);
    uint32_t credits_before[kMostCredits] = {};
    Slots slots(args, plan, links, arrived_id, first_credit_id, credits_before);
    Blocks blocks(slots);
    uint32_t num_phases = 0;
    plan.for_each_phase(PhaseWriter<decltype(output), decltype(workspace)>{
        plan, slots, blocks, sum_scale, rows, units, output, workspace, stored, num_phases});
    links.close();
}
