// SPDX-License-Identifier: Apache-2.0
// Finds the contributions to each of this core's tokens and pushes their number. Their values
// with the weight follow, chunk by chunk of the row.
#include "../../shared/expert_rows/kernels/table_words.hpp"
#include "../../shared/kernels/push_word.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::moe_sum;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_weights = index_of(Cb::Weights);
constexpr uint32_t cb_contributions = index_of(Cb::Contributions);
constexpr uint32_t cb_row_table = index_of(Cb::RowTable);
constexpr uint32_t cb_weight_table = index_of(Cb::WeightTable);
constexpr uint32_t cb_chosen = index_of(Cb::Chosen);
constexpr uint32_t kTileBytes = 2048;

struct Choices {
    uint32_t top_k;
    uint32_t page_words;  // words of a token's entries in L1
    bool has_rows;
    bool has_weights;
    bool says_place;
    bool by_row;
};

struct Contribution {
    uint32_t row;
    uint32_t weight;
};

// Insertion sort: a list has at most top_k entries, so a faster algorithm would make no difference.
void insert_by_row(tt_l1_ptr Contribution* list, uint32_t length) {
    for (uint32_t i = length; i > 0 && list[i].row < list[i - 1].row; --i) {
        const Contribution held = {list[i].row, list[i].weight};
        list[i].row = list[i - 1].row;
        list[i].weight = list[i - 1].weight;
        list[i - 1].row = held.row;
        list[i - 1].weight = held.weight;
    }
}

// Lists the contributions to a token, whose rows of the tables are in page `slot` of the buffers, and
// returns their number.
uint32_t list_token(const Choices& choices, uint32_t token, uint32_t slot,
                    tt_l1_ptr Contribution* list) {
    const tt_l1_ptr uint32_t* rows =
        words_at(get_write_ptr(cb_row_table)) + slot * choices.page_words;
    const tt_l1_ptr uint32_t* weights =
        words_at(get_write_ptr(cb_weight_table)) + slot * choices.page_words;
    uint32_t length = 0;
    for (uint32_t k = 0; k < choices.top_k; ++k) {
        const uint32_t own = token * choices.top_k + k;
        const uint32_t entry = choices.has_rows ? rows[k] : own;
        if (entry == kNobody) {
            continue;
        }
        list[length].row = choices.says_place ? entry : own;
        list[length].weight = choices.has_weights ? weights[k] : 0;
        if (choices.by_row) {
            insert_by_row(list, length);
        }
        length += 1;
    }
    return length;
}

// Hands over the contributions to one token.
template <class Accessor>
void push_token(const Accessor& outputs, const tt_l1_ptr Contribution* list, uint32_t length,
                uint32_t row_bytes, uint32_t chunk_tiles, bool has_weights) {
    const uint32_t chunk_bytes = chunk_tiles * kTileBytes;
    // The number is pushed first, because compute needs it before it waits for the first row.
    push_word(cb_contributions, length);
    // Chunks are the outer loop: DST holds the sums of one chunk, over all contributions.
    for (uint32_t offset = 0; offset < row_bytes; offset += chunk_bytes) {
        const uint32_t left = row_bytes - offset;
        for (uint32_t i = 0; i < length; ++i) {
            cb_reserve_back(cb_rows, chunk_tiles);
            noc_async_read(outputs.get_noc_addr(list[i].row, offset), get_write_ptr(cb_rows),
                           left < chunk_bytes ? left : chunk_bytes);
            // The weight is handed over while the row is on its way.
            if (has_weights) {
                push_word(cb_weights, list[i].weight);
            }
            noc_async_read_barrier();
            cb_push_back(cb_rows, chunk_tiles);
        }
    }
}

}  // namespace

void kernel_main() {
    const auto range = TokenRange::read(ReaderTensors::Addresses::kCount);
    const auto args = ReaderArgs::read();
    const Choices choices{.top_k = args.top_k,
                          .page_words = args.table_page / 4,
                          .has_rows = args.has_rows != 0,
                          .has_weights = args.has_weights != 0,
                          .says_place = args.says_place != 0,
                          .by_row = args.by_row != 0};
    const auto outputs = TensorAccessor(ReaderTensors::outputs(), ReaderTensors::outputs_address());
    const auto rows = TensorAccessor(ReaderTensors::rows(), ReaderTensors::rows_address());
    const auto weights = TensorAccessor(ReaderTensors::weights(), ReaderTensors::weights_address());

    auto* list = reinterpret_cast<tt_l1_ptr Contribution*>(get_write_ptr(cb_chosen));
    // Tables are read 64 tokens at a time, so L1 does not limit the number of tokens.
    for (uint32_t done = 0; done < range.num_tokens; done += args.tokens_at_once) {
        const uint32_t left = range.num_tokens - done;
        const uint32_t count = left < args.tokens_at_once ? left : args.tokens_at_once;
        const uint32_t first = range.first_token + done;
        if (choices.has_rows) {
            read_pages(rows, first, count, get_write_ptr(cb_row_table), args.table_page,
                       choices.top_k * 4);
        }
        if (choices.has_weights) {
            read_pages(weights, first, count, get_write_ptr(cb_weight_table), args.table_page,
                       choices.top_k * 4);
        }
        for (uint32_t slot = 0; slot < count; ++slot) {
            const uint32_t length = list_token(choices, first + slot, slot, list);
            push_token(outputs, list, length, args.row_bytes, args.chunk_tiles,
                       choices.has_weights);
        }
    }
}
