// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/name_pattern.hpp"

#include <utility>
#include <vector>

namespace tessera::pipeline {

// One row of a table for each end of `a`: a recursion takes exponential time for patterns of stars.
bool patterns_overlap(std::string_view a, std::string_view b) {
    // later[j]: the end of `a` behind the current letter and the end of `b` from j on overlap.
    std::vector<bool> later;
    for (std::size_t i = a.size() + 1; i-- > 0;) {
        std::vector<bool> fits(b.size() + 1);
        for (std::size_t j = b.size() + 1; j-- > 0;) {
            const bool has_a = i < a.size();
            const bool has_b = j < b.size();
            const bool skips_a = has_a && (a[i] == '*' || (has_b && b[j] == '*')) && later[j];
            const bool skips_b = has_b && (b[j] == '*' || (has_a && a[i] == '*')) && fits[j + 1];
            const bool is_same = has_a && has_b && a[i] == b[j] && later[j + 1];
            fits[j] = skips_a || skips_b || is_same || (!has_a && !has_b);
        }
        later = std::move(fits);
    }
    return later.front();
}

}  // namespace tessera::pipeline
