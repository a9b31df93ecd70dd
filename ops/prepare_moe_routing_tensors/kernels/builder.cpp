// SPDX-License-Identifier: Apache-2.0
// Builds the tables of this core's experts, a group at a time: L1 holds the next `entries` entries
// of each expert's tables, which are written to memory whenever they are full.
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::prepare_moe_routing_tensors;

constexpr uint32_t kCbSelected = index_of(Cb::Selected);
constexpr uint32_t kCbWeights = index_of(Cb::Weights);
constexpr uint32_t kCbLocalExperts = index_of(Cb::LocalExperts);
constexpr uint32_t kCbTokenTables = index_of(Cb::TokenTables);
constexpr uint32_t kCbWeightTables = index_of(Cb::WeightTables);
constexpr uint32_t kCbCounts = index_of(Cb::Counts);
constexpr uint32_t kNoToken = 0xFFFFFFFF;

// Tables of one expert: their addresses in L1 and their fill level.
struct ExpertTable {
    uint32_t tokens_l1;
    uint32_t weights_l1;
    uint32_t count_l1;

    // The count stays in L1: a group has more experts than the RISC has registers.
    tt_l1_ptr uint32_t& count() const { return *reinterpret_cast<tt_l1_ptr uint32_t*>(count_l1); }
    void put(uint32_t place, uint32_t token, uint16_t weight) const {
        reinterpret_cast<tt_l1_ptr uint32_t*>(tokens_l1)[place] = token;
        reinterpret_cast<tt_l1_ptr uint16_t*>(weights_l1)[place] = weight;
    }
};

ExpertTable table_of(uint32_t member, uint32_t entries) {
    return {get_write_ptr(kCbTokenTables) + member * entries * (uint32_t)sizeof(uint32_t),
            get_write_ptr(kCbWeightTables) + member * entries * (uint32_t)sizeof(uint16_t),
            get_write_ptr(kCbCounts) + member * kCountStride};
}

// Places of the tables in DRAM.
struct Destination {
    PageAccessor routed;
    PageAccessor weights;
    PageAccessor map;
    uint32_t num_tokens;
    uint32_t entries;

    // Writes the entries [first, first + entries) of an expert's tables, as far as there are any.
    void write(uint32_t expert, uint32_t first, const ExpertTable& table) const {
        // The last part of a row may be short, and nothing after the tensor may be written.
        const uint32_t left = num_tokens - first;
        const uint32_t length = left < entries ? left : entries;
        const uint32_t token_bytes = length * sizeof(uint32_t);
        const uint32_t offset = first * sizeof(uint32_t);
        noc_async_write(table.tokens_l1, routed.get_noc_addr(expert, offset), token_bytes);
        // The map has the same entries as the list, so it is written from the same bytes.
        noc_async_write(table.tokens_l1, map.get_noc_addr(expert, offset), token_bytes);
        noc_async_write(table.weights_l1, weights.get_noc_addr(expert, first * sizeof(uint16_t)),
                        length * sizeof(uint16_t));
        // The same buffers are filled again, so their data must have left L1.
        noc_async_writes_flushed();
    }

    void append(uint32_t expert, const ExpertTable& table, uint32_t token, uint16_t weight) const {
        // The table is a window of `entries` entries over the row.
        table.put(table.count() % entries, token, weight);
        table.count() += 1;
        if (table.count() % entries == 0) {
            write(expert, table.count() - entries, table);
        }
    }

    // Writes what has not been written, with padding up to the end of the rows.
    void finish(uint32_t expert, const ExpertTable& table) const {
        uint32_t filled = table.count() % entries;
        // Rows without any token are written whole, too: the contract states no token there.
        for (uint32_t first = table.count() - filled; first < num_tokens; first += entries) {
            for (uint32_t place = filled; place < entries; ++place) {
                table.put(place, kNoToken, 0);
            }
            filled = 0;
            write(expert, first, table);
        }
    }
};

// One token's experts and weights.
struct Choice {
    const tt_l1_ptr uint32_t* experts;
    const tt_l1_ptr uint16_t* weights;
    uint32_t top_k;

    // Index of the first choice of `expert_id`, or top_k.
    uint32_t find(uint32_t expert_id) const {
        // A linear search: top_k is 8 in DeepSeek-V3, and all of a token's ids are in L1.
        uint32_t k = 0;
        while (k < top_k && experts[k] != expert_id) {
            ++k;
        }
        return k;
    }
};

// The blocks of token rows that the reader pushes.
struct TokenBlocks {
    TableArgs args;

    Choice choice(uint32_t row) const {
        return {reinterpret_cast<tt_l1_ptr uint32_t*>(get_read_ptr(kCbSelected) +
                                                      row * args.selected_page),
                reinterpret_cast<tt_l1_ptr uint16_t*>(get_read_ptr(kCbWeights) +
                                                      row * args.weights_page),
                args.top_k};
    }
};

// A run of experts whose tables are built together.
struct Group {
    uint32_t first_expert;
    uint32_t size;
    const tt_l1_ptr uint32_t* ids;  // ids of all local experts

    void start(const Destination& destination) const {
        for (uint32_t member = 0; member < size; ++member) {
            table_of(member, destination.entries).count() = 0;
        }
    }
    // Experts are the inner loop, so each token is read once for the whole group.
    void route(const Destination& destination, uint32_t token, const Choice& choice) const {
        for (uint32_t member = 0; member < size; ++member) {
            const uint32_t expert = first_expert + member;
            const uint32_t k = choice.find(ids[expert]);
            if (k != choice.top_k) {
                destination.append(expert, table_of(member, destination.entries), token,
                                   choice.weights[k]);
            }
        }
    }
    void route_all(const Destination& destination, const TokenBlocks& tokens) const {
        const TableArgs& args = tokens.args;
        for (uint32_t first = 0; first < args.num_tokens; first += args.block) {
            const uint32_t left = args.num_tokens - first;
            // Whole blocks, also for the last tokens: the buffer wraps only at its exact end.
            cb_wait_front(kCbSelected, args.block);
            cb_wait_front(kCbWeights, args.block);
            for (uint32_t row = 0; row < (left < args.block ? left : args.block); ++row) {
                route(destination, first + row, tokens.choice(row));
            }
            cb_pop_front(kCbSelected, args.block);
            cb_pop_front(kCbWeights, args.block);
        }
    }
    void finish(const Destination& destination, const PageAccessor& counts) const {
        for (uint32_t member = 0; member < size; ++member) {
            const ExpertTable table = table_of(member, destination.entries);
            destination.finish(first_expert + member, table);
            noc_async_write(table.count_l1, counts.get_noc_addr(first_expert + member),
                            sizeof(uint32_t));
        }
        // Counts and tables must have arrived before the next group reuses their places.
        noc_async_write_barrier();
    }
};

const tt_l1_ptr uint32_t* read_local_experts(const PageAccessor& local_experts, uint32_t count) {
    // The ids are read once: all groups of the core use them.
    const uint32_t ids_l1 = get_write_ptr(kCbLocalExperts);
    noc_async_read(local_experts.get_noc_addr(0), ids_l1, count * sizeof(uint32_t));
    noc_async_read_barrier();
    return reinterpret_cast<tt_l1_ptr uint32_t*>(ids_l1);
}

}  // namespace

void kernel_main() {
    // Addresses are loaded together, before the accessors are made of them.
    const auto at = BuilderTensors::Addresses::read();
    const auto range = ExpertRange::read(BuilderTensors::Addresses::kCount);
    const auto args = TableArgs::read();
    const auto local_experts = TensorAccessor(BuilderTensors::local_experts(), at.local_experts);
    const auto counts = TensorAccessor(BuilderTensors::counts(), at.counts);
    const Destination destination{TensorAccessor(BuilderTensors::routed(), at.routed),
                                  TensorAccessor(BuilderTensors::weights(), at.weights),
                                  TensorAccessor(BuilderTensors::map(), at.map), args.num_tokens,
                                  args.entries};

    const TokenBlocks tokens{args};
    const tt_l1_ptr uint32_t* ids =
        read_local_experts(local_experts, BuilderArgs::read().num_local_experts);
    const uint32_t end_expert = range.first_expert + range.num_experts;
    for (uint32_t first = range.first_expert; first < end_expert; first += args.group) {
        const uint32_t left = end_expert - first;
        const Group group{first, left < args.group ? left : args.group, ids};
        group.start(destination);
        group.route_all(destination, tokens);
        group.finish(destination, counts);
    }
}
