// SPDX-License-Identifier: Apache-2.0
// Stores the rows of this core's units.
#include "units.hpp"

void kernel_main() {
    constexpr uint32_t cb_counts = 4;
    constexpr uint32_t cb_out = 16;
    const uint32_t first_unit = get_arg_val<uint32_t>(2);
    const uint32_t num_units = get_arg_val<uint32_t>(3);
    constexpr auto output_args = TensorAccessorArgs<10>();
    constexpr auto counts_args = TensorAccessorArgs<output_args.next_compile_time_args_offset()>();
    const auto output = TensorAccessor(output_args, get_arg_val<uint32_t>(0));
    const auto counts = TensorAccessor(counts_args, get_arg_val<uint32_t>(1));
    const Units units = units_with(counts, cb_counts, first_unit, num_units);

    for (uint32_t unit = first_unit; unit < first_unit + num_units; ++unit) {
        if (!units.has_rows(unit)) {
            continue;
        }
        cb_wait_front(cb_out, units.unit_tiles);
        for (uint32_t i = 0; i < units.unit_rows; ++i) {
            const uint32_t row = unit * units.unit_rows + i;
            if (units.counted.is_counted(row)) {
                noc_async_write(get_read_ptr(cb_out) + i * units.row_stride,
                                output.get_noc_addr(row), units.row_bytes);
            }
        }
        noc_async_writes_flushed();
        cb_pop_front(cb_out, units.unit_tiles);
    }
    noc_async_write_barrier();
}
