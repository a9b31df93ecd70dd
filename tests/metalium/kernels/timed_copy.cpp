// SPDX-License-Identifier: Apache-2.0
// Notes the wall clock before and after a read, and prints what it read. Arguments: address of the
// page, address of the notes.
#include "dataflow_api.h"
#include "debug/dprint.h"
#include "tools/profiler/kernel_profiler.hpp"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    constexpr auto cb = tt::CBIndex::c_0;
    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(cb));
    volatile tt_l1_ptr uint32_t* notes = (volatile tt_l1_ptr uint32_t*)get_arg_val<uint32_t>(1);
    cb_reserve_back(cb, 1);
    notes[0] = *(volatile tt_reg_ptr uint32_t*)RISCV_DEBUG_REG_WALL_CLOCK_L;
    {
        DeviceZoneScopedN("timed read");
        noc_async_read_tile(0, source, get_write_ptr(cb));
        noc_async_read_barrier();
    }
    notes[1] = *(volatile tt_reg_ptr uint32_t*)RISCV_DEBUG_REG_WALL_CLOCK_L;
    const volatile uint32_t* words = (const volatile uint32_t*)get_write_ptr(cb);
    DPRINT << "first word " << HEX() << words[0] << DEC() << " of " << get_tile_size(cb) << ENDL();
    DEVICE_PRINT("last word {}\n", words[511]);
}
