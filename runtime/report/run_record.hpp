// SPDX-License-Identifier: Apache-2.0
// Record of one run for its reports, shown as text or written as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/config/resolved.hpp"
#include "runtime/report/expert_load.hpp"
#include "runtime/report/run_error.hpp"
#include "runtime/report/run_stages.hpp"
#include "runtime/report/step_bound.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/launch_modes.hpp"
#include "tessera/predicted_time.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/session.hpp"

namespace tessera::report {

/// NaN in a tensor, over all devices. A run reports them even if the reference has the same.
struct NanNote {
    std::string tensor;
    std::string step;  ///< step that made the tensor; empty: an input or a weight
    std::uint64_t count = 0;
    std::uint64_t num_elements = 0;
    std::string first;  ///< "(3,17) of device 0"
};

/// Comparison of a step's results with its reference, over all devices and valid elements.
struct StepCheck {
    std::uint64_t num_elements = 0;
    double pcc = 1;                  ///< NaN if the reference is constant
    double max_relative_error = 0;   ///< denominator max(|reference|, rms of the reference)
    std::string failure;             ///< the difference, in a line; empty if the step passed
    std::string doubt = {};          ///< a mistake that a step that passed may hide, or empty
    std::vector<NanNote> nans = {};  ///< in the compared elements of its outputs

    [[nodiscard]] bool passed() const noexcept { return failure.empty(); }
};

/// One step of the pipeline over all devices.
struct StepRecord {
    std::string name;             ///< "gate"
    std::string op;               ///< "moe_bmm"
    std::string schedule;         ///< "multi_core"
    std::uint32_t num_cores = 0;  ///< cores that had a kernel, over all devices
    std::uint64_t output_tiles = 0;
    double host_seconds = 0;
    double verify_seconds = 0;
    std::optional<StepCheck> check;              ///< none if the step was not verified
    std::optional<PredictedTime> device_time{};  ///< longest on one device; none without timing
    std::optional<Bound> bound{};                ///< of its launch; none without timing
    std::size_t launch = 0;                      ///< by number; steps may share one
};

/// Memory that tensors of several steps shared, on each device.
struct WorkspaceRecord {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint64_t bytes_apart = 0;  ///< size of its tensors if they did not share memory
    std::vector<std::string> tensors;
};

/// Seconds of the host for each phase of the run.
struct HostTimes {
    double load = 0;    ///< configuration, and input files
    double launch = 0;  ///< launches of programs
    double verify = 0;  ///< references and comparisons
    double timing = 0;  ///< replays of launches for which the run waited
    double beside = 0;  ///< replays of launches while the run was in another phase
    double total = 0;   ///< whole run, including making and moving tensors
};

/// Workload of a pipeline: its params, or its tensors, each with its value as text.
struct PipelineSummary {
    std::vector<std::pair<std::string, std::string>> values;
};

/// Record of a run.
struct RunRecord {
    RunSpec run;
    PipelineSummary pipeline;
    ArchSpec arch;
    config::Resolved resolved;
    Maths maths = Maths::On;  ///< Off: values mean nothing, and no step was verified
    /// With Maths::Off: tensors that steer kernels and were drawn, since no step computed them.
    std::vector<std::string> drawn{};
    std::string inputs;  ///< the file of --inputs; empty if the workload was generated
    std::vector<std::string> unread_inputs{};  ///< tensors of that file that no step reads
    std::vector<std::string> unread_sets{};    ///< "--set params.x=1" of which nothing uses x
    std::uint32_t num_threads = 0;             ///< workers that ran the launches
    std::vector<StepRecord> steps;
    std::vector<WorkspaceRecord> workspaces;
    std::vector<NanNote> nans{};      ///< inputs first, then results in the order of steps
    std::vector<Finding> findings{};  ///< what a chip tolerates, in the order of launches
    std::vector<CoreActivity> cores;  ///< every core of the mesh, over all steps, (device, y, x)
    HostTimes host;
    std::optional<PredictedTime> makespan{};  ///< of the whole run; none without timing
    std::optional<Bound> bound{};             ///< of the whole run; none without timing
    /// [launch][device], of the steps that have ended.
    std::vector<std::vector<LeastWork>> least_work{};
    std::optional<ExpertLoad> experts{};  ///< if steps declare one
    std::optional<RunStages> stages{};    ///< if the run file names stages
    std::optional<RunError> error{};      ///< error that ended the run before its last step
};

/// Returns the names of the steps that were verified and failed.
[[nodiscard]] std::vector<std::string> failed_steps(const RunRecord& record);

}  // namespace tessera::report
