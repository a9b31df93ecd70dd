// SPDX-License-Identifier: Apache-2.0
// Selects and sorts the largest elements of this core's rows.
#include "../../shared/kernels/word_list.hpp"
#include "args.hpp"
#include "entries.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::top_k;

// Two processors of a core may select, each in circular buffers of its own.
uint32_t own(Cb cb) {
    return index_of(cb) + SelectArgs::read().first_cb;
}

// The order of the k-th largest of `count` elements, and how many of those equal to it belong to
// the k.
struct Threshold {
    uint32_t order;
    uint32_t num_equal;
};

Threshold find_threshold(const Words scores, uint32_t count, uint32_t k, Words histogram) {
    uint32_t prefix = 0;
    uint32_t shift = 32;
    // Digit by digit from the top: each pass keeps the elements whose higher digits are those of
    // the threshold. Time is linear in the columns, unlike that of a sort.
    for (const uint32_t bits : kDigitBits) {
        const uint32_t size = 1U << bits;
        const uint32_t above = shift;
        shift -= bits;
        for (uint32_t digit = 0; digit < size; ++digit) {
            histogram[digit] = 0;
        }
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t order = scores[i];
            if (above == 32 || order >> above == prefix) {
                histogram[order >> shift & (size - 1)] += 1;
            }
        }
        // The histogram is walked from the largest digit until k elements are found.
        uint32_t digit = size - 1;
        while (histogram[digit] < k) {
            k -= histogram[digit];
            digit -= 1;
        }
        prefix = prefix << bits | digit;
    }
    return {prefix, k};
}

// Takes the elements above the threshold, and as many equal to it as belong to the k, by column.
uint32_t take(const Words scores, uint32_t count, Threshold threshold, Entries chosen) {
    uint32_t taken = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const bool is_equal = scores[i] == threshold.order;
        // Equal elements are taken in the order of their columns until the k are full.
        if (scores[i] > threshold.order || (is_equal && threshold.num_equal > 0)) {
            threshold.num_equal -= is_equal ? 1 : 0;
            chosen[taken] = {scores[i], i};
            taken += 1;
        }
    }
    return taken;
}

// Buffers of this processor.
struct Buffers {
    Words scores = reinterpret_cast<Words>(get_write_ptr(own(Cb::Scores)));
    Words histogram = reinterpret_cast<Words>(get_write_ptr(own(Cb::Histogram)));
    Entries chosen = reinterpret_cast<Entries>(get_write_ptr(own(Cb::Chosen)));
    Entries sorted = reinterpret_cast<Entries>(get_write_ptr(own(Cb::Sorted)));
    Words ids = reinterpret_cast<Words>(get_write_ptr(own(Cb::Sorted)));
};

// Writes the columns of the `wanted` largest of `visible` scores in descending order, and −1 for
// masked columns and the rest of k.
void select(const Buffers& buffers, uint32_t visible, uint32_t wanted, uint32_t k) {
    // Orders are computed once and reused by the three passes of the threshold.
    for (uint32_t i = 0; i < visible; ++i) {
        buffers.scores[i] = order_of(buffers.scores[i]);
    }
    if (wanted > 0) {
        take(buffers.scores, visible,
             find_threshold(buffers.scores, visible, wanted, buffers.histogram), buffers.chosen);
    }
    // Ids are written over the sorted entries, so they are set aside first.
    sort_by_digit(buffers.chosen, buffers.sorted, wanted, 0, 11, buffers.histogram);
    sort_by_digit(buffers.sorted, buffers.chosen, wanted, 11, 11, buffers.histogram);
    sort_by_digit(buffers.chosen, buffers.sorted, wanted, 22, 10, buffers.histogram);
    for (uint32_t i = 0; i < wanted; ++i) {
        buffers.chosen[i].column = result_of(buffers.sorted[i]);
    }
    for (uint32_t i = 0; i < k; ++i) {
        buffers.ids[i] = i < wanted ? buffers.chosen[i].column : kNoColumn;
    }
}

}  // namespace

void kernel_main() {
    const auto range = RowRange::read();
    const auto args = SelectArgs::read();
    const uint32_t columns = args.columns;
    const uint32_t k = args.k;
    const uint32_t list_width = args.list_width;
    const TensorAccessor input(SelectTensors::scores(),
                               SelectTensors::scores_address(RowRange::kCount));
    const TensorAccessor position_list(SelectTensors::positions(),
                                       SelectTensors::positions_address(RowRange::kCount));
    const TensorAccessor output(SelectTensors::indices(),
                                SelectTensors::indices_address(RowRange::kCount));

    WordList<PageAccessor> positions{position_list, list_width == 0 ? 1 : list_width,
                                     get_write_ptr(own(Cb::Positions))};
    const Buffers buffers;
    for (uint32_t row = range.first_row; row < range.first_row + range.num_rows; ++row) {
        const auto last = list_width == 0 ? static_cast<int32_t>(columns) - 1
                                          : static_cast<int32_t>(positions.at(row));
        const uint32_t seen = last < 0 ? 0 : static_cast<uint32_t>(last) + 1;
        const uint32_t visible = seen < columns ? seen : columns;
        const uint32_t wanted = visible < k ? visible : k;
        if (wanted > 0) {
            noc_async_read(input.get_noc_addr(row), get_write_ptr(own(Cb::Scores)),
                           visible * sizeof(uint32_t));
            noc_async_read_barrier();
        }
        select(buffers, visible, wanted, k);
        noc_async_write(get_write_ptr(own(Cb::Sorted)), output.get_noc_addr(row),
                        k * sizeof(uint32_t));
        noc_async_write_barrier();  // the next row is sorted in the same place
    }
}
