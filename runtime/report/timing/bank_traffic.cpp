// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/bank_traffic.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tessera::report {
namespace {

struct BankStretch {
    Millicycles begin = 0;
    Millicycles end = 0;
    Millicycles done = 0;  ///< when the thread knew that what it issued there was done
};

/// Transfer in flight.
struct Flight {
    Millicycles begin = 0;
    Millicycles end = 0;
};

/// Issue intervals of one line's reads or writes, and the number of its transfers.
class LineIssue {
public:
    void add(BankStretch stretch) {
        stretches_.push_back(stretch);
        time_ += stretch.end - stretch.begin;
    }
    void expect(std::uint64_t transfers) { transfers_ += transfers; }

    /// Returns the next transfer, which starts when half of its issue time has passed.
    /// Precondition   has_time().
    Flight next() {
        const auto parts = static_cast<double>(2 * done_++ + 1);
        const auto at = static_cast<Millicycles>(static_cast<double>(time_) * parts /
                                                 static_cast<double>(2 * transfers_));
        while (at >= before_ + length() && stretch_ + 1 < stretches_.size()) {
            before_ += length();
            ++stretch_;
        }
        const BankStretch& stretch = stretches_[stretch_];
        return {stretch.begin + at - before_, stretch.done};
    }
    [[nodiscard]] bool has_time() const noexcept { return time_ > 0; }

private:
    [[nodiscard]] Millicycles length() const {
        return stretches_[stretch_].end - stretches_[stretch_].begin;
    }

    std::vector<BankStretch> stretches_;
    Millicycles time_ = 0;
    std::uint64_t transfers_ = 0;
    std::uint64_t done_ = 0;
    std::size_t stretch_ = 0;
    Millicycles before_ = 0;  ///< issue time in the stretches before
};

/// Issues by line, separate for reads and writes.
using Issues = std::map<std::pair<std::uint16_t, Activity>, LineIssue>;

bool is_transfer(const TraceEvent& event) {
    return event.kind == EventKind::NocRead || event.kind == EventKind::NocWrite;
}

Activity issue_of(const TraceEvent& event) {
    return event.kind == EventKind::NocRead ? Activity::ReadIssue : Activity::WriteIssue;
}

/// Returns the assumed end of the transfers of each issue interval: the end of the next barrier's
/// wait, or the barrier's start if it does not wait; without a barrier the interval's own end.
std::vector<Millicycles> times_done(const std::vector<Interval>& intervals) {
    std::vector<Millicycles> done(intervals.size());
    Millicycles reads = 0;
    Millicycles writes = 0;
    for (std::size_t i = intervals.size(); i-- > 0;) {
        const Interval& interval = intervals[i];
        if (interval.activity == Activity::WaitNocRead) {
            reads = interval.end;
        } else if (interval.activity == Activity::WaitNocWrite) {
            writes = interval.end;
        } else if (interval.activity == Activity::BarrierPoll) {
            reads = writes = i == 0 ? 0 : intervals[i - 1].end;
        }
        const Millicycles waited = interval.activity == Activity::ReadIssue ? reads : writes;
        done[i] = std::max(waited, interval.end);
    }
    return done;
}

Issues issues_of(const ThreadTrace& trace, const ThreadTimeline& timeline) {
    Issues issues;
    for (const TraceEvent& event : trace.events) {
        if (is_transfer(event)) {
            issues[{event.site, issue_of(event)}].expect(event.count);
        }
    }
    const std::vector<Interval>& intervals = timeline.intervals;
    const std::vector<Millicycles> done = times_done(intervals);
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        const auto issue = issues.find({intervals[i].site, intervals[i].activity});
        if (issue != issues.end()) {
            issue->second.add({i == 0 ? 0 : intervals[i - 1].end, intervals[i].end, done[i]});
        }
    }
    return issues;
}

/// Slices of the window, by bank.
class Slices {
public:
    Slices(Millicycles from, Millicycles to) : from_(from), to_(to) {}
    /// Adds the bytes to slices in proportion to time, rounded so that the parts add up to the
    /// bytes.
    void add(BankTraffic::Device& device, std::uint32_t bank, Flight flight,
             std::uint64_t bytes) const {
        const std::size_t first = std::size_t{bank} * BankTraffic::kSlices;
        const Millicycles end = std::min(flight.end, to_);
        Millicycles at = std::max(flight.begin, from_);
        while (at < end && first < device.bytes.size()) {
            const auto slice = (at - from_) * BankTraffic::kSlices / (to_ - from_);
            const Millicycles next = std::min(end, begin_of(slice + 1));
            device.bytes[first + static_cast<std::size_t>(slice)] +=
                part_until(next, flight, bytes) - part_until(at, flight, bytes);
            at = next;
        }
    }

private:
    /// Returns the first time in a slice.
    [[nodiscard]] Millicycles begin_of(Millicycles slice) const {
        return from_ + (slice * (to_ - from_) + BankTraffic::kSlices - 1) / BankTraffic::kSlices;
    }
    static std::uint64_t part_until(Millicycles time, Flight flight, std::uint64_t bytes) {
        return bytes * static_cast<std::uint64_t>(time - flight.begin) /
               static_cast<std::uint64_t>(flight.end - flight.begin);
    }

    Millicycles from_;
    Millicycles to_;
};

void add_thread(const ThreadTrace& trace, const ThreadTimeline& timeline, const Slices& slices,
                BankTraffic::Device& device) {
    Issues issues = issues_of(trace, timeline);
    for (const TraceEvent& event : trace.events) {
        if (!is_transfer(event)) {
            continue;
        }
        LineIssue& issue = issues.at({event.site, issue_of(event)});
        const TransferArgument argument = TransferArgument::unpack(event.argument);
        for (std::uint32_t i = 0; issue.has_time() && i < event.count; ++i) {
            const Flight flight = issue.next();
            if (argument.place.is_dram()) {
                slices.add(device, argument.place.bank(), flight, argument.bytes);
            }
        }
    }
}

/// Device, core and processor of a data-movement kernel.
using ThreadKey = std::tuple<std::uint16_t, CoreCoord, TimelineThread>;

std::map<ThreadKey, const ThreadTimeline*> threads_by_place(const LaunchTimeline& timeline) {
    std::map<ThreadKey, const ThreadTimeline*> threads;
    for (const ThreadTimeline& thread : timeline.threads) {
        threads[{thread.device, thread.core, thread.thread}] = &thread;
    }
    return threads;
}

}  // namespace

BankTraffic bank_traffic(const LaunchTrace& trace, const LaunchTimeline& timeline,
                         std::uint32_t num_banks, Millicycles from, Millicycles to) {
    BankTraffic traffic{.from = from, .to = std::max(from + 1, std::min(to, timeline.makespan))};
    const Slices slices(traffic.from, traffic.to);
    const auto timelines = threads_by_place(timeline);
    std::map<std::uint16_t, BankTraffic::Device> devices;
    for (const CoreTrace& core : trace.cores) {
        auto& device = devices.try_emplace(core.device).first->second;
        device.device = core.device;
        device.bytes.resize(std::size_t{num_banks} * BankTraffic::kSlices);
        for (const ThreadTrace& thread : core.threads) {
            const auto role = thread.processor == Processor::Riscv1 ? TimelineThread::Reader
                                                                    : TimelineThread::Writer;
            const auto found = timelines.find({core.device, core.core, role});
            if (thread.processor != Processor::Compute && found != timelines.end()) {
                add_thread(thread, *found->second, slices, device);
            }
        }
    }
    for (auto& [number, device] : devices) {
        if (std::ranges::any_of(device.bytes, [](std::uint64_t bytes) { return bytes > 0; })) {
            traffic.devices.push_back(std::move(device));
        }
    }
    return traffic;
}

}  // namespace tessera::report
