// SPDX-License-Identifier: Apache-2.0
// Stores the rows of this core's units.
#include "units.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::activation;

constexpr uint32_t cb_counts = index_of(Cb::WriterCounts);
constexpr uint32_t cb_out = index_of(Cb::Output);

}  // namespace

void kernel_main() {
    const auto range = UnitRange::read();
    const auto output =
        TensorAccessor(WriterTensors::output(), WriterTensors::output_address(UnitRange::kCount));
    const auto counts =
        TensorAccessor(WriterTensors::counts(), WriterTensors::counts_address(UnitRange::kCount));
    const Units units = units_with(counts, cb_counts, range);

    for (uint32_t i = 0; i < range.num_units; ++i) {
        const uint32_t unit = range.first_unit + i * range.step;
        if (!units.has_rows(unit)) {
            continue;
        }
        cb_wait_front(cb_out, units.unit_tiles);
        for (uint32_t place = 0; place < units.unit_rows; ++place) {
            const uint32_t row = unit * units.unit_rows + place;
            // The unit's other rows mean nothing and are not stored.
            if (units.counted.is_counted(row)) {
                noc_async_write(get_read_ptr(cb_out) + place * units.row_stride,
                                output.get_noc_addr(row), units.row_bytes);
            }
        }
        // The unit's data has left L1; one barrier at the end waits for its arrival.
        noc_async_writes_flushed();
        cb_pop_front(cb_out, units.unit_tiles);
    }
    noc_async_write_barrier();
}
