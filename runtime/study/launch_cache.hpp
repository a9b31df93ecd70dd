// SPDX-License-Identifier: Apache-2.0
// Times of launches by key, in memory and in a folder of the user, so that no launch is replayed
// twice: points of a sweep, sides of a comparison and later runs share them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emu/timing/identical_devices.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::timed_run {

/// Times of a launch as a cache keeps them.
struct TimedLaunch {
    report::LaunchReport report;  ///< without drawings
    std::vector<double> factors;  ///< by draw (DrawEstimate)
};

/// Moves the times of a launch to other starts of its devices, as a replay with these starts would
/// have them. Returns false, with the launch unchanged, if only a replay can: another device ends
/// last, so that the critical path is another.
/// Precondition   devices send each other nothing.
[[nodiscard]] bool restart(report::LaunchReport& launch, std::span<const Millicycles> starts);

/// Several threads and processes may use one folder. A file gets its name when it is complete. A
/// file that cannot be read or written is no error: the launch is replayed.
class LaunchCache {
public:
    /// Bytes of the folder above which its oldest files are removed, once for each process that
    /// writes a file.
    static constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20U;

    /// Threads of reports in memory, of about 300 bytes each, above which memory is emptied.
    static constexpr std::size_t kMostThreads = 200'000;

    /// Without a folder the times are in memory only.
    explicit LaunchCache(std::optional<std::filesystem::path> folder = std::nullopt);

    [[nodiscard]] std::shared_ptr<const TimedLaunch> find(const timing::PartKey& key);
    /// Returns the launch as it is kept.
    std::shared_ptr<const TimedLaunch> keep(const timing::PartKey& key, TimedLaunch launch);

    /// Returns how many launches were found.
    [[nodiscard]] std::size_t num_found() const noexcept { return num_found_; }

    /// Returns a text that identifies the program, since another build may predict other times.
    [[nodiscard]] static const std::string& made_by();

private:
    [[nodiscard]] std::filesystem::path file_of(const timing::PartKey& key) const;
    /// Keeps the times in memory, which is emptied first if it has too many.
    void remember(const timing::PartKey& key, std::shared_ptr<const TimedLaunch> launch);
    void remove_oldest() const;

    std::optional<std::filesystem::path> folder_;
    std::once_flag is_reduced_;  ///< the oldest files were removed, if there were too many
    std::atomic<std::size_t> num_found_ = 0;
    std::mutex mutex_;
    std::map<std::array<std::uint64_t, 2>, std::shared_ptr<const TimedLaunch>> launches_;
    std::size_t num_threads_ = 0;  ///< of reports in `launches_`
};

}  // namespace tessera::timed_run
