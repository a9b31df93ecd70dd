// SPDX-License-Identifier: Apache-2.0
// Counts the choices of each expert, lays their blocks out one after the other, and places the
// choices in the order of the tokens.
#include "../../shared/expert_rows/kernels/table_words.hpp"
#include "../../shared/kernels/fill_l1.hpp"
#include "../../shared/kernels/for_each_word.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::moe_align_block_size;

constexpr uint32_t cb_ids = index_of(Cb::Ids);
constexpr uint32_t cb_map = index_of(Cb::Map);
constexpr uint32_t cb_experts = index_of(Cb::Experts);
constexpr uint32_t cb_sorted = index_of(Cb::Sorted);
constexpr uint32_t cb_blocks = index_of(Cb::Blocks);
constexpr uint32_t cb_rows = index_of(Cb::Rows);

struct Shapes {
    uint32_t tokens;
    uint32_t top_k;
    uint32_t page_words;  // words of a token's ids in L1
    uint32_t num_experts;
    uint32_t block_size;
    uint32_t entries;
    uint32_t blocks;
    bool has_map;
    bool ignores_invalid;
    uint32_t tokens_at_once;
    uint32_t live_tokens;  // those after choose nothing
};

struct Experts {
    const Shapes& shapes;
    tt_l1_ptr uint32_t* map;
    tt_l1_ptr uint32_t* words;  // one for each expert

    uint32_t local(uint32_t expert) const { return shapes.has_map ? map[expert] : expert; }
    bool is_listed(uint32_t expert) const {
        return expert < shapes.num_experts && !(shapes.ignores_invalid && local(expert) == kNobody);
    }
};

// Calls `act(expert, index, entry)` for each choice that is listed, tokens ascending; `done(first,
// count)` when some tokens are through. `has_ids`: L1 has the ids of a pass before, if all fit.
template <class Ids, class Act, class Done>
void for_each_choice(const Ids& ids, const Experts& experts, bool has_ids, Act act, Done done) {
    const Shapes& shapes = experts.shapes;
    const uint32_t ids_l1 = get_write_ptr(cb_ids);
    for (uint32_t first = 0; first < shapes.tokens; first += shapes.tokens_at_once) {
        const uint32_t left = shapes.tokens - first;
        const uint32_t count = left < shapes.tokens_at_once ? left : shapes.tokens_at_once;
        if (!has_ids || count != shapes.tokens) {
            read_pages(ids, first, count, ids_l1, shapes.page_words * 4, shapes.top_k * 4);
        }
        for (uint32_t token = 0; token < count; ++token) {
            const uint32_t at = token * shapes.page_words;
            // Tokens beyond the count have stale ids. They choose no expert, but their rows of the
            // table are written.
            const bool is_live = first + token < shapes.live_tokens;
            const uint32_t index = (first + token) * shapes.top_k;
            for_each_word(words_at(ids_l1) + at, shapes.top_k, [&](uint32_t k, uint32_t expert) {
                act(is_live ? expert : kNobody, index + k, at + k);
            });
        }
        done(first, count);
    }
}

// Turns the counts into the place of each expert's first choice. Returns the end of all blocks.
uint32_t lay_out(const Experts& experts, tt_l1_ptr uint32_t* blocks) {
    const Shapes& shapes = experts.shapes;
    // vLLM leaves the tail behind the last block undefined (0 or -1, by version); here it is -1 in
    // every call.
    fill_l1(get_write_ptr(cb_blocks), shapes.blocks * 4, kNobody);
    uint32_t block = 0;
    for (uint32_t expert = 0; expert < shapes.num_experts; ++expert) {
        const uint32_t count = experts.words[expert];
        // The count's word becomes the place of the expert's next choice, which saves a second
        // table.
        experts.words[expert] = block * shapes.block_size;
        for (uint32_t placed = 0; placed < count; placed += shapes.block_size) {
            blocks[block++] = experts.local(expert);
        }
    }
    return block * shapes.block_size;
}

// Returns the number of tokens that the device counted, at most `most`.
uint32_t count_tokens(uint32_t most) {
    const auto count = TensorAccessor(AlignTensors::count(), AlignTensors::count_address());
    read_pages(count, 0, 1, get_write_ptr(cb_ids), 0, 4);
    const uint32_t given = words_at(get_write_ptr(cb_ids))[0];
    return given < most ? given : most;
}

Shapes shapes_of(const AlignArgs& args) {
    return {.tokens = args.num_tokens,
            .top_k = args.top_k,
            .page_words = args.ids_page / 4,
            .num_experts = args.num_experts,
            .block_size = args.block_size,
            .entries = args.entries,
            .blocks = args.num_blocks,
            .has_map = args.has_map != 0,
            .ignores_invalid = args.ignores_invalid != 0,
            .tokens_at_once = args.tokens_at_once,
            .live_tokens = args.num_tokens};
}

// Counts the choices of each expert.
template <class Ids>
void count_choices(const Ids& ids, const Experts& experts) {
    fill_l1(get_write_ptr(cb_experts), experts.shapes.num_experts * 4, 0);
    for_each_choice(
        ids, experts, false,
        [&](uint32_t expert, uint32_t, uint32_t) {
            if (experts.is_listed(expert)) {
                experts.words[expert] += 1;
            }
        },
        [](uint32_t, uint32_t) {});
}

// Places each listed choice in its expert's blocks, and stores the place of each choice.
template <class Ids, class Rows>
void place_choices(const Ids& ids, const Rows& rows_out, const Experts& experts) {
    const Shapes& shapes = experts.shapes;
    tt_l1_ptr uint32_t* sorted = words_at(get_write_ptr(cb_sorted));
    tt_l1_ptr uint32_t* rows = words_at(get_write_ptr(cb_rows));
    // Entries that no choice takes point one beyond the last choice.
    fill_l1(get_write_ptr(cb_sorted), shapes.entries * 4, shapes.tokens * shapes.top_k);
    for_each_choice(
        ids, experts, true,
        [&](uint32_t expert, uint32_t index, uint32_t entry) {
            rows[entry] = kNobody;
            if (experts.is_listed(expert)) {
                const uint32_t place = experts.words[expert]++;
                sorted[place] = index;
                rows[entry] = experts.local(expert) == kNobody ? kNobody : place;
            }
        },
        [&](uint32_t first, uint32_t count) {
            write_pages(rows_out, first, count, get_write_ptr(cb_rows), shapes.page_words * 4,
                        shapes.top_k * 4);
        });
}

}  // namespace

void kernel_main() {
    const auto args = AlignArgs::read();
    Shapes shapes = shapes_of(args);
    const auto ids = TensorAccessor(AlignTensors::ids(), AlignTensors::ids_address());
    const auto map = TensorAccessor(AlignTensors::map(), AlignTensors::map_address());
    const auto sorted_out = TensorAccessor(AlignTensors::sorted(), AlignTensors::sorted_address());
    const auto blocks_out = TensorAccessor(AlignTensors::blocks(), AlignTensors::blocks_address());
    const auto total_out = TensorAccessor(AlignTensors::total(), AlignTensors::total_address());
    const auto rows_out = TensorAccessor(AlignTensors::rows(), AlignTensors::rows_address());

    if (args.has_count != 0) {
        shapes.live_tokens = count_tokens(shapes.tokens);
    }
    if (shapes.has_map) {
        read_pages(map, 0, 1, get_write_ptr(cb_map), 0, shapes.num_experts * 4);
    }
    const Experts experts{shapes, words_at(get_write_ptr(cb_map)),
                          words_at(get_write_ptr(cb_experts))};
    // Two passes over the ids: no choice has a place before all are counted. Many tokens are read
    // again, since keeping their ids in L1 would limit their number.
    count_choices(ids, experts);
    const uint32_t total = lay_out(experts, words_at(get_write_ptr(cb_blocks)));
    place_choices(ids, rows_out, experts);

    noc_async_write(get_write_ptr(cb_sorted), sorted_out.get_noc_addr(0), shapes.entries * 4);
    noc_async_write(get_write_ptr(cb_blocks), blocks_out.get_noc_addr(0), shapes.blocks * 4);
    // The ids are done: their buffer carries the total.
    words_at(get_write_ptr(cb_ids))[0] = total;
    noc_async_write(get_write_ptr(cb_ids), total_out.get_noc_addr(0), 4);
    // One barrier: the three tables leave L1 at the same time.
    noc_async_write_barrier();
}
