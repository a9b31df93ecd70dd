// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/regime.hpp"

#include <set>
#include <utility>

#include "tessera/timing_spec.hpp"

namespace tessera::timing {
namespace {

struct RegimeRow {
    std::string_view name;
    double ModelErrorSpec::*error;
};
/// Names in the order of Regime.
constexpr std::array<RegimeRow, kNumRegimes> kRows{{
    {"compute", &ModelErrorSpec::compute},
    {"issue", &ModelErrorSpec::issue},
    {"few cores", &ModelErrorSpec::few_cores},
    {"many reads", &ModelErrorSpec::many_reads},
    {"many writes", &ModelErrorSpec::many_writes},
    {"multicast", &ModelErrorSpec::multicast},
    {"DRAM fan-out", &ModelErrorSpec::dram_fan_out},
    {"links", &ModelErrorSpec::links},
    {"launch", &ModelErrorSpec::launch},
}};

// Counts cores, not threads, because the calibration behind kFewCores does.
bool has_few_cores(const LaunchTimeline& timeline) {
    std::set<std::pair<std::uint16_t, CoreCoord>> cores;
    for (const ThreadTimeline& thread : timeline.threads) {
        cores.emplace(thread.device, thread.core);
        if (cores.size() > kFewCores) {
            return false;
        }
    }
    return true;
}

// Any other activity is priced by instructions of a RISC.
Regime of_activity(Activity activity) noexcept {
    switch (activity) {
        case Activity::NotStarted:
        case Activity::Start:
        case Activity::Finished:
            return Regime::Launch;
        case Activity::Unpack:
        case Activity::Matmul:
        case Activity::Eltwise:
        case Activity::Sfpu:
        case Activity::Pack:
        case Activity::UnitInit:
        case Activity::DstCall:
            return Regime::Compute;
        default:
            return Regime::Issue;
    }
}

Millicycles total(const LaunchTimeline& timeline, const PathStep& step, Activity activity) {
    return timeline.threads.at(step.thread).totals[static_cast<std::size_t>(activity)];
}

// A transit does not contain the kind of its transfer, so the acts of the issuer decide. A thread
// that multicasts and writes counts as one that multicasts: its writes are words that accompany the
// multicasts.
bool is_multicast(const LaunchTimeline& timeline, const PathStep& step) {
    return step.activity != Activity::WaitNocRead &&
           total(timeline, step, Activity::MulticastIssue) > 0;
}

// A wait for a slot of the interface does not contain the kind of transfer either.
bool is_read(const LaunchTimeline& timeline, const PathStep& step) {
    return step.activity == Activity::WaitNocRead ||
           (step.activity == Activity::WaitNocSlot &&
            total(timeline, step, Activity::ReadIssue) >
                total(timeline, step, Activity::WriteIssue));
}

Regime of_network(const LaunchTimeline& timeline, const PathStep& step, bool few_cores) {
    if (is_multicast(timeline, step)) {
        return Regime::Multicast;
    }
    if (few_cores) {
        return Regime::FewCores;
    }
    return is_read(timeline, step) ? Regime::ManyReads : Regime::ManyWrites;
}

Regime regime_of(const LaunchTimeline& timeline, const PathStep& step, bool few_cores) {
    switch (step.resource) {
        case ResourceKind::None:
            return of_activity(step.activity);
        case ResourceKind::Dram:  // reads of few cores do not queue at banks
            return few_cores ? Regime::FewCores : Regime::DramFanOut;
        case ResourceKind::MeshLink:
        case ResourceKind::MeshLatency:
            return Regime::Links;
        default:
            return of_network(timeline, step, few_cores);
    }
}

}  // namespace

std::string_view name_of(Regime regime) noexcept {
    return kRows[static_cast<std::size_t>(regime)].name;
}

double error_of(const ModelErrorSpec& error, Regime regime) noexcept {
    return error.*kRows[static_cast<std::size_t>(regime)].error;
}

RegimeTimes regime_times(const LaunchTimeline& timeline) {
    RegimeTimes times{};
    const bool few_cores = has_few_cores(timeline);
    for (const PathStep& step : timeline.critical_path) {
        const Regime regime = regime_of(timeline, step, few_cores);
        times[static_cast<std::size_t>(regime)] += step.end - step.begin;
    }
    return times;
}

}  // namespace tessera::timing
