// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/match_steps.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace tessera::compare {
namespace {

/// How many steps of this name came before, for each step.
std::vector<std::size_t> ordinals_of(const std::vector<StepFigures>& steps) {
    std::map<std::string, std::size_t> seen;
    std::vector<std::size_t> ordinals;
    for (const StepFigures& step : steps) {
        ordinals.push_back(seen[step.name]++);
    }
    return ordinals;
}

}  // namespace

std::vector<StepPair> match_steps(const std::vector<StepFigures>& a,
                                  const std::vector<StepFigures>& b) {
    const std::vector<std::size_t> ordinals_a = ordinals_of(a);
    const std::vector<std::size_t> ordinals_b = ordinals_of(b);
    std::vector<bool> is_taken(b.size());
    std::vector<std::size_t> partner(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) {
            if (a[i].name == b[j].name && ordinals_a[i] == ordinals_b[j]) {
                partner[i] = j;
                is_taken[j] = true;
            }
        }
    }
    std::vector<StepPair> pairs;
    std::size_t next_b = 0;
    const auto take_unmatched_before = [&](std::size_t end) {
        for (; next_b < end; ++next_b) {
            if (!is_taken[next_b]) {
                pairs.push_back({nullptr, &b[next_b]});
            }
        }
    };
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (partner[i] != b.size()) {
            take_unmatched_before(partner[i]);
        }
        pairs.push_back({&a[i], partner[i] == b.size() ? nullptr : &b[partner[i]]});
    }
    take_unmatched_before(b.size());
    return pairs;
}

}  // namespace tessera::compare
