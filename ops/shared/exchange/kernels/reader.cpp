// SPDX-License-Identifier: Apache-2.0
// Reads a core's own bytes from memory and announces those that arrive over the link.
#include "plan.hpp"
#include "rows.hpp"

namespace {

volatile tt_l1_ptr uint32_t* semaphore(uint32_t id) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(id));
}

// A circular buffer that this kernel fills from memory, several blocks together, which carry a
// transaction id. A read's latency is longer than the link takes for a block. So the next blocks
// are on their way when the ones before are waited for.
class OwnBlocks {
public:
    OwnBlocks(uint32_t cb, uint32_t block_tiles, uint32_t block_bytes, uint32_t capacity)
        : cb_(cb),
          block_tiles_(block_tiles),
          block_bytes_(block_bytes),
          capacity_(capacity),
          to_end_(capacity) {}

    // Starts to read the next blocks from the position of `rows` on, at most `bytes`, after those
    // started before, which finish next. Returns the bytes.
    template <typename Accessor>
    uint32_t begin(const Accessor& source, RowWalk& rows, uint32_t bytes) {
        begin_none();
        // A turn does not cross the end of the buffer, so its blocks are contiguous.
        const uint32_t most = kBlocksOfATurn < to_end_ ? kBlocksOfATurn : to_end_;
        uint32_t taken = 0;
        while (newer_ < most && taken < bytes) {
            ++newer_;
            taken += block_bytes_;
        }
        taken = taken < bytes ? taken : bytes;
        cb_reserve_back(cb_, (older_ + newer_) * block_tiles_);
        const uint32_t write = get_write_ptr(cb_) + older_ * block_bytes_;
        // The blocks of the turn before fill the buffer to its end and are not pushed yet, so the
        // write pointer is still before it. The address wraps by hand.
        const bool is_round = to_end_ == capacity_ && older_ != 0;
        noc_async_read_set_trid(id_);
        rows.for_each(is_round ? write - capacity_ * block_bytes_ : write, taken,
                      [&](uint32_t row, uint32_t offset, uint32_t l1_address, uint32_t size) {
                          noc_async_read(source.get_noc_addr(row, offset), l1_address, size);
                      });
        to_end_ = to_end_ == newer_ ? capacity_ : to_end_ - newer_;
        return taken;
    }
    // The reads that began last are finished next.
    void begin_none() {
        // The two ids take turns: a barrier waits for the older reads only.
        older_ = newer_;
        newer_ = 0;
        id_ = kIds - id_;
    }
    // Returns how many blocks there are now that were not before.
    uint32_t finish() const {
        if (older_ != 0) {
            noc_async_read_barrier_with_trid(kIds - id_);
            cb_push_back(cb_, older_ * block_tiles_);
        }
        return older_;
    }

private:
    static constexpr uint32_t kIds = 3;  // 1 and 2 take turns

    uint32_t cb_;
    uint32_t block_tiles_;
    uint32_t block_bytes_;
    uint32_t capacity_;   // blocks
    uint32_t to_end_;     // blocks, from the next one to be begun
    uint32_t older_ = 0;  // started blocks that finish next
    uint32_t newer_ = 0;
    uint32_t id_ = 1;
};

// A circular buffer that the device before fills; its blocks are counted by `arrived`.
class Arrivals {
public:
    Arrivals(uint32_t cb, uint32_t block_tiles, volatile tt_l1_ptr uint32_t* arrived)
        : cb_(cb), block_tiles_(block_tiles), arrived_(arrived) {}

    // `num_arrived` counts those of all circular buffers.
    void announce(uint32_t blocks, uint32_t& num_arrived) {
        num_announced_ += blocks;
        for (const uint32_t last = num_arrived + blocks; num_arrived != last;) {
            // Reserved before the wait for the count, so that a block in L1 is announced at once.
            cb_reserve_back(cb_, block_tiles_);
            noc_semaphore_wait_min(arrived_, ++num_arrived);
            cb_push_back(cb_, block_tiles_);
        }
    }
    // Announces blocks without data up to the end of the buffer, which the consumer drops. Then all
    // pointers are at the start, where the next phase's slots begin.
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
    volatile tt_l1_ptr uint32_t* arrived_;
    uint32_t num_announced_ = 0;
};

// Own blocks and what arrives to be added to them.
class Reads {
public:
    Reads(OwnBlocks& blocks, Arrivals& arrivals, uint32_t& num_arrived)
        : blocks_(blocks), arrivals_(arrivals), num_arrived_(num_arrived) {}

    template <typename Accessor>
    void read(const Turn& turn, const Accessor& source, RowWalk& rows, uint32_t scale) {
        // Reads of the next blocks are begun before those of the last ones are awaited.
        rows.seek(turn.piece.read_begin * scale);
        for (uint32_t left = turn.piece.bytes * scale; left != 0;) {
            left -= blocks_.begin(source, rows, left);
            finish_before(turn.step.receives());
        }
    }
    void finish_all() {
        blocks_.begin_none();
        finish_before(false);
    }

private:
    // Finishes the blocks started before the last start, and announces the data to add to them.
    void finish_before(bool receives) {
        const uint32_t blocks = blocks_.finish();
        if (receives_) {
            arrivals_.announce(blocks, num_arrived_);
        }
        receives_ = receives;
    }

    OwnBlocks& blocks_;
    Arrivals& arrivals_;
    uint32_t& num_arrived_;
    bool receives_ = false;  // kind of the last started blocks
};

// Reads and announces the blocks of a phase. The parts are members of one object, so the compiler
// inlines them like a lambda, and predicted cycles are those of one function.
template <typename Input, typename Output, typename Workspace>
struct PhaseReader {
    const Plan& plan;
    uint32_t sum_scale;
    const Input& input;
    const Output& output;
    const Workspace& workspace;
    RowWalk& input_rows;
    RowWalk& output_rows;
    RowWalk& units;
    OwnBlocks& local;
    OwnBlocks& earlier;
    OwnBlocks& own;
    Arrivals& partial_sums;
    Arrivals& gathered;
    volatile tt_l1_ptr uint32_t* stored;
    uint32_t& num_arrived;
    uint32_t& num_phases;

    void operator()(const Phase& phase) {
        // Waits for all stores of earlier phases: this one may read them. The input is never
        // written.
        noc_semaphore_wait_min(stored, num_phases++);
        Arrivals& arrivals = phase.sums ? partial_sums : gathered;
        OwnBlocks& blocks = !phase.sums ? own : phase.reads_sums(sum_scale != 1) ? earlier : local;
        Reads reads(blocks, arrivals, num_arrived);
        Turns turns(plan, phase);
        for (Turn turn = turns.next(); !turn.is_done(); turn = turns.next()) {
            if (!turn.step.reads()) {
                arrivals.announce(turn.piece.num_blocks(phase.block_bytes()), num_arrived);
            } else {
                read_own(turn, reads);
            }
            // Sums continue with the next piece meanwhile. Unchanged blocks do not: own blocks
            // could wait for slots that are freed once these blocks are announced.
            if (!phase.sums) {
                reads.finish_all();
            }
        }
        reads.finish_all();
        // Slots of a phase begin at the buffer's start on both devices.
        arrivals.fill_up(plan);
    }

    void read_own(const Turn& turn, Reads& reads) {
        if (turn.step.source() == Place::Input) {
            reads.read(turn, input, input_rows, 1);
        } else if (turn.step.source() == Place::Output) {
            reads.read(turn, output, output_rows, 1);
        } else {
            reads.read(turn, workspace, units, sum_scale);
        }
    }
};

}  // namespace

void kernel_main() {
    const ReaderCore::Each core{ReaderTensors::Addresses::kCount};
    const Rows rows{core.row_bytes(), core.row_stride()};
    const auto args = ReaderArgs::read();
    RowWalk input_rows(rows);
    RowWalk output_rows(rows);
    auto* arrived = semaphore(core.arrived_semaphore());
    auto* stored = semaphore(core.stored_semaphore());
    const Plan plan = plan_from_args(core.first_arg + ReaderCore::kCount);
    RowWalk units(units_of(args.sum_scale));
    const auto input = TensorAccessor(ReaderTensors::input(), ReaderTensors::input_address());
    const auto output = TensorAccessor(ReaderTensors::output(), ReaderTensors::output_address());
    const auto workspace =
        TensorAccessor(ReaderTensors::workspace(), ReaderTensors::workspace_address());

    const uint32_t sum_bytes = plan.sum_tiles * kUnitBytes;
    OwnBlocks local(kCbLocal, plan.sum_tiles, sum_bytes, args.own_blocks);
    OwnBlocks earlier(kCbEarlier, plan.sum_tiles, sum_bytes * args.sum_scale, args.own_blocks);
    OwnBlocks own(kCbOwn, plan.gather_tiles, plan.gather_tiles * kUnitBytes, args.own_blocks);
    Arrivals partial_sums(kCbReceived, plan.sum_tiles, arrived);
    Arrivals gathered(kCbGathered, plan.gather_tiles, arrived);
    uint32_t num_arrived = 0;
    uint32_t num_phases = 0;

    plan.for_each_phase(PhaseReader<decltype(input), decltype(output), decltype(workspace)>{
        plan, args.sum_scale, input, output, workspace, input_rows, output_rows, units, local,
        earlier, own, partial_sums, gathered, stored, num_arrived, num_phases});
}
