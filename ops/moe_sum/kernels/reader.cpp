// SPDX-License-Identifier: Apache-2.0
// Finds the contributions to each of this core's tokens, and hands over their number and, chunk by
// chunk of the row, their values with the weight.
#include "../../shared/expert_rows/kernels/table_words.hpp"
#include "../../shared/kernels/push_word.hpp"

namespace {

constexpr uint32_t cb_rows = 0;
constexpr uint32_t cb_weights = 1;
constexpr uint32_t cb_contributions = 2;
constexpr uint32_t cb_row_table = 3;
constexpr uint32_t cb_weight_table = 4;
constexpr uint32_t cb_chosen = 5;
constexpr uint32_t kTileBytes = 2048;

struct Choices {
    uint32_t top_k;
    uint32_t page_words;  // of a token's entries in L1
    bool has_rows;
    bool has_weights;
    bool says_place;
    bool by_row;
};

struct Contribution {
    uint32_t row;
    uint32_t weight;
};

void insert_by_row(tt_l1_ptr Contribution* list, uint32_t length) {
    for (uint32_t i = length; i > 0 && list[i].row < list[i - 1].row; --i) {
        const Contribution held = {list[i].row, list[i].weight};
        list[i].row = list[i - 1].row;
        list[i].weight = list[i - 1].weight;
        list[i - 1].row = held.row;
        list[i - 1].weight = held.weight;
    }
}

// Lists the contributions to the token in place `slot` of the tables.
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
    push_word(cb_contributions, length);
    for (uint32_t offset = 0; offset < row_bytes; offset += chunk_bytes) {
        const uint32_t left = row_bytes - offset;
        for (uint32_t i = 0; i < length; ++i) {
            cb_reserve_back(cb_rows, chunk_tiles);
            noc_async_read(outputs.get_noc_addr(list[i].row, offset), get_write_ptr(cb_rows),
                           left < chunk_bytes ? left : chunk_bytes);
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
    const uint32_t first_token = get_arg_val<uint32_t>(3);
    const uint32_t num_tokens = get_arg_val<uint32_t>(4);
    const uint32_t row_bytes = get_compile_time_arg_val(1);
    const uint32_t chunk_tiles = get_compile_time_arg_val(2);
    const uint32_t table_page = get_compile_time_arg_val(3);
    const uint32_t tokens_at_once = get_compile_time_arg_val(4);
    const Choices choices{get_compile_time_arg_val(0),      table_page / 4,
                          get_compile_time_arg_val(5) != 0, get_compile_time_arg_val(6) != 0,
                          get_compile_time_arg_val(7) != 0, get_compile_time_arg_val(8) != 0};
    constexpr auto outputs_args = TensorAccessorArgs<9>();
    constexpr auto rows_args = TensorAccessorArgs<outputs_args.next_compile_time_args_offset()>();
    constexpr auto weights_args = TensorAccessorArgs<rows_args.next_compile_time_args_offset()>();
    const auto outputs = TensorAccessor(outputs_args, get_arg_val<uint32_t>(0));
    const auto rows = TensorAccessor(rows_args, get_arg_val<uint32_t>(1));
    const auto weights = TensorAccessor(weights_args, get_arg_val<uint32_t>(2));

    auto* list = reinterpret_cast<tt_l1_ptr Contribution*>(get_write_ptr(cb_chosen));
    for (uint32_t done = 0; done < num_tokens; done += tokens_at_once) {
        const uint32_t left = num_tokens - done;
        const uint32_t count = left < tokens_at_once ? left : tokens_at_once;
        const uint32_t first = first_token + done;
        if (choices.has_rows) {
            read_pages(rows, first, count, get_write_ptr(cb_row_table), table_page,
                       choices.top_k * 4);
        }
        if (choices.has_weights) {
            read_pages(weights, first, count, get_write_ptr(cb_weight_table), table_page,
                       choices.top_k * 4);
        }
        for (uint32_t slot = 0; slot < count; ++slot) {
            const uint32_t length = list_token(choices, first + slot, slot, list);
            push_token(outputs, list, length, row_bytes, chunk_tiles, choices.has_weights);
        }
    }
}
