// SPDX-License-Identifier: Apache-2.0
// Puts this core's rows of the output together, each a column of the input that the table names.
#include "args.hpp"
#include "dataflow_api.h"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::gather_columns;

constexpr uint32_t kCbRow = index_of(Cb::Row);
constexpr uint32_t kCbTable = index_of(Cb::Table);
constexpr uint32_t kCbInput = index_of(Cb::Input);
constexpr uint32_t kAlignment = 64;
constexpr uint32_t kNone = 0xFFFFFFFF;

using Words = volatile tt_l1_ptr uint32_t*;

void read_table(const PageAccessor& table, uint32_t skipped, uint32_t first_byte, uint32_t bytes) {
    // The read begins before the first index: DRAM reads need source and destination equal modulo
    // 64 bytes.
    noc_async_read(table.get_noc_addr(0, first_byte - skipped), get_write_ptr(kCbTable),
                   skipped + bytes);
    noc_async_read_barrier();
}

// Reads all rows of the input. A column is strided in memory, so reading it from DRAM word by word
// would take one request per word.
void read_input(const PageAccessor& input, uint32_t rows, uint32_t stride, uint32_t bytes) {
    for (uint32_t row = 0; row < rows; ++row) {
        noc_async_read(input.get_noc_addr(row), get_write_ptr(kCbInput) + row * stride, bytes);
    }
    noc_async_read_barrier();
}

void pick_column(uint32_t column, uint32_t rows, uint32_t stride, uint32_t row_l1) {
    for (uint32_t row = 0; row < rows; ++row) {
        reinterpret_cast<Words>(row_l1)[row] =
            reinterpret_cast<Words>(get_write_ptr(kCbInput) + row * stride)[column];
    }
}

}  // namespace

void kernel_main() {
    const auto range = RowRange::read();
    const auto args = GatherArgs::read();
    const TensorAccessor input(GatherTensors::input(),
                               GatherTensors::input_address(RowRange::kCount));
    const TensorAccessor table(GatherTensors::indices(),
                               GatherTensors::indices_address(RowRange::kCount));
    const TensorAccessor output(GatherTensors::output(),
                                GatherTensors::output_address(RowRange::kCount));

    const uint32_t row_l1 = get_write_ptr(kCbRow);
    // Written once: rows without a column are sent from here.
    const uint32_t zeros_l1 = row_l1 + args.row_stride;
    for (uint32_t i = 0; i < args.row_stride / sizeof(uint32_t); ++i) {
        reinterpret_cast<Words>(zeros_l1)[i] = 0;
    }
    const uint32_t first_byte = range.first_row * sizeof(uint32_t);
    const uint32_t skipped = first_byte % kAlignment;
    if (args.has_indices != 0) {
        read_table(table, skipped, first_byte, range.num_rows * sizeof(uint32_t));
    }
    read_input(input, args.input_rows, args.input_stride, args.input_bytes);
    const auto indices = reinterpret_cast<Words>(get_write_ptr(kCbTable) + skipped);
    for (uint32_t i = 0; i < range.num_rows; ++i) {
        const uint32_t index = args.has_indices != 0 ? indices[i] : range.first_row + i;
        if (index != kNone) {
            pick_column(index, args.input_rows, args.input_stride, row_l1);
        }
        noc_async_write(index == kNone ? zeros_l1 : row_l1,
                        output.get_noc_addr(range.first_row + i), args.row_bytes);
        noc_async_write_barrier();  // the next row uses the same address
    }
}
