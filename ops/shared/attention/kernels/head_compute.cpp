// SPDX-License-Identifier: Apache-2.0
// Attention of several strips of queries to the keys of one head, with sinks.
#include "attend.hpp"

void kernel_main() {
    attend_units<ManyStrips>();
}
