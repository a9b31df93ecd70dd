// SPDX-License-Identifier: Apache-2.0
// Edits of the reads of one line: moves a share of them to the other NoC, joins blocks of them
// before one barrier, and lets one core read for others.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "runtime/study/advice_edits.hpp"
#include "runtime/study/advice_places.hpp"

namespace tessera::advise {
namespace {

/// Least share of the NoC in a critical path for which moving reads is replayed: with less, no gain
/// shows in the run.
constexpr double kBusyNoc = 0.1;

bool is_noc(ResourceKind kind) {
    return kind == ResourceKind::NocLink || kind == ResourceKind::NocInjection ||
           kind == ResourceKind::NocEjection;
}

/// Returns whether the NoC is on the critical path long enough for a share of reads to matter.
bool is_noc_busy(const report::LaunchReport& launch) {
    Millicycles time = 0;
    for (const report::PathPart& part : launch.path) {
        time += is_noc(part.resource) ? part.time : 0;
    }
    return static_cast<double>(time) >= kBusyNoc * static_cast<double>(launch.makespan.expected);
}

/// Call sites of a thread at one source line. A line may have several sites.
class SitesOfLine {
public:
    SitesOfLine(const ThreadTrace& thread, const report::SourceLine& line,
                const std::vector<std::string>& names)
        : is_line_(thread.sites.size()) {
        for (std::size_t i = 0; i < thread.sites.size(); ++i) {
            const TraceSite& site = thread.sites[i];
            is_line_[i] = site.line == line.line && names.at(site.file) == line.file;
        }
    }
    [[nodiscard]] bool is_read(const TraceEvent& event) const {
        return event.kind == EventKind::NocRead && is_line_.at(event.site);
    }

private:
    std::vector<bool> is_line_;
};

/// Returns whether a read has its own command. Reads with a latched command share its NoC, and
/// reads with a transaction id are waited for by that id.
bool is_plain(const TraceEvent& read) {
    const TransferDetail detail{read.detail};
    return !detail.has(TransferDetail::kWithState) && !detail.has(TransferDetail::kHasId);
}

bool is_plain_barrier(const TraceEvent& event) {
    return event.kind == EventKind::ReadBarrier && !BarrierDetail{event.detail}.has_id();
}

/// Moves a share of the reads of one thread, barrier by barrier. A replay of moe_v2 with 25 % of
/// its reads moved gained 13.8 %; kernels with that change gained 13.6 %.
class ShareMover {
public:
    ShareMover(const SitesOfLine& sites, double share) : sites_(sites), share_(share) {}

    /// Returns whether a read was moved.
    bool move(ThreadTrace& thread) {
        std::vector<TraceEvent> events;
        for (const TraceEvent& event : thread.events) {
            if (sites_.is_read(event) && is_plain(event)) {
                reads_ += event.count;
                // The NoC of the line's reads, whose barriers end the blocks.
                noc_ = TransferDetail{event.detail}.noc();
            }
            events.push_back(event);
            if (is_plain_barrier(event) && BarrierDetail{event.detail}.noc() == noc_) {
                end_block(events);
            }
        }
        thread.events = std::move(events);
        return moved_ > 0;
    }

private:
    // Moves the last reads of a block, which are consecutive, for example one row of tiles. The
    // share is counted over all reads so far: of blocks with a single read, every fourth moves at
    // 25 %.
    void end_block(std::vector<TraceEvent>& events) {
        // 1e-9 keeps a product such as 3 · (1/3) from being rounded down.
        auto left = static_cast<std::uint64_t>(
            std::floor(static_cast<double>(reads_) * share_ + 1e-9) - static_cast<double>(moved_));
        const bool moves = left > 0;
        for (std::size_t i = events.size(); i > block_ && left > 0; --i) {
            TraceEvent& event = events[i - 1];
            if (!sites_.is_read(event) || !is_plain(event)) {
                continue;
            }
            // An event counts equal reads; only some of them move, so it is split.
            if (event.count > left) {
                TraceEvent rest = event;
                rest.count -= static_cast<std::uint32_t>(left);
                event.count = static_cast<std::uint32_t>(left);
                events.insert(events.begin() + static_cast<std::ptrdiff_t>(i - 1), rest);
                ++i;
            }
            events[i - 1].detail ^= TransferDetail::kNoc;
            moved_ += events[i - 1].count;
            left -= events[i - 1].count;
        }
        if (moves) {
            // A barrier waits for one NoC only.
            TraceEvent barrier = events.back();
            barrier.detail ^= BarrierDetail::kNoc;
            barrier.count = 1;
            events.push_back(barrier);
        }
        block_ = events.size();
    }

    const SitesOfLine& sites_;
    double share_;
    std::uint32_t noc_ = 0;
    std::uint64_t reads_ = 0;  ///< of the line, so far
    std::uint64_t moved_ = 0;
    std::size_t block_ = 0;  ///< first event after the last barrier
};

/// Joins blocks of reads of one thread: delays a barrier and the pushes after it until the last
/// block of a group. A replay of bias_gelu with 4 blocks gained 20.0 %; kernels with that change
/// gained 18.9 %.
class BarrierJoiner {
public:
    BarrierJoiner(const CoreTrace& core, std::uint32_t blocks) : core_(core), blocks_(blocks) {}

    /// Returns whether a barrier was omitted.
    bool join(ThreadTrace& thread) {
        for (const TraceEvent& event : thread.events) {
            take(event);
        }
        release();
        thread.events = std::move(events_);
        return has_changed_;
    }

private:
    void take(const TraceEvent& event) {
        switch (event.kind) {
            case EventKind::ReadBarrier:
                return take_barrier(event);
            case EventKind::CbPush:
                return take_push(event);
            case EventKind::CbReserve:
                return take_reserve(event);
            case EventKind::NocRead:
            case EventKind::Instructions:
            case EventKind::NocSetState:
                events_.push_back(event);
                return;
            default:
                // Another event may signal that the reads are done, so it must stay after the
                // barrier.
                release();
                events_.push_back(event);
        }
    }
    // Delays a barrier. A barrier with a transaction id, or of the other NoC, waits for other reads
    // and ends the group.
    void take_barrier(const TraceEvent& event) {
        if (!is_plain_barrier(event) || (barrier_ && barrier_->detail != event.detail)) {
            release();
            events_.push_back(event);
            return;
        }
        has_changed_ = has_changed_ || barrier_;
        barrier_ = event;
        barrier_->count = 1;
        if (++held_ == blocks_) {
            release();
        }
    }
    // Sums delayed pushes by CB: consumers see the pages of the whole group at once.
    void take_push(const TraceEvent& event) {
        if (!barrier_) {
            events_.push_back(event);
            return;
        }
        TraceEvent push = event;
        push.argument *= event.count;
        push.count = 1;
        const auto same = std::ranges::find(pushes_, event.detail, &TraceEvent::detail);
        if (same == pushes_.end()) {
            pushes_.push_back(push);
        } else {
            same->argument += push.argument;
        }
    }
    // As with cb_reserve_back, a reservation includes pages that are reserved and not yet pushed.
    void take_reserve(const TraceEvent& event) {
        const auto held = std::ranges::find(pushes_, event.detail, &TraceEvent::detail);
        TraceEvent reserve = event;
        reserve.argument += held == pushes_.end() ? 0 : held->argument;
        const auto cb = std::ranges::find(core_.cbs, event.detail, &CbTrace::index);
        // The group would need more pages than the CB has, which is a deadlock: it ends here.
        if (cb != core_.cbs.end() && reserve.argument > cb->pages) {
            release();
            reserve = event;
        }
        events_.push_back(reserve);
    }
    void release() {
        if (barrier_) {
            events_.push_back(*barrier_);
        }
        events_.insert(events_.end(), pushes_.begin(), pushes_.end());
        pushes_.clear();
        barrier_.reset();
        held_ = 0;
    }

    const CoreTrace& core_;
    std::uint32_t blocks_;
    std::vector<TraceEvent> events_;
    std::optional<TraceEvent> barrier_;
    std::vector<TraceEvent> pushes_;  ///< held back, by CB
    std::uint32_t held_ = 0;          ///< barriers of the group so far
    bool has_changed_ = false;
};

/// Reads of a line in order. A trace has banks and sizes but no addresses, so cores with equal
/// sequences are assumed to read the same data; the gain is an upper bound.
using ReadSequence = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

struct ReadingCore {
    CoreTrace* core = nullptr;
    ThreadTrace* thread = nullptr;
};

/// Rectangle of cores, including both corners.
struct Rectangle {
    CoreCoord start;
    CoreCoord end;
};

/// Returns the rectangle of the cores; nothing if they do not fill one, because the NoC multicasts
/// to rectangles only.
std::optional<Rectangle> rectangle_of(const std::vector<ReadingCore>& cores) {
    Rectangle box{cores.front().core->core, cores.front().core->core};
    for (const ReadingCore& one : cores) {
        const CoreCoord at = one.core->core;
        box.start = {std::min(box.start.x, at.x), std::min(box.start.y, at.y)};
        box.end = {std::max(box.end.x, at.x), std::max(box.end.y, at.y)};
    }
    const std::size_t area =
        std::size_t{box.end.x - box.start.x + 1} * (box.end.y - box.start.y + 1);
    return area == cores.size() ? std::optional(box) : std::nullopt;
}

/// Adds a multicast after each barrier that ends reads of the line.
void send_to(const Rectangle& box, const SitesOfLine& sites, ThreadTrace& thread) {
    std::vector<TraceEvent> events;
    std::uint64_t bytes = 0;
    for (const TraceEvent& event : thread.events) {
        if (sites.is_read(event)) {
            bytes += std::uint64_t{TransferArgument::unpack(event.argument).bytes} * event.count;
        }
        events.push_back(event);
        // The barrier ends the reads, so that their data can be sent after it.
        if (event.kind == EventKind::ReadBarrier && bytes > 0) {
            const auto noc = static_cast<std::uint8_t>(BarrierDetail{event.detail}.noc());
            events.push_back({.kind = EventKind::NocMulticast,
                              .detail = noc,
                              .site = event.site,
                              .count = static_cast<std::uint32_t>(bytes),
                              .argument = MulticastArgument{box.start, box.end}.pack()});
            bytes = 0;
        }
    }
    thread.events = std::move(events);
}

using CoresByReads = std::map<std::pair<std::uint16_t, ReadSequence>, std::vector<ReadingCore>>;

ReadSequence reads_of(const ThreadTrace& thread, const SitesOfLine& sites) {
    ReadSequence reads;
    for (const TraceEvent& event : thread.events) {
        if (sites.is_read(event)) {
            reads.emplace_back(event.argument, event.count);
        }
    }
    return reads;
}

/// Returns the cores of each device by their sequence of reads at the line. By device, since a NoC
/// does not cross devices.
CoresByReads cores_by_reads(LaunchTrace& launch, const report::SourceLine& line,
                            const std::vector<std::string>& names) {
    CoresByReads groups;
    for (CoreTrace& core : launch.cores) {
        for (ThreadTrace& thread : core.threads) {
            const SitesOfLine sites(thread, line, names);
            ReadSequence reads = reads_of(thread, sites);
            if (!reads.empty()) {
                groups[{core.device, std::move(reads)}].push_back({&core, &thread});
            }
        }
    }
    return groups;
}

}  // namespace

bool move_share(LaunchTrace& launch, const LaunchContext& context, double share) {
    const auto line = line_of_reads(context.expected);
    if (!line || !is_noc_busy(context.expected)) {
        return false;
    }
    bool has_changed = false;
    for (CoreTrace& core : launch.cores) {
        for (ThreadTrace& thread : core.threads) {
            const SitesOfLine sites(thread, *line, context.names);
            has_changed = ShareMover(sites, share).move(thread) || has_changed;
        }
    }
    return has_changed;
}

bool join_barriers(LaunchTrace& launch, const LaunchContext& context, std::uint32_t blocks) {
    bool has_changed = false;
    for (CoreTrace& core : launch.cores) {
        // Edits a copy: cores without space or without joined blocks keep their trace.
        CoreTrace joined = core;
        if (!scale_cbs(joined, context.machine.arch.l1, blocks)) {
            continue;
        }
        bool has_joined = false;
        for (ThreadTrace& thread : joined.threads) {
            // Only data-movement kernels read over the NoC.
            if (thread.processor != Processor::Compute) {
                has_joined = BarrierJoiner(joined, blocks).join(thread) || has_joined;
            }
        }
        if (has_joined) {
            core = std::move(joined);
            has_changed = true;
        }
    }
    return has_changed;
}

bool multicast_reads(LaunchTrace& launch, const LaunchContext& context) {
    const auto line = line_of_reads(context.expected);
    if (!line) {
        return false;
    }
    bool has_changed = false;
    for (auto& [reads, cores] : cores_by_reads(launch, *line, context.names)) {
        const auto box = cores.size() < 2 ? std::nullopt : rectangle_of(cores);
        if (!box) {
            continue;
        }
        const SitesOfLine sender(*cores.front().thread, *line, context.names);
        // The first core of a group reads and multicasts. The others do not wait for it, so that
        // the gain is an upper bound.
        send_to(*box, sender, *cores.front().thread);
        for (const ReadingCore& receiver : std::span(cores).subspan(1)) {
            const SitesOfLine sites(*receiver.thread, *line, context.names);
            std::erase_if(receiver.thread->events,
                          [&](const TraceEvent& event) { return sites.is_read(event); });
        }
        has_changed = true;
    }
    return has_changed;
}

}  // namespace tessera::advise
