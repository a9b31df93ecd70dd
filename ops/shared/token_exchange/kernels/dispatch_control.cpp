// SPDX-License-Identifier: Apache-2.0
// Walks the routing tables of all ranks in their order: counts the rows of each bin, tells this
// rank's other cores where its own rows begin, and writes down what the received rows are.
#include "routing.hpp"

namespace {

using namespace tessera::ops::token_exchange;

constexpr uint32_t kRowsOfToken = 4;  // slots, ids, weights, source

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
    PageAccessor ids;
    PageAccessor weights;
    PageAccessor source;
    PageAccessor slots;
    PageAccessor num_received;
};

// An expert that a token of a rank chose.
struct Choice {
    uint32_t rank;
    uint32_t token;
    uint32_t slot;
    uint32_t expert;
    uint32_t bin;
    bool is_first;  // of the token in this bin
};

// A token while its choices are walked.
struct TokenRow {
    uint32_t slots;  // L1 address of the places of its slots; 0: another rank's token
    bool is_here = false;
    uint32_t place = 0;  // of its row, if it is received here
};

// One rank's table, and what becomes of its tokens.
class Ledger {
public:
    Ledger(const Shape& shape, uint32_t own_rank, uint32_t stride, bool fails_beyond)
        : shape_(shape),
          own_rank_(own_rank),
          fails_beyond_(fails_beyond),
          before_(words_at(get_write_ptr(kCbCounts))),
          counts_(before_ + num_bins(shape)),
          rows_(get_write_ptr(kCbScratch), stride),
          // Places of batches are written 16 at a time: after the rows, one line an expert.
          lines_(get_write_ptr(kCbScratch) + kScratchRows * stride) {
        // Counts in L1 instead of registers: there are as many bins as ranks or experts.
        for (uint32_t bin = 0; bin < num_bins(shape); ++bin) {
            before_[bin] = 0;
            counts_[bin] = 0;
        }
    }

    // Counts the rows of a lower rank's table, or writes them down where they come here.
    void walk(const Routing& routing, uint32_t rank, const Outputs& out) {
        for (uint32_t token = 0; token < shape_.num_tokens; ++token) {
            // A token needs at most four rows; the room is made before any of them is taken.
            rows_.begin(kRowsOfToken);
            TokenRow row{.slots = rank == own_rank_ ? rows_.next() : 0};
            if (row.slots != 0) {
                clear(row.slots);
            }
            routing.for_each_slot(token,
                                  [&](uint32_t slot, uint32_t expert, uint32_t bin, bool is_first) {
                                      place({rank, token, slot, expert, bin, is_first}, out, row);
                                  });
            // One row of ids, weights and source for each received row, however many slots it has.
            if (row.is_here && !shape_.is_batched) {
                describe(routing, rank, token, row.place, out);
            }
            if (row.slots != 0) {
                noc_async_write(row.slots, out.slots.get_noc_addr(token),
                                shape_.top_k * sizeof(int32_t));
            }
        }
        end_rank(rank);
    }

    void write_counts(const Outputs& out) {
        if (!shape_.is_batched) {
            // Rows beyond the room were counted by their senders, too.
            write_count(out.num_received, 0, kept(before_[own_rank_]));
        }
        const uint32_t first = own_rank_ * experts_per_rank(shape_);
        for (uint32_t e = 0; shape_.is_batched && e < experts_per_rank(shape_); ++e) {
            const uint32_t rows = kept(before_[first + e]);
            write_count(out.num_received, e, rows);
            // The last line of a batch is short.
            if (rows % kLineEntries != 0) {
                write_line(e, rows / kLineEntries, rows % kLineEntries, out.source);
            }
        }
        noc_async_write_barrier();
    }
    // Copies the rows of the ranks before the one that is walked next.
    void copy_bases_to(uint32_t address) const {
        for (uint32_t bin = 0; bin < num_bins(shape_); ++bin) {
            words_at(address)[bin] = before_[bin];
        }
    }

private:
    // Counts one choice of a token, and writes it down in `row` if it concerns this rank.
    void place(const Choice& choice, const Outputs& out, TokenRow& row) {
        const bool is_local = rank_of(shape_, choice.expert) == own_rank_;
        // Rows of higher ranks come after the own ones, so that they do not move them.
        if (!is_local && choice.rank > own_rank_) {
            return;
        }
        // A later slot with the same bin has the place of the first.
        const uint32_t index = choice.is_first ? counts_[choice.bin] : counts_[choice.bin] - 1;
        counts_[choice.bin] = index + 1;
        const uint32_t place = before_[choice.bin] + index;
        // One phase: the room is that of a pair of ranks; two phases: that of the receiver.
        const bool fits =
            shape_.pair_rows != 0 ? index < shape_.pair_rows : place < shape_.most_rows;
        if (!fits) {
            check_capacity(is_local);
            return;
        }
        // The sender keeps where each slot went; the combine reads it.
        if (row.slots != 0) {
            words_at(row.slots)[choice.slot] = page_of(shape_, choice.bin, place);
        }
        if (is_local && shape_.is_batched) {
            add_to_batch(
                choice.expert % experts_per_rank(shape_), place,
                (choice.rank * shape_.num_tokens + choice.token) * shape_.top_k + choice.slot,
                out.source);
        }
        row.is_here = row.is_here || is_local;
        row.place = is_local ? place : row.place;
    }
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
        for (uint32_t bin = 0; bin < num_bins(shape_); ++bin) {
            const bool is_cut = shape_.pair_rows != 0 && counts_[bin] > shape_.pair_rows;
            const uint32_t rows = is_cut ? shape_.pair_rows : counts_[bin];
            before_[bin] = before_[bin] + rows;
            counts_[bin] = 0;
            // How many rows of each pair came: packers find the parts of the senders by it.
            const uint32_t own = bin - own_rank_ * bins_per_rank(shape_);
            if (own < bins_per_rank(shape_)) {
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
            const bool is_local = id >= 0 && rank_of(shape_, id) == own_rank_;
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
    uint32_t weights_bytes() const { return shape_.top_k * ControlArgs::read().weight_bytes; }
    void copy_weights(const Routing& routing, uint32_t token, uint32_t to) const {
        const uint32_t from =
            routing.address + shape_.num_tokens * shape_.ids_stride + token * shape_.weights_stride;
        // Whole words: weights of 2 bytes are copied in pairs.
        for (uint32_t word = 0; word < (weights_bytes() + 3) / 4; ++word) {
            words_at(to)[word] = words_at(from)[word];
        }
    }
    void clear_weight(uint32_t weights, uint32_t slot) const {
        if (ControlArgs::read().weight_bytes == 4) {
            words_at(weights)[slot] = 0;
        } else {
            reinterpret_cast<volatile tt_l1_ptr uint16_t*>(weights)[slot] = 0;
        }
    }

    void add_to_batch(uint32_t local_expert, uint32_t place, uint32_t origin,
                      const PageAccessor& source) {
        words_at(lines_ + local_expert * kLineBytes)[place % kLineEntries] = origin;
        // A line is an aligned piece of the source table.
        if (place % kLineEntries == kLineEntries - 1) {
            write_line(local_expert, place / kLineEntries, kLineEntries, source);
            noc_async_write_barrier();
        }
    }
    void write_line(uint32_t local_expert, uint32_t line, uint32_t entries,
                    const PageAccessor& source) const {
        noc_async_write(lines_ + local_expert * kLineBytes,
                        source.get_noc_addr(local_expert, line * kLineBytes),
                        entries * sizeof(uint32_t));
    }
    void write_count(const PageAccessor& num_received, uint32_t page, uint32_t count) {
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

// Writes a table to the same address in the L1 of the cores of the list at `first_arg`: all have
// the same buffers. Returns the first argument after the list.
uint32_t publish(uint32_t table, uint32_t bytes, uint32_t first_arg, uint32_t ready_id) {
    const uint32_t num_cores = ListSize::read(first_arg).count;
    for (uint32_t i = 0; i < num_cores; ++i) {
        const uint32_t core = CoreWord::read(first_arg + ListSize::kCount + i).core;
        noc_async_write(table, get_noc_addr(x_of(core), y_of(core), table), bytes);
    }
    // The tables must have arrived before the counts do.
    noc_async_write_barrier();
    for (uint32_t i = 0; i < num_cores; ++i) {
        const uint32_t core = CoreWord::read(first_arg + ListSize::kCount + i).core;
        noc_semaphore_inc(get_noc_addr(x_of(core), y_of(core), get_semaphore(ready_id)), 1);
    }
    noc_async_atomic_barrier();
    return first_arg + ListSize::kCount + num_cores;
}

Outputs outputs() {
    using Tensors = ControlTensors;
    return {TensorAccessor(Tensors::out_ids(), Tensors::out_ids_address()),
            TensorAccessor(Tensors::out_weights(), Tensors::out_weights_address()),
            TensorAccessor(Tensors::source(), Tensors::source_address()),
            TensorAccessor(Tensors::slots(), Tensors::slots_address()),
            TensorAccessor(Tensors::num_received(), Tensors::num_received_address())};
}

// Reads another rank's table. Tables arrive in any order. Their walk is in the order of ranks, so
// that places are the same everywhere.
void read_arrived(const Routing& routing, const PageAccessor& tables, uint32_t rank,
                  volatile tt_l1_ptr uint32_t* arrived) {
    noc_semaphore_wait_min(arrived, routing.shape.num_ranks - 1);
    noc_async_read(tables.get_noc_addr(rank), routing.address, table_bytes(routing.shape));
    noc_async_read_barrier();
}

}  // namespace

void kernel_main() {
    using Tensors = ControlTensors;
    const auto shape = Shape::read();
    const auto ids = TensorAccessor(Tensors::ids(), Tensors::ids_address());
    const auto weights = TensorAccessor(Tensors::weights(), Tensors::weights_address());
    const auto tables = TensorAccessor(Tensors::tables(), Tensors::tables_address());
    const Outputs out = outputs();
    const ControlWork::Each work{Tensors::Addresses::kCount};
    const uint32_t rank = work.rank();
    const uint32_t scratch_stride = work.scratch_stride();
    const bool fails_beyond = work.fails_beyond() != 0;
    auto* tables_arrived = semaphore_at(work.tables_semaphore());
    auto* rows_arrived = semaphore_at(work.rows_semaphore());
    const uint32_t bases_id = work.bases_semaphore();
    const uint32_t num_senders = work.num_senders();
    const uint32_t go_id = work.go_semaphore();
    uint32_t next_list = Tensors::Addresses::kCount + ControlWork::kCount;

    const Routing routing{shape, get_write_ptr(kCbTable)};
    const uint32_t bases = get_write_ptr(kCbBases);
    Ledger ledger(shape, rank, scratch_stride, fails_beyond);
    for (uint32_t from = 0; from < shape.num_ranks; ++from) {
        // Bases are the rows of lower ranks, so that they are known before the own table is walked.
        if (from == rank) {
            ledger.copy_bases_to(bases);
            next_list = publish(bases, num_bins(shape) * sizeof(uint32_t), next_list, bases_id);
            read_table(shape, ids, weights, routing.address);
        } else {
            read_arrived(routing, tables, from, tables_arrived);
        }
        ledger.walk(routing, from, out);
    }
    ledger.write_counts(out);
    // The outputs are complete when all senders have reported.
    noc_semaphore_wait_min(rows_arrived, num_senders);
    // In one phase the rows of ranks have gaps; cores that know the counts close them.
    publish(get_write_ptr(kCbPairs), bins_per_rank(shape) * shape.num_ranks * sizeof(uint32_t),
            next_list, go_id);
}
