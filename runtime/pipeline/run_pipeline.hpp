// SPDX-License-Identifier: Apache-2.0
// One run of a pipeline on an emulated mesh, checked and recorded. Knows no op by name.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/kept_tensors.hpp"
#include "runtime/pipeline/tensor_values.hpp"
#include "runtime/report/run_record.hpp"
#include "runtime/steps/kernel_files.hpp"
#include "tessera/launch_modes.hpp"
#include "tessera/trace.hpp"

namespace tessera::pipeline {

/// What a run does besides computing what its configuration says, and what it leaves out.
struct RunModes {
    TraceMode trace = TraceMode::Off;
    Maths maths = Maths::On;  ///< Off: no value is checked, whatever verify.level says
    BulkData bulk_data = BulkData::On;
    /// Of TraceMode::On: as SessionOptions::trace_sink.
    std::function<void(const Trace& so_far, LaunchTrace&& launch)> trace_sink = {};
};

/// As little as a trace of the pipeline needs: where a tensor holds integers, control flow may read
/// them.
[[nodiscard]] RunModes timing_only(const PipelineSpec& pipeline);

/// A step that is about to be launched.
struct StepStart {
    std::uint32_t number = 0;  ///< from 1
    std::uint32_t num_steps = 0;
    std::string name;
};
using OnStep = std::function<void(const StepStart&)>;

/// Where a run's tensors come from and go to, and who is told of its steps; each may be empty.
struct RunFiles {
    InputFile inputs;                        ///< of `--inputs`
    SafetensorsWriter* outputs = nullptr;    ///< takes what output_tensors declares
    InputFile state;                         ///< persistent tensors as an earlier run left them
    SafetensorsWriter* new_state = nullptr;  ///< takes what state_tensors declares
    OnStep on_step = {};
    KernelFiles kernels = {};  ///< of `--kernel`
    /// Takes what is known of a run that an error ends: the steps before.
    report::RunRecord* unfinished = nullptr;
};

/// Refuses what is known to be wrong with a run before its first kernel, beside what
/// config::load_run refuses: kernels of `files.kernels` that no step has; values that the host
/// cannot hold; files of inputs, state and origins that are missing, or whose tensors are not those
/// that the run reads; values that an op cannot work on, such as ids out of range.
/// Errors   UsageError, ConfigError.
void check_before_run(const config::LoadedRun& loaded, const RunModes& modes,
                      const RunFiles& files);

/// Begins with check_before_run. Places the tensors, launches the steps, compares them as
/// `verify.level` says, and records them. Load and total time of the record are the caller's.
/// Errors   as check_before_run; KernelError for what a kernel did wrong.
///          A result that is too far from its reference is in the record, and no error.
[[nodiscard]] report::RunRecord run_pipeline(const config::LoadedRun& loaded,
                                             const RunModes& modes = {},
                                             const RunFiles& files = {});

}  // namespace tessera::pipeline
