// SPDX-License-Identifier: Apache-2.0
// Sums over the intervals of the parts of one launch, and of the launch before: RunReplay does not
// replay a part again that the previous launch had.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "emu/timing/identical_devices.hpp"
#include "runtime/report/timing/interval_sums.hpp"

namespace tessera::timed_run {

class SumsOfParts {
public:
    /// Sums of parts by key.
    struct Keyed {
        timing::PartKey key;
        report::IntervalSums sums;
    };
    /// Sets the sums of parts that were replayed ahead (RunReplay::expect), for the next launch.
    void expect(std::vector<Keyed> sums);
    /// Begins a launch; the sums of the launch so far become those of the launch before.
    void begin(const timing::LaunchPartition& partition);
    /// Keeps the sums of a part; may be called from any host thread.
    void note(std::size_t part, report::IntervalSums sums);
    /// Returns the sums by part. A part that was not noted has those of an identical part.
    /// Errors   InternalError if there is none.
    [[nodiscard]] std::vector<const report::IntervalSums*> all(
        const timing::LaunchPartition& partition);

private:
    using Sums = std::shared_ptr<const report::IntervalSums>;
    struct Launch {
        std::vector<timing::PartKey> keys;  ///< by part
        std::vector<Sums> sums;
    };
    /// Returns sums that were expected, or those of the launch before; null if there are none.
    [[nodiscard]] Sums known(const timing::PartKey& key) const;

    std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
    Launch expected_;
    Launch launch_;
    Launch before_;
};

}  // namespace tessera::timed_run
