// SPDX-License-Identifier: Apache-2.0
// Device profiles in the form that the vendor's tools read, with predicted times.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <sstream>
#include <string_view>

#include "emu/base/tensor_file/partial_file.hpp"
#include "emu/timing/run.hpp"
#include "runtime/metalium/device_state.hpp"
#include "tessera/errors.hpp"
#include "tt-metalium/host_api.hpp"
#include "tt-metalium/mesh_device.hpp"
#include "tt-metalium/tt_metal_profiler.hpp"

namespace tt::tt_metal {
namespace {

namespace fs = std::filesystem;

using tessera::metalium::HostSession;

std::string& chosen_folder() {
    static std::string folder;
    return folder;
}

// The vendor's host writes below its home, or below the working directory.
fs::path profile_path() {
    constexpr const char* kFile = "profile_log_device.csv";
    if (!chosen_folder().empty()) {
        return fs::path(chosen_folder()) / kFile;
    }
    const char* home = std::getenv("TT_METAL_HOME");
    return fs::path(home == nullptr ? "" : home) / "generated" / "profiler" / ".logs" / kFile;
}

/// The vendor's name of a thread, and of the zone around its kernel.
struct ThreadNames {
    std::string_view processor;
    std::string_view zone;
};
ThreadNames names_of(tessera::TimelineThread thread) {
    static constexpr std::array<ThreadNames, 5> kNames{{{"NCRISC", "NCRISC-KERNEL"},
                                                        {"BRISC", "BRISC-KERNEL"},
                                                        {"TRISC_0", "TRISC-KERNEL"},
                                                        {"TRISC_1", "TRISC-KERNEL"},
                                                        {"TRISC_2", "TRISC-KERNEL"}}};
    return kNames[static_cast<std::size_t>(thread)];
}

/// Begin and end of a thread's kernel, in thousandths of a cycle from the start of the launch.
struct KernelSpan {
    tessera::Millicycles begin = 0;
    tessera::Millicycles end = 0;
};
KernelSpan kernel_span(const tessera::ThreadTimeline& thread) {
    KernelSpan span;
    for (const tessera::Interval& interval : thread.intervals) {
        if (interval.activity == tessera::Activity::NotStarted) {
            span.begin = interval.end;
        } else if (interval.activity != tessera::Activity::Finished) {
            span.end = interval.end;
        }
    }
    span.end = std::max(span.end, span.begin);
    return span;
}

/// Writes the rows of one launch.
class LaunchRows {
public:
    LaunchRows(std::ostream& out, const HostSession& session, std::size_t number,
               const tessera::LaunchTimeline& timeline)
        : out_(&out), session_(&session), number_(number), timeline_(&timeline) {}

    void write() {
        for (const tessera::ThreadTimeline& thread : timeline_->threads) {
            const KernelSpan span = kernel_span(thread);
            write_zone(thread, span, names_of(thread.thread).zone);
        }
        for (const tessera::ZoneSpan& zone : timeline_->zones) {
            write_zone(timeline_->threads[zone.thread], {zone.begin, zone.end},
                       session_->trace().names[zone.name]);
        }
    }

private:
    void write_zone(const tessera::ThreadTimeline& thread, const KernelSpan& span,
                    std::string_view zone) {
        write_row(thread, span.begin, zone, "ZONE_START");
        write_row(thread, span.end, zone, "ZONE_END");
    }

    void write_row(const tessera::ThreadTimeline& thread, tessera::Millicycles time,
                   std::string_view zone, std::string_view type) {
        const tessera::WorkerGridSpec& grid = session_->arch().workers;
        const tessera::Millicycles cycles =
            (timeline_->start + time) / tessera::kMillicyclesPerCycle;
        *out_ << fmt::format("{},{},{},{},0,{},0,{},,,{},{},0,{},\n", thread.device,
                             grid.noc_columns[thread.core.x], grid.noc_rows[thread.core.y],
                             names_of(thread.thread).processor, cycles, number_, zone, type,
                             session_->trace().names[thread.kernel]);
    }

    std::ostream* out_;
    const HostSession* session_;
    std::size_t number_;
    const tessera::LaunchTimeline* timeline_;
};

/// Rows of the launches of the process so far. Each launch is replayed once, however often a program
/// asks for results.
class Profile {
public:
    Profile(const HostSession& session, ARCH family)
        : session_(&session),
          replay_({session.arch(), session.machine().timing().expected, session.machine().mesh()},
                  {}) {
        const tessera::WorkerGridSpec& workers = session.arch().workers;
        rows_ << fmt::format("ARCH: {}, CHIP_FREQ[MHz]: {}, Max Compute Cores: {}\n",
                             arch_to_str(family), session.arch().clock.value / 1'000'000,
                             workers.compute.columns * workers.compute.rows)
              << "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
                 "reset], data, run host ID, trace id, trace id counter, zone name, type, source "
                 "line, source file, meta data\n";
    }

    void write() {
        const tessera::Trace& trace = session_->trace();
        for (; num_launches_ < trace.launches.size(); ++num_launches_) {
            const tessera::LaunchTimeline timeline =
                replay_.add(trace, trace.launches[num_launches_]);
            LaunchRows(rows_, *session_, num_launches_ + 1, timeline).write();
        }
        const fs::path path = profile_path();
        std::error_code error;
        fs::create_directories(path.parent_path(), error);
        tessera::PartialFile file(path);
        file.write_at(0, std::as_bytes(std::span(rows_.view())));
        file.finish();
    }

private:
    const HostSession* session_;
    tessera::timing::RunReplay replay_;
    std::ostringstream rows_;
    std::size_t num_launches_ = 0;
};

}  // namespace

void detail::ReadDeviceProfilerResults(IDevice* device, ProfilerReadState /*state*/) {
    const HostSession& session = *device->state().session;
    if (session.settings().profiles && !session.trace().launches.empty()) {
        static Profile profile(session, device->arch());
        profile.write();
    }
}

void detail::SetDeviceProfilerDir(const std::string& folder) {
    chosen_folder() = folder;
}

void detail::FreshProfilerDeviceLog() {
    std::error_code error;
    fs::remove(profile_path(), error);
}

void DumpDeviceProfileResults(IDevice* device, const Program& /*program*/) {
    detail::ReadDeviceProfilerResults(device);
}

void ReadMeshDeviceProfilerResults(distributed::MeshDevice& device) {
    detail::ReadDeviceProfilerResults(&device);
}

}  // namespace tt::tt_metal
