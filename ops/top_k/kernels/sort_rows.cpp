// SPDX-License-Identifier: Apache-2.0
// Sorts this processor's rows and stores the first columns: for short rows, in which finding a
// threshold first takes longer.
#include "../../shared/kernels/word_list.hpp"
#include "sorted_columns.hpp"

void kernel_main() {
    const auto range = RowRange::read();
    const auto args = SelectArgs::read();
    const TensorAccessor scores(SelectTensors::scores(),
                                SelectTensors::scores_address(RowRange::kCount));
    const TensorAccessor position_list(SelectTensors::positions(),
                                       SelectTensors::positions_address(RowRange::kCount));
    const TensorAccessor output(SelectTensors::indices(),
                                SelectTensors::indices_address(RowRange::kCount));
    WordList<PageAccessor> positions{position_list, args.list_width == 0 ? 1 : args.list_width,
                                     own_l1(Cb::Positions)};
    const auto ids = reinterpret_cast<Words>(own_l1(Cb::Scores));
    for (uint32_t row = range.first_row; row < range.first_row + range.num_rows; ++row) {
        const uint32_t visible = visible_columns(args, positions, row);
        gather_all(read_columns(scores, row, {0, visible}), {0, visible});
        const Entries sorted = sort_entries(visible);
        // The scores have been read, so that the ids may replace them.
        for (uint32_t i = 0; i < args.k; ++i) {
            ids[i] = i < visible ? result_of(sorted[i]) : kNoColumn;
        }
        noc_async_write(own_l1(Cb::Scores), output.get_noc_addr(row), args.k * sizeof(uint32_t));
        noc_async_write_barrier();  // the next row is sorted in the same place
    }
}
