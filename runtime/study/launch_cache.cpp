// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/launch_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "emu/base/tensor_file/partial_file.hpp"
#include "runtime/kernels/builtin_table.hpp"
#include "runtime/report/describe_bytes.hpp"
#include "runtime/report/timing/path_parts.hpp"
#include "runtime/report/timing/report_fields.hpp"
#include "tessera/errors.hpp"

namespace tessera::timed_run {
namespace {

namespace fs = std::filesystem;
using report::Either;
using report::LaunchReport;

constexpr std::string_view kSuffix = ".launch";

// The description of report.json, and what reports compute from the whole run or do not show.
template <class Fields, Either<TimedLaunch> Launch, Either<report::RunShare> Share>
void describe_launch(Fields& fields, Launch& launch, Share& share) {
    fields.section(
        "report", [&](auto& below) { describe(below, launch.report, share, report::PeakRates{}); });
    fields("factors", launch.factors);
    fields("regimes", launch.report.regimes);
    fields("device_start", launch.report.device_start);
    fields.list("stretches", launch.report.path_stretches,
                [](auto& row, auto& stretch, std::size_t) {
                    row("end", stretch.end);
                    row("thread", stretch.thread);
                    row("part", stretch.part);
                });
}

using Bytes = std::vector<std::uint8_t>;

/// Words in front of the bytes of a launch: its key, and the checksum of the bytes.
using Head = std::array<std::uint64_t, 3>;

std::uint64_t checksum_of(std::span<const std::uint8_t> bytes) {
    timing::KeyHash hash;
    hash.add(bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, &bytes[at], std::min(sizeof word, bytes.size() - at));
        hash.add(word);
    }
    return hash.key().halves[0];
}

Bytes to_bytes(const timing::PartKey& key, const TimedLaunch& launch) {
    const report::RunShare share{.path = std::vector<Millicycles>(launch.report.path.size()),
                                 .threads = std::vector<Millicycles>(launch.report.threads.size())};
    report::BytesWriter fields;
    describe_launch(fields, launch, share);
    const Bytes body = fields.take();
    // The checksum finds files that are damaged or incomplete; the key finds renamed ones.
    const Head head{key.halves[0], key.halves[1], checksum_of(body)};
    Bytes bytes(sizeof head);
    std::memcpy(bytes.data(), head.data(), sizeof head);
    bytes.insert(bytes.end(), body.begin(), body.end());
    return bytes;
}

/// Returns nothing if the bytes are damaged or of another key.
std::optional<TimedLaunch> from_bytes(const timing::PartKey& key, const Bytes& bytes) {
    Head head{};
    if (bytes.size() < sizeof head) {
        return std::nullopt;
    }
    std::memcpy(head.data(), bytes.data(), sizeof head);
    const auto body = std::span(bytes).subspan(sizeof head);
    if (head != Head{key.halves[0], key.halves[1], checksum_of(body)}) {
        return std::nullopt;
    }
    TimedLaunch launch;
    report::RunShare share;
    report::BytesReader fields(body);
    describe_launch(fields, launch, share);
    return launch;
}

/// Returns the bytes of a file; none if it cannot be read.
Bytes bytes_of(const fs::path& path) {
    std::error_code error;
    const auto size = fs::file_size(path, error);
    std::ifstream file(path, std::ios::binary);
    Bytes bytes(error || !file ? 0 : size);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file ? bytes : Bytes();
}

/// Moves one device's thread, of which only the times before and after its work change.
template <class Totals>
void move_totals(Totals& totals, Millicycles later, Millicycles longer) {
    totals[static_cast<std::size_t>(Activity::NotStarted)] += later;
    totals[static_cast<std::size_t>(Activity::Finished)] += longer - later;
}

void move_path(LaunchReport& launch, Millicycles later) {
    launch.regimes[static_cast<std::size_t>(timing::Regime::Launch)] += later;
    for (report::PathStretch& stretch : launch.path_stretches) {
        stretch.end += later;
    }
    // The path begins before its first thread has started.
    for (report::PathPart& part : launch.path) {
        part.time += part.activity == Activity::NotStarted ? later : 0;
    }
    const std::uint32_t first =
        launch.path_stretches.empty() ? kNoThread : launch.path_stretches.front().thread;
    if (first < launch.threads.size()) {
        launch.threads[first].on_path += later;
    }
    report::sort_path(launch.path, launch.path_stretches);
}

void move_threads(LaunchReport& launch, std::span<const Millicycles> later, Millicycles longer) {
    for (report::ThreadReport& thread : launch.threads) {
        move_totals(thread.totals, later[thread.device], longer);
        thread.finish += later[thread.device];
    }
    std::map<std::pair<std::uint16_t, CoreCoord>, Millicycles> num_threads;
    for (const report::ThreadReport& thread : launch.threads) {
        ++num_threads[{thread.device, thread.core}];
    }
    for (report::CoreReport& core : launch.cores) {
        const Millicycles count = num_threads[{core.device, core.core}];
        move_totals(core.totals, count * later[core.device], count * longer);
        core.begin += later[core.device];
        core.finish += later[core.device];
    }
    for (report::StallReport& stall : launch.stalls) {
        stall.worst_begin += later[stall.worst_device];
        stall.worst_end += later[stall.worst_device];
    }
}

}  // namespace

bool restart(LaunchReport& launch, std::span<const Millicycles> starts) {
    std::vector<Millicycles> later(starts.begin(), starts.end());
    std::vector<Millicycles> ends = launch.device_end;
    if (launch.device_start.size() != later.size() || ends.size() != later.size()) {
        return false;
    }
    for (std::size_t device = 0; device < later.size(); ++device) {
        later[device] -= launch.device_start[device];
        // A device without a core in the launch has no end.
        ends[device] += ends[device] > 0 ? later[device] : 0;
    }
    const auto last = std::ranges::max_element(launch.device_end) - launch.device_end.begin();
    const auto new_last = std::ranges::max_element(ends) - ends.begin();
    // The critical path ends on the device that ends last. If that is another one now, only a
    // replay finds its path.
    if (last != new_last || later.empty()) {
        return false;
    }
    const Millicycles shift = later[static_cast<std::size_t>(last)];
    move_threads(launch, later, shift);
    if (shift != 0 && !launch.path.empty()) {
        move_path(launch, shift);
    }
    launch.makespan.expected += shift;
    launch.device_start.assign(starts.begin(), starts.end());
    launch.device_end = std::move(ends);
    return true;
}

LaunchCache::LaunchCache(std::optional<fs::path> folder) : folder_(std::move(folder)) {
    if (!folder_) {
        return;
    }
    std::error_code error;
    fs::create_directories(*folder_, error);
    if (error) {
        folder_.reset();
        return;
    }
    fs::permissions(*folder_, fs::perms::owner_all, error);
}

void LaunchCache::remove_oldest() const {
    struct File {
        fs::file_time_type written;
        std::uint64_t bytes = 0;
        fs::path path;
    };
    std::vector<File> files;
    std::uint64_t bytes = 0;
    std::error_code error;
    for (fs::directory_iterator it(*folder_, error), end; !error && it != end;
         it.increment(error)) {
        if (it->path().extension() != kSuffix) {
            continue;
        }
        // Another process may remove the file between these calls; a size is then unknown.
        std::error_code is_gone;
        const File file{it->last_write_time(is_gone), it->file_size(is_gone), it->path()};
        if (!is_gone) {
            bytes += file.bytes;
            files.push_back(file);
        }
    }
    if (bytes <= kMostBytes) {
        return;
    }
    // Half, so that the next runs do not remove files again.
    std::ranges::sort(files, {}, &File::written);
    for (const File& file : files) {
        if (bytes <= kMostBytes / 2) {
            return;
        }
        fs::remove(file.path, error);
        bytes -= std::min(bytes, file.bytes);
    }
}

fs::path LaunchCache::file_of(const timing::PartKey& key) const {
    return *folder_ / fmt::format("{:016x}{:016x}{}", key.halves[0], key.halves[1], kSuffix);
}

std::shared_ptr<const TimedLaunch> LaunchCache::find(const timing::PartKey& key) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = launches_.find(key.halves);
        if (found != launches_.end()) {
            ++num_found_;
            return found->second;
        }
    }
    if (!folder_) {
        return nullptr;
    }
    // A damaged file counts as none: the launch is replayed and its file replaced.
    auto launch = from_bytes(key, bytes_of(file_of(key)));
    if (!launch) {
        return nullptr;
    }
    auto found = std::make_shared<const TimedLaunch>(std::move(*launch));
    ++num_found_;
    remember(key, found);
    return found;
}

void LaunchCache::remember(const timing::PartKey& key, std::shared_ptr<const TimedLaunch> launch) {
    const std::lock_guard lock(mutex_);
    const std::size_t threads = launch->report.threads.size();
    num_threads_ += threads;
    if (num_threads_ > kMostThreads) {
        launches_.clear();
        num_threads_ = threads;
    }
    launches_.insert_or_assign(key.halves, std::move(launch));
}

std::shared_ptr<const TimedLaunch> LaunchCache::keep(const timing::PartKey& key,
                                                     TimedLaunch launch) {
    auto kept = std::make_shared<const TimedLaunch>(std::move(launch));
    remember(key, kept);
    if (!folder_) {
        return kept;
    }
    // Here and not in the constructor: most processes only read, and need not list the folder.
    std::call_once(is_reduced_, [this] { remove_oldest(); });
    try {
        const Bytes bytes = to_bytes(key, *kept);
        PartialFile file(file_of(key));
        file.write_at(0, std::as_bytes(std::span(bytes)));
        file.finish();
    } catch (const UsageError&) {
        // A full disk costs later replays only.
    }
    return kept;
}

const std::string& LaunchCache::made_by() {
    static const std::string kText = [] {
        std::error_code error;
        const fs::path program = fs::canonical("/proc/self/exe", error);
        // Size and time of the file identify the program without reading it.
        const auto size = error ? 0 : fs::file_size(program, error);
        const auto written = error ? fs::file_time_type() : fs::last_write_time(program, error);
        return fmt::format("{} {} {}", size, written.time_since_epoch().count(),
                           kernel_text_hash());
    }();
    return kText;
}

}  // namespace tessera::timed_run
