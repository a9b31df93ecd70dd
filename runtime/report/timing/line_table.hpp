// SPDX-License-Identifier: Apache-2.0
// Table of the kernel lines of a launch without duplicates; threads number their lines separately.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

class LineTable {
public:
    /// Errors   InternalError if a site names a file that `names` does not hold.
    LineTable(const std::vector<std::string>& names, const LaunchTimeline& timeline);

    /// Returns the index into lines() of a thread's site; 0 is "no line".
    [[nodiscard]] std::uint32_t index(std::uint32_t thread, std::uint16_t site) const;
    [[nodiscard]] const std::vector<SourceLine>& lines() const noexcept { return lines_; }

private:
    std::vector<SourceLine> lines_{{}};
    std::vector<std::vector<std::uint32_t>> by_thread_;
};

}  // namespace tessera::report
