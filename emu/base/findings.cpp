// SPDX-License-Identifier: Apache-2.0
#include "tessera/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

void merge_findings(std::vector<Finding>& all, const std::vector<Finding>& more) {
    for (const Finding& finding : more) {
        const auto same = [&](const Finding& other) {
            return other.kind == finding.kind && other.line == finding.line &&
                   other.file == finding.file && other.text == finding.text;
        };
        const auto found = std::ranges::find_if(all, same);
        if (found == all.end()) {
            all.push_back(finding);
        } else {
            found->num_cores += finding.num_cores;
            found->num_calls += finding.num_calls;
        }
    }
}

std::string text_of(const Finding& finding) {
    return fmt::format("tolerated: {}, {}:{}, {} core{}: {}", finding.text, finding.file,
                       finding.line, finding.num_cores, finding.num_cores == 1 ? "" : "s",
                       finding.detail);
}

}  // namespace tessera
