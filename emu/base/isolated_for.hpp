// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/parallel_for.h>

#include <cstddef>

namespace tessera {

/// Calls visit(i) for each i below `count`, in parallel. Isolated: an exception in a concurrent task
/// cancels its task group and all loops nested in it, so a loop without isolation could end early
/// without a notice.
template <class Visit>
void isolated_for(std::size_t count, const Visit& visit) {
    tbb::task_group_context context(tbb::task_group_context::isolated);
    tbb::parallel_for(std::size_t{0}, count, visit, context);
}

}  // namespace tessera
