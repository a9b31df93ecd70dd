// SPDX-License-Identifier: Apache-2.0
// Counts the tokens of every expert and gives each local one its padded range of rows. The tables
// are filled in L1 and stored from there as a whole.
#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/fill_l1.hpp"

namespace {

constexpr uint32_t kCbScratch = 0;
constexpr uint32_t kNumTables = 10;
constexpr uint32_t kNone = 0xFFFFFFFF;
constexpr uint32_t kAlignment = 64;

enum Table : uint32_t {
    kHistogram,
    kLocalHistogram,
    kTotal,
    kPrefix,
    kExpandedToPermuted,
    kPermutedToToken,
    kPermutedToExpanded,
    kBatch,
    kLimit,
    kNumCtas
};

uint32_t aligned(uint32_t bytes) {
    // Tables begin at aligned addresses, since each is stored by one write.
    return round_up(bytes, kAlignment);
}

using Words = tt_l1_ptr uint32_t*;

struct Tables {
    uint32_t l1[kNumTables];
    uint32_t length[kNumTables];

    Words at(Table table) const { return reinterpret_cast<Words>(l1[table]); }
    // By the NoC: a store costs the core some ten cycles with its loop.
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

    uint32_t of(uint32_t token, uint32_t k) const {
        return reinterpret_cast<Words>(l1 + token * row_bytes)[k];
    }
};

struct LocalExperts {
    uint32_t first;
    uint32_t count;

    // Unsigned: an id below the first expert becomes a large number, so that one comparison is
    // enough.
    bool has(uint32_t expert) const { return expert - first < count; }
};

void read_choices(const TensorAccessor& ids, const Choices& choices) {
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
    for (uint32_t token = 0; token < choices.num_tokens; ++token) {
        for (uint32_t k = 0; k < choices.top_k; ++k) {
            // A slot may name no expert: of tokens that fill up a ragged batch.
            if (const uint32_t expert = choices.of(token, k); expert != kNone) {
                tables.at(kHistogram)[expert] += 1;
            }
        }
    }
    // Taken from the whole histogram; counting them beside it would test every choice again.
    for (uint32_t expert = local.first; expert < local.first + local.count; ++expert) {
        tables.at(kLocalHistogram)[expert] = tables.at(kHistogram)[expert];
    }
}

// Ranges of rows and the CTAs over them; `next` becomes each local expert's first row.
void lay_out(const LocalExperts& local, uint32_t tile, const Tables& tables, Words next) {
    tables.fill(kBatch, kNone);
    tables.fill(kLimit, kNone);
    uint32_t row = 0;
    uint32_t ctas = 0;
    for (uint32_t expert = 0; expert < local.count; ++expert) {
        // The cursor starts at the expert's first row and is counted up by permute().
        next[expert] = row;
        tables.at(kPrefix)[expert] = row;
        const uint32_t end = row + tables.at(kLocalHistogram)[local.first + expert];
        // The loop ends at a whole tile, which is where the next expert begins.
        for (; row < end; row += tile) {
            tables.at(kBatch)[ctas] = expert;
            tables.at(kLimit)[ctas] = row + tile < end ? row + tile : end;
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
    for (uint32_t token = 0; token < choices.num_tokens; ++token) {
        for (uint32_t k = 0; k < choices.top_k; ++k) {
            const uint32_t expert = choices.of(token, k);
            const uint32_t expanded = token * choices.top_k + k;
            // -1 is the entry of a choice without a row here.
            uint32_t row = kNone;
            if (local.has(expert)) {
                row = next[expert - local.first]++;
                tables.at(kPermutedToToken)[row] = token;
                tables.at(kPermutedToExpanded)[row] = expanded;
            }
            tables.at(kExpandedToPermuted)[expanded] = row;
        }
    }
}

}  // namespace

void kernel_main() {
    const uint32_t ids_addr = get_arg_val<uint32_t>(0);
    const uint32_t first_expert = get_arg_val<uint32_t>(1);
    const uint32_t num_tokens = get_compile_time_arg_val(0);
    const uint32_t top_k = get_compile_time_arg_val(1);
    const uint32_t num_local = get_compile_time_arg_val(3);
    const uint32_t tile = get_compile_time_arg_val(4);
    constexpr auto ids_args = TensorAccessorArgs<15>();
    const TensorAccessor outputs[kNumTables] = {
        TensorAccessor(TensorAccessorArgs<17>(), get_arg_val<uint32_t>(2)),
        TensorAccessor(TensorAccessorArgs<19>(), get_arg_val<uint32_t>(3)),
        TensorAccessor(TensorAccessorArgs<21>(), get_arg_val<uint32_t>(4)),
        TensorAccessor(TensorAccessorArgs<23>(), get_arg_val<uint32_t>(5)),
        TensorAccessor(TensorAccessorArgs<25>(), get_arg_val<uint32_t>(6)),
        TensorAccessor(TensorAccessorArgs<27>(), get_arg_val<uint32_t>(7)),
        TensorAccessor(TensorAccessorArgs<29>(), get_arg_val<uint32_t>(8)),
        TensorAccessor(TensorAccessorArgs<31>(), get_arg_val<uint32_t>(9)),
        TensorAccessor(TensorAccessorArgs<33>(), get_arg_val<uint32_t>(10)),
        TensorAccessor(TensorAccessorArgs<35>(), get_arg_val<uint32_t>(11))};

    // Extents come from the host, so that kernel and output tensors cannot differ.
    Tables tables;
    uint32_t l1_addr = get_write_ptr(kCbScratch);
    for (uint32_t i = 0; i < kNumTables; ++i) {
        tables.length[i] = get_compile_time_arg_val(5 + i);
        tables.l1[i] = l1_addr;
        l1_addr += aligned(tables.length[i] * sizeof(uint32_t));
    }
    const auto next = reinterpret_cast<Words>(l1_addr);
    const Choices choices{l1_addr + aligned(num_local * sizeof(uint32_t)),
                          aligned(top_k * sizeof(uint32_t)), num_tokens, top_k};
    const LocalExperts local{first_expert, num_local};

    read_choices(TensorAccessor(ids_args, ids_addr), choices);
    count(choices, local, tables);
    lay_out(local, tile, tables, next);
    permute(choices, local, tables, next);
    // Whole tables are stored once, from L1, instead of entry by entry.
    for (uint32_t i = 0; i < kNumTables; ++i) {
        noc_async_write(tables.l1[i], outputs[i].get_noc_addr(0),
                        tables.length[i] * sizeof(uint32_t));
    }
    noc_async_write_barrier();
}
