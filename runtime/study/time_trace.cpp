// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/time_trace.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "emu/base/trace_file/trace_reader.hpp"
#include "runtime/config/load.hpp"
#include "runtime/report/timing/assumed_shares.hpp"
#include "runtime/report/timing/bounds.hpp"
#include "tessera/errors.hpp"

namespace tessera::timed_run {
namespace {

constexpr std::string_view kPlea = " (please report this)";

/// Returns the bytes of one transfer of an event; 0 for other events.
std::uint64_t bytes_moved_by(const TraceEvent& event) {
    switch (event.kind) {
        case EventKind::NocRead:
        case EventKind::NocWrite:
            return TransferArgument::unpack(event.argument).bytes;
        case EventKind::NocMulticast:
        case EventKind::FabricPacket:
            return event.count;
        default:
            return 0;
    }
}

/// Checks that no transfer exceeds an L1, which is at least one end of each. A replay takes time
/// for each packet, so a forged size would keep it busy for minutes.
/// Errors   UsageError for a larger transfer.
void require_transfers_fit(const std::string& place, const LaunchTrace& launch,
                           const ArchSpec& arch) {
    for (const CoreTrace& core : launch.cores) {
        for (const ThreadTrace& thread : core.threads) {
            for (const TraceEvent& event : thread.events) {
                require(bytes_moved_by(event) <= arch.l1.size.value,
                        "{}: is corrupt: it has a transfer of {} bytes; the L1 of {} has {}", place,
                        bytes_moved_by(event), arch.name, arch.l1.size.value);
            }
        }
    }
}

/// Calls `replay` for a launch that was read at `place` of a file. A launch that breaks an
/// invariant of the replay was not written by a run, whose kernels would have waited without an
/// end. So the file is at fault and not Tessera.
/// Errors   UsageError instead of InternalError.
template <class Replay>
auto replay_read(const std::string& place, Replay replay) {
    try {
        return replay();
    } catch (const InternalError& error) {
        std::string what = error.what();
        if (what.ends_with(kPlea)) {
            what.resize(what.size() - kPlea.size());
        }
        throw UsageError(fmt::format("{}: is corrupt: {}", place, what));
    }
}

std::vector<report::TimingReport> replay_all(const compare::RecordedRun& run,
                                             std::span<RunTimer> timers) {
    for (const LaunchTrace& launch : run.trace.launches) {
        add_to_all(timers, run.trace, launch);
    }
    std::vector<report::TimingReport> reports;
    for (RunTimer& timer : timers) {
        reports.push_back(timer.finish());
        report::note_bounds(run.least_work, reports.back());
    }
    return reports;
}

}  // namespace

TimedMachine machine_of(const config::LoadedRun& loaded) {
    return {loaded.arch, loaded.timing, loaded.run.mesh};
}

TimedMachine machine_of(const config::LoadedArch& device, const MeshSpec& mesh) {
    TimedMachine machine{device.arch, device.timing, mesh};
    // A trace names the device that recorded it; the times are those of this one.
    machine.mesh.device = device.arch.name;
    return machine;
}

report::TimingReport time_trace_file(const std::filesystem::path& path,
                                     const config::LoadedArch& device, const TimerOptions& options,
                                     OnReplayed on_replayed) {
    TraceReader reader(path);
    RunTimer timer(path.stem().string(), machine_of(device, reader.so_far().mesh), options);
    timer.tell(std::move(on_replayed));
    // One launch at a time: the traces of large runs do not fit in memory.
    while (const auto launch = reader.next()) {
        require_transfers_fit(reader.place(), *launch, device.arch);
        replay_read(reader.place(), [&] { timer.add(reader.so_far(), *launch); });
    }
    report::TimingReport report = timer.finish();
    // The report names the assumed constants that price its path.
    report.assumed = report::assumed_shares(report, device.resolved);
    return report;
}

std::vector<report::TimingReport> time_trace(const compare::RecordedRun& run,
                                             std::span<RunTimer> timers) {
    for (RunTimer& timer : timers) {
        timer.tell(run.on_replayed);
    }
    const auto replay = [&] { return replay_all(run, timers); };
    // A trace that this process recorded needs no check.
    if (run.file.empty()) {
        return replay();
    }
    for (const LaunchTrace& launch : run.trace.launches) {
        require_transfers_fit(run.file.string(), launch, run.machine.arch);
    }
    return replay_read(run.file.string(), replay);
}

}  // namespace tessera::timed_run
