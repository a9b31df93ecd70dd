// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/time_trace.hpp"

#include <string>
#include <string_view>

#include "emu/base/trace_file/trace_reader.hpp"
#include "runtime/report/timing/assumed_shares.hpp"
#include "tessera/errors.hpp"

namespace tessera::timed_run {
namespace {

constexpr std::string_view kPlea = " (please report this)";

// A launch that breaks an invariant of the replay was not written by a run: its kernels would have
// waited for ever, too.
void add_launch(const TraceReader& reader, const LaunchTrace& launch, RunTimer& timer) {
    try {
        timer.add(reader.so_far(), launch);
    } catch (const InternalError& error) {
        std::string what = error.what();
        if (what.ends_with(kPlea)) {
            what.resize(what.size() - kPlea.size());
        }
        throw UsageError(fmt::format("{}: is corrupt: {}", reader.place(), what));
    }
}

}  // namespace

TimedMachine machine_of(const config::LoadedArch& device, const MeshSpec& mesh) {
    TimedMachine machine{device.arch, device.timing, mesh};
    machine.mesh.device = device.arch.name;
    return machine;
}

report::TimingReport time_trace_file(const std::filesystem::path& path,
                                     const config::LoadedArch& device,
                                     const TimerOptions& options) {
    TraceReader reader(path);
    RunTimer timer(path.stem().string(), machine_of(device, reader.so_far().mesh), options);
    while (const auto launch = reader.next()) {
        add_launch(reader, *launch, timer);
    }
    report::TimingReport report = timer.finish();
    report.assumed = report::assumed_shares(report, device.resolved);
    return report;
}

std::vector<report::TimingReport> time_trace(const Trace& trace, std::span<RunTimer> timers) {
    for (const LaunchTrace& launch : trace.launches) {
        add_to_all(timers, trace, launch);
    }
    std::vector<report::TimingReport> reports;
    for (RunTimer& timer : timers) {
        reports.push_back(timer.finish());
    }
    return reports;
}

}  // namespace tessera::timed_run
