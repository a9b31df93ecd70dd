// SPDX-License-Identifier: Apache-2.0
// Counts the tokens of every expert and gives each local one its padded range of rows. The tables
// are filled in L1 and stored from there as a whole.
#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/fill_l1.hpp"
#include "../../shared/kernels/for_each_word.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::moe_permutation;

constexpr uint32_t kNone = 0xFFFFFFFF;
constexpr uint32_t kAddresses = LocalRange::kCount;  // first runtime argument of the tensors

// Places of the tables in Tables, in the order of PERMUTATION_TABLES.
enum Table : uint32_t {
    kHistogram,
    kLocalHistogram,
    kTotal,
    kPrefix,
    kExpandedToPermuted,
    kPermutedToToken,
    kPermutedToExpanded,
    kCtaToExpert,
    kCtaToLimit,
    kNumCtas,
    kNumTables
};

uint32_t aligned(uint32_t bytes) {
    return round_up(bytes, kAlignment);
}

using Words = tt_l1_ptr uint32_t*;

struct Tables {
    uint32_t l1[kNumTables];
    uint32_t length[kNumTables];

    Words at(Table table) const { return reinterpret_cast<Words>(l1[table]); }
    // Copies through the NoC: a store costs the core about ten cycles with its loop.
    void fill(Table table, uint32_t value) const {
        fill_l1(l1[table], length[table] * sizeof(uint32_t), value);
    }
};

// The chosen experts, a row a token.
struct Choices {
    uint32_t l1;
    uint32_t row_bytes;
    uint32_t num_tokens;
    uint32_t top_k;

    // Calls `act(token, expert)` for each choice, in the order of the tokens.
    template <class Act>
    void for_each(const Act& act) const {
        for (uint32_t token = 0; token < num_tokens; ++token) {
            for_each_word(reinterpret_cast<Words>(l1 + token * row_bytes), top_k,
                          [&](uint32_t, uint32_t expert) { act(token, expert); });
        }
    }
};

struct LocalExperts {
    uint32_t first;
    uint32_t count;

    // Unsigned: an id below the first expert becomes a large number, so one comparison is enough.
    bool has(uint32_t expert) const { return expert - first < count; }
};

void read_choices(const PageAccessor& ids, const Choices& choices) {
    for (uint32_t token = 0; token < choices.num_tokens; ++token) {
        noc_async_read(ids.get_noc_addr(token), choices.l1 + token * choices.row_bytes,
                       choices.top_k * sizeof(uint32_t));
    }
    // Tokens are read together under one barrier.
    noc_async_read_barrier();
}

void count(const Choices& choices, const LocalExperts& local, const Tables& tables) {
    tables.fill(kHistogram, 0);
    tables.fill(kLocalHistogram, 0);
    choices.for_each([&](uint32_t, uint32_t expert) {
        // A slot may name no expert: of tokens that fill up a ragged batch.
        if (expert != kNone) {
            tables.at(kHistogram)[expert] += 1;
        }
    });
    // Taken from the whole histogram; separate counting would test every choice again.
    for (uint32_t expert = local.first; expert < local.first + local.count; ++expert) {
        tables.at(kLocalHistogram)[expert] = tables.at(kHistogram)[expert];
    }
}

// Ranges of rows and the CTAs over them; `next` becomes each local expert's first row.
void lay_out(const LocalExperts& local, uint32_t tile, const Tables& tables, Words next) {
    tables.fill(kCtaToExpert, kNone);
    tables.fill(kCtaToLimit, kNone);
    uint32_t row = 0;
    uint32_t ctas = 0;
    for (uint32_t expert = 0; expert < local.count; ++expert) {
        // The cursor starts at the expert's first row and is counted up by permute().
        next[expert] = row;
        tables.at(kPrefix)[expert] = row;
        const uint32_t end = row + tables.at(kLocalHistogram)[local.first + expert];
        // The loop ends at a whole tile, which is where the next expert begins.
        for (; row < end; row += tile) {
            tables.at(kCtaToExpert)[ctas] = expert;
            tables.at(kCtaToLimit)[ctas] = row + tile < end ? row + tile : end;
            ctas += 1;
        }
    }
    tables.at(kPrefix)[local.count] = row;
    tables.at(kTotal)[0] = row;
    tables.at(kNumCtas)[0] = ctas;
}

void permute(const Choices& choices, const LocalExperts& local, const Tables& tables, Words next) {
    tables.fill(kPermutedToToken, kNone);
    tables.fill(kPermutedToExpanded, kNone);
    // Most choices are of experts of other devices and have no row here: -1.
    tables.fill(kExpandedToPermuted, kNone);
    uint32_t expanded = 0;
    choices.for_each([&](uint32_t token, uint32_t expert) {
        if (local.has(expert)) {
            const uint32_t row = next[expert - local.first]++;
            tables.at(kPermutedToToken)[row] = token;
            tables.at(kPermutedToExpanded)[row] = expanded;
            tables.at(kExpandedToPermuted)[expanded] = row;
        }
        expanded += 1;
    });
}

struct Lengths {
    uint32_t of[kNumTables];
};

// Lengths come from the host, so kernel and output tensors cannot differ.
Lengths read_lengths() {
    const auto lengths = TableLengths::read();
    return {{lengths.histogram, lengths.local_histogram, lengths.total, lengths.prefix,
             lengths.expanded_to_permuted, lengths.permuted_to_token, lengths.permuted_to_expanded,
             lengths.cta_to_expert, lengths.cta_to_limit, lengths.num_ctas}};
}

}  // namespace

void kernel_main() {
    const auto args = RoutingArgs::read();
    const uint32_t first_expert = LocalRange::read().first_expert;
    const uint32_t ids_addr = Tensors::topk_ids_address(kAddresses);
    const PageAccessor outputs[kNumTables] = {
        {Tensors::histogram(), Tensors::histogram_address(kAddresses)},
        {Tensors::local_histogram(), Tensors::local_histogram_address(kAddresses)},
        {Tensors::total(), Tensors::total_address(kAddresses)},
        {Tensors::prefix(), Tensors::prefix_address(kAddresses)},
        {Tensors::expanded_to_permuted(), Tensors::expanded_to_permuted_address(kAddresses)},
        {Tensors::permuted_to_token(), Tensors::permuted_to_token_address(kAddresses)},
        {Tensors::permuted_to_expanded(), Tensors::permuted_to_expanded_address(kAddresses)},
        {Tensors::cta_to_expert(), Tensors::cta_to_expert_address(kAddresses)},
        {Tensors::cta_to_limit(), Tensors::cta_to_limit_address(kAddresses)},
        {Tensors::num_ctas(), Tensors::num_ctas_address(kAddresses)}};

    const Lengths lengths = read_lengths();
    Tables tables;
    uint32_t l1_addr = get_write_ptr(index_of(Cb::Scratch));
    for (uint32_t i = 0; i < kNumTables; ++i) {
        tables.length[i] = lengths.of[i];
        tables.l1[i] = l1_addr;
        l1_addr += aligned(tables.length[i] * sizeof(uint32_t));
    }
    const auto next = reinterpret_cast<Words>(l1_addr);
    const Choices choices{l1_addr + aligned(args.num_local * sizeof(uint32_t)),
                          aligned(args.top_k * sizeof(uint32_t)), args.num_tokens, args.top_k};
    const LocalExperts local{first_expert, args.num_local};

    read_choices(TensorAccessor(Tensors::topk_ids(), ids_addr), choices);
    count(choices, local, tables);
    lay_out(local, args.tile, tables, next);
    permute(choices, local, tables, next);
    // Whole tables are stored once, from L1, and not entry by entry.
    for (uint32_t i = 0; i < kNumTables; ++i) {
        noc_async_write(tables.l1[i], outputs[i].get_noc_addr(0),
                        tables.length[i] * sizeof(uint32_t));
    }
    noc_async_write_barrier();
}
