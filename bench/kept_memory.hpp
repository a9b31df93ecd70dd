// SPDX-License-Identifier: Apache-2.0
// Memory settings of the command `tessera`: touched memory is kept.
#pragma once

#include <malloc.h>

#include <limits>

namespace tessera::bench {

inline void keep_freed_memory() {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace tessera::bench
