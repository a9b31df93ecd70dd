// SPDX-License-Identifier: Apache-2.0
// Adds two words of L1 on the data movement processor. Arguments: L1 addresses of both and the sum.
#include "dataflow_api.h"

void kernel_main() {
    const auto* a = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(0));
    const auto* b = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(1));
    auto* sum = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_arg_val<uint32_t>(2));
    *sum = *a + *b;
}
