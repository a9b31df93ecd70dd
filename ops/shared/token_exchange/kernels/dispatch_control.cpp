// SPDX-License-Identifier: Apache-2.0
// Walks the routing tables of all ranks in their order: counts the rows of each bin, tells this
// rank's other cores where its own rows begin, and writes down what the received rows are.
#include "routing.hpp"

namespace {

constexpr uint32_t kScratchRows = 16;  // rows of metadata written before their memory is reused
constexpr uint32_t kRowsOfToken = 4;   // slots, ids, weights, source

// Small rows on their way to memory, each in a place of its own until all are written.
class Scratch {
public:
    Scratch(uint32_t address, uint32_t stride) : address_(address), stride_(stride) {}

    // Makes room for so many rows: those taken before are written, or still there. A barrier for 16
    // rows instead of one for each: the rows are short, so that their latency would dominate.
    void begin(uint32_t rows) {
        if (num_taken_ + rows > kScratchRows) {
            noc_async_write_barrier();
            num_taken_ = 0;
        }
    }
    uint32_t next() { return address_ + num_taken_++ * stride_; }

private:
    uint32_t address_;
    uint32_t stride_;
    uint32_t num_taken_ = 0;
};

struct Outputs {
    TensorAccessor ids;
    TensorAccessor weights;
    TensorAccessor source;
    TensorAccessor slots;
};

// One rank's table, and what becomes of its tokens.
class Ledger {
public:
    Ledger(const Shape& shape, uint32_t own_rank, uint32_t stride, bool fails_beyond)
        : shape_(shape),
          own_rank_(own_rank),
          fails_beyond_(fails_beyond),
          before_(words_at(get_write_ptr(kCbCounts))),
          counts_(before_ + shape.num_bins()),
          rows_(get_write_ptr(kCbScratch), stride),
          // Places of batches are written 16 at a time: after the rows, one line an expert.
          lines_(get_write_ptr(kCbScratch) + kScratchRows * stride) {
        // Counts in L1 instead of registers: there are as many bins as ranks or experts.
        for (uint32_t bin = 0; bin < shape.num_bins(); ++bin) {
            before_[bin] = 0;
            counts_[bin] = 0;
        }
    }

    // Counts the rows of a lower rank's table, or writes them down where they come here.
    void walk(const Routing& routing, uint32_t rank, const Outputs& out) {
        for (uint32_t token = 0; token < shape_.num_tokens; ++token) {
            // A token needs at most four rows; the room is made before any of them is taken.
            rows_.begin(kRowsOfToken);
            const uint32_t slots = rank == own_rank_ ? rows_.next() : 0;
            if (slots != 0) {
                clear(slots);
            }
            bool is_here = false;
            uint32_t here = 0;
            routing.for_each_slot(
                token, [&](uint32_t slot, uint32_t expert, uint32_t bin, bool is_first) {
                    const bool is_local = shape_.rank_of(expert) == own_rank_;
                    // Rows of higher ranks come after the own ones, so that they do not move them.
                    if (!is_local && rank > own_rank_) {
                        return;
                    }
                    // A later slot with the same bin has the place of the first.
                    const uint32_t index = is_first ? counts_[bin] : counts_[bin] - 1;
                    counts_[bin] = index + 1;
                    const uint32_t place = before_[bin] + index;
                    // One phase: the room is that of a pair of ranks; two phases: that of the
                    // receiver.
                    const bool fits =
                        shape_.pair_rows != 0 ? index < shape_.pair_rows : place < shape_.most_rows;
                    if (!fits) {
                        check_capacity(is_local);
                        return;
                    }
                    // The sender keeps where each slot went; the combine reads it.
                    if (slots != 0) {
                        words_at(slots)[slot] = shape_.page_of(bin, place);
                    }
                    if (is_local && shape_.is_batched) {
                        add_to_batch(expert % shape_.experts_per_rank(), place,
                                     (rank * shape_.num_tokens + token) * shape_.top_k + slot,
                                     out.source);
                    }
                    is_here = is_here || is_local;
                    here = is_local ? place : here;
                });
            // One row of ids, weights and source for each received row, however many slots it has.
            if (is_here && !shape_.is_batched) {
                describe(routing, rank, token, here, out);
            }
            if (slots != 0) {
                noc_async_write(slots, out.slots.get_noc_addr(token),
                                shape_.top_k * sizeof(int32_t));
            }
        }
        end_rank(rank);
    }

    void write_counts(const TensorAccessor& num_received, const TensorAccessor& source) {
        if (!shape_.is_batched) {
            // Rows beyond the room were counted by their senders, too.
            write_count(num_received, 0, kept(before_[own_rank_]));
        }
        const uint32_t first = own_rank_ * shape_.experts_per_rank();
        for (uint32_t e = 0; shape_.is_batched && e < shape_.experts_per_rank(); ++e) {
            const uint32_t rows = kept(before_[first + e]);
            write_count(num_received, e, rows);
            // The last line of a batch is short.
            if (rows % 16 != 0) {
                write_line(e, rows / 16, rows % 16, source);
            }
        }
        noc_async_write_barrier();
    }
    // Copies the rows of the ranks before the one that is walked next.
    void copy_bases_to(uint32_t address) const {
        for (uint32_t bin = 0; bin < shape_.num_bins(); ++bin) {
            words_at(address)[bin] = before_[bin];
        }
    }

private:
    uint32_t kept(uint32_t rows) const { return rows < shape_.most_rows ? rows : shape_.most_rows; }
    // Writes −1 into all slots: no row of this slot.
    void clear(uint32_t slots) const {
        for (uint32_t slot = 0; slot < shape_.top_k; ++slot) {
            words_at(slots)[slot] = 0xFFFFFFFF;
        }
    }
    // Fails if a capacity is exceeded. The receiving rank reports it: each excess is seen once.
    void check_capacity(bool is_local) const {
        const bool is_one_phase = shape_.pair_rows != 0;
        const bool exceeds_the_capacity_of_its_receiver =
            fails_beyond_ && is_local && !is_one_phase;
        const bool exceeds_the_capacity_of_its_sender_at_the_receiver =
            fails_beyond_ && is_local && is_one_phase;
        // Two names for one mistake: the message of ASSERT is the condition's text.
        ASSERT(!exceeds_the_capacity_of_its_receiver);
        ASSERT(!exceeds_the_capacity_of_its_sender_at_the_receiver);
    }
    // Rows of the rank that was walked go before those of the next one.
    void end_rank(uint32_t rank) {
        for (uint32_t bin = 0; bin < shape_.num_bins(); ++bin) {
            const bool is_cut = shape_.pair_rows != 0 && counts_[bin] > shape_.pair_rows;
            const uint32_t rows = is_cut ? shape_.pair_rows : counts_[bin];
            before_[bin] = before_[bin] + rows;
            counts_[bin] = 0;
            // How many rows of each pair came: packers find the parts of the senders by it.
            const uint32_t own = bin - own_rank_ * shape_.bins_per_rank();
            if (own < shape_.bins_per_rank()) {
                words_at(get_write_ptr(kCbPairs))[own * shape_.num_ranks + rank] = rows;
            }
        }
    }

    // Describes row `place` of the received rows: ids and weights of local experts, −1 and 0
    // elsewhere.
    void describe(const Routing& routing, uint32_t rank, uint32_t token, uint32_t place,
                  const Outputs& out) {
        const uint32_t ids = rows_.next();
        const uint32_t weights = rows_.next();
        const uint32_t source = rows_.next();
        copy_weights(routing, token, weights);
        for (uint32_t slot = 0; slot < shape_.top_k; ++slot) {
            const int32_t id = routing.id(token, slot);
            const bool is_local = id >= 0 && shape_.rank_of(id) == own_rank_;
            // Experts of other ranks are removed: a rank multiplies only with its own.
            words_at(ids)[slot] = is_local ? id : 0xFFFFFFFF;
            if (!is_local) {
                clear_weight(weights, slot);
            }
        }
        words_at(source)[0] = rank;
        words_at(source)[1] = token;
        noc_async_write(ids, out.ids.get_noc_addr(place), shape_.top_k * sizeof(int32_t));
        noc_async_write(weights, out.weights.get_noc_addr(place), weights_bytes());
        noc_async_write(source, out.source.get_noc_addr(place), 2 * sizeof(uint32_t));
    }
    uint32_t weights_bytes() const { return shape_.top_k * get_compile_time_arg_val(kShapeArgs); }
    void copy_weights(const Routing& routing, uint32_t token, uint32_t to) const {
        const uint32_t from =
            routing.address + shape_.num_tokens * shape_.ids_stride + token * shape_.weights_stride;
        // Whole words: weights of 2 bytes are copied in pairs.
        for (uint32_t word = 0; word < (weights_bytes() + 3) / 4; ++word) {
            words_at(to)[word] = words_at(from)[word];
        }
    }
    void clear_weight(uint32_t weights, uint32_t slot) const {
        if (get_compile_time_arg_val(kShapeArgs) == 4) {
            words_at(weights)[slot] = 0;
        } else {
            reinterpret_cast<volatile tt_l1_ptr uint16_t*>(weights)[slot] = 0;
        }
    }

    void add_to_batch(uint32_t local_expert, uint32_t place, uint32_t origin,
                      const TensorAccessor& source) {
        words_at(lines_ + local_expert * 64)[place % 16] = origin;
        // 16 entries are 64 bytes, an aligned piece of the source table.
        if (place % 16 == 15) {
            write_line(local_expert, place / 16, 16, source);
            noc_async_write_barrier();
        }
    }
    void write_line(uint32_t local_expert, uint32_t line, uint32_t entries,
                    const TensorAccessor& source) const {
        noc_async_write(lines_ + local_expert * 64, source.get_noc_addr(local_expert, line * 64),
                        entries * sizeof(uint32_t));
    }
    void write_count(const TensorAccessor& num_received, uint32_t page, uint32_t count) {
        rows_.begin(1);
        const uint32_t word = rows_.next();
        words_at(word)[0] = count;
        noc_async_write(word, num_received.get_noc_addr(page), sizeof(uint32_t));
    }

    const Shape& shape_;
    uint32_t own_rank_;
    bool fails_beyond_;
    volatile tt_l1_ptr uint32_t* before_;  // rows of ranks before, by bin
    volatile tt_l1_ptr uint32_t* counts_;  // of the rank that is walked
    Scratch rows_;
    uint32_t lines_;
};

// Writes a table into the L1 of the cores that the arguments name, at the place where it lies here.
// Returns the first argument after these.
uint32_t publish(uint32_t table, uint32_t bytes, uint32_t first_arg, uint32_t ready_id) {
    const uint32_t num_cores = get_arg_val<uint32_t>(first_arg);
    // Written to the same address in each core: all have the same buffers.
    for (uint32_t i = 0; i < num_cores; ++i) {
        const uint32_t core = get_arg_val<uint32_t>(first_arg + 1 + i);
        noc_async_write(table, get_noc_addr(core & 0xFFFF, core >> 16, table), bytes);
    }
    // The tables must have arrived before the counts do.
    noc_async_write_barrier();
    for (uint32_t i = 0; i < num_cores; ++i) {
        const uint32_t core = get_arg_val<uint32_t>(first_arg + 1 + i);
        noc_semaphore_inc(get_noc_addr(core & 0xFFFF, core >> 16, get_semaphore(ready_id)), 1);
    }
    noc_async_atomic_barrier();
    return first_arg + 1 + num_cores;
}

}  // namespace

void kernel_main() {
    const Shape shape = SHAPE_FROM_COMPILE_ARGS;
    constexpr auto ids_args = TensorAccessorArgs<kShapeArgs + 1>();
    constexpr auto weights_args = TensorAccessorArgs<kShapeArgs + 3>();
    constexpr auto tables_args = TensorAccessorArgs<kShapeArgs + 5>();
    constexpr auto out_ids_args = TensorAccessorArgs<kShapeArgs + 7>();
    constexpr auto out_weights_args = TensorAccessorArgs<kShapeArgs + 9>();
    constexpr auto source_args = TensorAccessorArgs<kShapeArgs + 11>();
    constexpr auto slots_args = TensorAccessorArgs<kShapeArgs + 13>();
    constexpr auto received_args = TensorAccessorArgs<kShapeArgs + 15>();
    const auto ids = TensorAccessor(ids_args, get_arg_val<uint32_t>(0));
    const auto weights = TensorAccessor(weights_args, get_arg_val<uint32_t>(1));
    const auto tables = TensorAccessor(tables_args, get_arg_val<uint32_t>(2));
    const Outputs out{TensorAccessor(out_ids_args, get_arg_val<uint32_t>(3)),
                      TensorAccessor(out_weights_args, get_arg_val<uint32_t>(4)),
                      TensorAccessor(source_args, get_arg_val<uint32_t>(5)),
                      TensorAccessor(slots_args, get_arg_val<uint32_t>(6))};
    const auto num_received = TensorAccessor(received_args, get_arg_val<uint32_t>(7));
    const uint32_t rank = get_arg_val<uint32_t>(8);
    const uint32_t scratch_stride = get_arg_val<uint32_t>(9);
    const bool fails_beyond = get_arg_val<uint32_t>(10) != 0;
    auto* tables_arrived = semaphore_at(get_arg_val<uint32_t>(11));
    auto* rows_arrived = semaphore_at(get_arg_val<uint32_t>(12));
    const uint32_t ready_id = get_arg_val<uint32_t>(13);
    const uint32_t num_senders = get_arg_val<uint32_t>(14);  // cores of all ranks that send here
    const uint32_t go_id = get_arg_val<uint32_t>(15);
    uint32_t next_arg = 16;

    const Routing routing{shape, get_write_ptr(kCbTable)};
    const uint32_t bases = get_write_ptr(kCbBases);
    Ledger ledger(shape, rank, scratch_stride, fails_beyond);
    for (uint32_t from = 0; from < shape.num_ranks; ++from) {
        // Bases are the rows of lower ranks, so that they are known before the own table is walked.
        if (from == rank) {
            ledger.copy_bases_to(bases);
            next_arg = publish(bases, shape.num_bins() * sizeof(uint32_t), next_arg, ready_id);
            read_table(shape, ids, weights, routing.address);
        } else {
            // Tables of other ranks arrive in any order. Their walk is in the order of ranks, so
            // that places are the same everywhere.
            noc_semaphore_wait_min(tables_arrived, shape.num_ranks - 1);
            noc_async_read(tables.get_noc_addr(from), routing.address, shape.table_bytes());
            noc_async_read_barrier();
        }
        ledger.walk(routing, from, out);
    }
    ledger.write_counts(num_received, out.source);
    // The outputs are complete when all senders have reported.
    noc_semaphore_wait_min(rows_arrived, num_senders);
    // In one phase ranks' rows lie apart, and cores that know the counts put them together.
    publish(get_write_ptr(kCbPairs), shape.bins_per_rank() * shape.num_ranks * sizeof(uint32_t),
            next_arg, go_id);
}
