// SPDX-License-Identifier: Apache-2.0
// Makes rows [first, first + count) of ranges of input rows, a block of them at a time.
#include "../../kernels/aligned_read.hpp"
#include "../../kernels/arithmetic.hpp"

namespace {

constexpr uint32_t kCbRows = 0;
constexpr uint32_t kCbDetour = 1;

struct Range {
    TensorAccessor tensor;
    uint32_t first;  // bytes
    uint32_t count;
    uint32_t stride;

    void read(uint32_t page, uint32_t part, uint32_t l1_addr, uint32_t alignment) const {
        read_range(tensor, page, part * stride + first, l1_addr, count, alignment,
                   get_write_ptr(kCbDetour));
    }
};

}  // namespace

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0);
    const uint32_t end = first + get_arg_val<uint32_t>(1);
    const uint32_t page_bytes = get_compile_time_arg_val(0);
    const uint32_t block = get_compile_time_arg_val(1);
    const uint32_t groups = get_compile_time_arg_val(2);
    const uint32_t split = get_compile_time_arg_val(3);
    const uint32_t num_ranges = get_compile_time_arg_val(4);
    const uint32_t alignment = get_compile_time_arg_val(11);
    const Range ranges[]{{TensorAccessor(TensorAccessorArgs<12>(), get_arg_val<uint32_t>(2)),
                          static_cast<uint32_t>(get_compile_time_arg_val(5)),
                          static_cast<uint32_t>(get_compile_time_arg_val(6)),
                          static_cast<uint32_t>(get_compile_time_arg_val(7))},
                         {TensorAccessor(TensorAccessorArgs<14>(), get_arg_val<uint32_t>(3)),
                          static_cast<uint32_t>(get_compile_time_arg_val(8)),
                          static_cast<uint32_t>(get_compile_time_arg_val(9)),
                          static_cast<uint32_t>(get_compile_time_arg_val(10))}};

    // Blocks of rows share a barrier; half of the buffer is read while the writer stores the other
    // half.
    for (uint32_t row = first; row < end; row += block) {
        cb_reserve_back(kCbRows, block);
        for (uint32_t i = 0; i < smaller(block, end - row); ++i) {
            uint32_t l1_addr = get_write_ptr(kCbRows) + i * page_bytes;
            for (uint32_t group = 0; group < groups; ++group) {
                const uint32_t part = (row + i) * groups + group;
                // Ranges are put one behind the other. A range whose alignment differs goes through
                // the detour, which costs a barrier and a loop over its bytes.
                for (uint32_t range = 0; range < num_ranges; ++range) {
                    ranges[range].read(part / split, part % split, l1_addr, alignment);
                    l1_addr += ranges[range].count;
                }
            }
        }
        noc_async_read_barrier();
        cb_push_back(kCbRows, block);
    }
}
