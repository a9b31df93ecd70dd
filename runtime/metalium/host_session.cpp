// SPDX-License-Identifier: Apache-2.0
#include "runtime/metalium/host_session.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "emu/core/tolerated.hpp"
#include "emu/mesh/mesh.hpp"
#include "emu/timing/stalled_replay.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tessera/errors.hpp"
#include "tessera/mesh_links.hpp"
#include "tessera/report.hpp"
#include "tessera/trace_file.hpp"

namespace tessera::metalium {
namespace {

// Never destroyed: buffers with static storage may outlive every other object of the process.
HostSession* process_session = nullptr;
Topology chosen_topology = Topology::Torus;

/// Prints an error that the program did not catch, and ends it with the exit code of its kind.
[[noreturn]] void end_with_error() {
    if (const std::exception_ptr error = std::current_exception()) {
        try {
            std::rethrow_exception(error);
        } catch (const Error& uncaught) {
            std::fprintf(stderr, "%s\n", uncaught.what());
            std::_Exit(uncaught.exit_code());
        } catch (const std::exception& uncaught) {
            std::fprintf(stderr, "uncaught exception: %s\n", uncaught.what());
        } catch (...) {
            std::fputs("uncaught exception\n", stderr);
        }
    }
    std::abort();
}

// The program may end without closing its devices.
void write_at_exit() {
    try {
        process_session->write_outputs();
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::fflush(nullptr);
        std::_Exit(error.exit_code());
    }
}

bool needs_trace(const Settings& settings) {
    return !settings.trace.empty() || !settings.report.empty() || settings.prints_time ||
           settings.profiles;
}

SessionOptions options_of(const Settings& settings) {
    SessionOptions options = settings.session;
    options.trace = needs_trace(settings) ? TraceMode::On : TraceMode::Off;
    return options;
}

void print_time(const PredictedTime& time, std::size_t num_launches, const ArchSpec& arch) {
    const auto cycles = [](Millicycles value) {
        return static_cast<double>(value) / kMillicyclesPerCycle;
    };
    fmt::print(
        stderr,
        "tessera: {} launch{} on {}: {:.0f} cycles predicted ({:.0f} to {:.0f}), {:.3f} ms\n",
        num_launches, num_launches == 1 ? "" : "es", arch.name, cycles(time.expected),
        cycles(time.low), cycles(time.high),
        cycles(time.expected) / static_cast<double>(arch.clock.value) * 1e3);
}

}  // namespace

HostSession::HostSession(const MeshShape& wanted)
    : settings_(settings_from_environment()),
      machine_(settings_.device, {.shape = settings_.shape.value_or(wanted),
                                  .topology = settings_.topology.value_or(chosen_topology),
                                  .sets = settings_.sets}),
      session_(std::make_unique<EmulatedSession>(machine_.mesh(), machine_.arch(),
                                                 options_of(settings_))) {
}

HostSession& HostSession::open(const MeshShape& wanted) {
    if (process_session == nullptr) {
        std::set_terminate(end_with_error);
        process_session = new HostSession(wanted);
        std::atexit(write_at_exit);
    }
    return *process_session;
}

void HostSession::choose_topology(Topology topology, const std::string& asked_by) {
    if (process_session != nullptr && !process_session->settings_.topology) {
        const Topology opened = process_session->machine_.mesh().topology;
        require(
            opened == topology,
            "{} asks for the links of a {}, but a device was opened before, with the links of a "
            "{}; call it before the first device is opened",
            asked_by, name_of(topology), name_of(opened));
    }
    chosen_topology = topology;
}

MeshShape HostSession::known_shape() {
    if (process_session != nullptr) {
        return process_session->shape();
    }
    return settings_from_environment().shape.value_or(MeshShape{});
}

Session& HostSession::session() noexcept {
    return *session_;
}

Device& HostSession::device(std::uint32_t id) const {
    require(id < shape().num_devices(),
            "device {}: the mesh has {} x {} devices, allowed: 0 to {}; tessera exec --mesh "
            "ROWSxCOLUMNS gives more",
            id, shape().rows, shape().columns, shape().num_devices() - 1);
    return session_->emulated_mesh().device(id);
}

const Trace& HostSession::trace() const noexcept {
    return session_->trace();
}

void HostSession::launch(const std::string& name, std::span<const DeviceProgram> programs) {
    ++num_launches_;
    note(session_->launch(name, programs).findings);
}

void HostSession::note(const std::vector<Finding>& findings) {
    const std::size_t num_known = findings_.size();
    merge_findings(findings_, findings);
    for (std::size_t i = num_known; i < findings_.size(); ++i) {
        fmt::print(stderr, "{}\n", text_of(findings_[i]));
    }
}

void HostSession::remove_user() {
    if (--num_users_ == 0) {
        write_outputs();
    }
}

void HostSession::write_outputs() {
    if (num_written_ == num_launches_ || trace().launches.empty()) {
        return;
    }
    num_written_ = num_launches_;
    if (!settings_.trace.empty()) {
        write_trace(settings_.trace, trace());
    }
    if (settings_.report.empty() && !settings_.prints_time) {
        return;
    }
    try {
        const Report report(trace(), machine_, program_invocation_short_name);
        if (!settings_.report.empty()) {
            report.write(settings_.report);
        }
        if (settings_.prints_time) {
            print_time(report.makespan(), trace().launches.size(), arch());
        }
    } catch (const timing::StalledReplay&) {
        if (std::ranges::none_of(findings_, [](const Finding& finding) {
                return may_stall_a_replay(std::string_view(finding.kind));
            })) {
            throw;
        }
        // The program goes on: its values are those of a chip.
        fmt::print(
            stderr,
            "tessera: no times and no report: the program went on as on a chip, but cannot be "
            "timed after what is tolerated above\n");
    }
}

}  // namespace tessera::metalium
