// SPDX-License-Identifier: Apache-2.0
// Runs a pipeline on an emulated mesh, compares and records it. No code here depends on the name of
// an op.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "runtime/pipeline/alike_devices.hpp"
#include "runtime/pipeline/kept_tensors.hpp"
#include "runtime/pipeline/tensor_values.hpp"
#include "runtime/report/run_record.hpp"
#include "runtime/steps/kernel_files.hpp"
#include "tessera/launch_modes.hpp"
#include "tessera/session.hpp"
#include "tessera/trace.hpp"

namespace tessera::config {
struct LoadedRun;
}

namespace tessera::pipeline {

/// Parts of a run that a command switches on or off, in addition to its configuration.
struct RunModes {
    TraceMode trace = TraceMode::Off;
    Maths maths = Maths::On;  ///< Off: no value is checked, whatever verify.level says
    BulkData bulk_data = BulkData::On;
    std::optional<std::byte> left_in_buffers = {};  ///< as SessionOptions::left_in_buffers
    AlikeDevices alike = AlikeDevices::RunOnce;     ///< used with Maths::Off
    /// As in SessionOptions. The sink has returned for all launches when run_pipeline() returns.
    std::function<void(const Trace& so_far, LaunchTrace&& launch)> trace_sink = {};
    SinkCalls sink_calls = SinkCalls::InLaunch;
};

/// Returns the modes that do the least work for a trace of the pipeline. Integers are moved if
/// there are any, because control flow may read them.
[[nodiscard]] RunModes timing_only(const PipelineSpec& pipeline);

/// Launch that is about to start.
struct StepStart {
    std::uint32_t number = 0;  ///< from 1
    std::uint32_t num_steps = 0;
    std::string name;
};
using OnStep = std::function<void(const StepStart&)>;

/// Files and callbacks of a run; each may be empty.
struct RunFiles {
    InputFile inputs;                        ///< file of `--inputs`
    SafetensorsWriter* outputs = nullptr;    ///< takes what output_tensors declares
    InputFile state;                         ///< persistent tensors of an earlier run
    SafetensorsWriter* new_state = nullptr;  ///< takes what state_tensors declares
    OnStep on_step = {};
    KernelFiles kernels = {};  ///< replacements of `--kernel`
    /// If an error ends the run, receives the record of the steps before it.
    report::RunRecord* unfinished = nullptr;
};

/// Checks a run before its first kernel, beyond the checks of config::load_run.
/// Errors   UsageError or ConfigError for
///   - kernels in `files.kernels` that no step has;
///   - values that the host's memory cannot hold;
///   - missing files of inputs, state and origins, and files with other tensors than the run reads;
///   - values that an op does not accept, such as ids out of range.
void check_before_run(const config::LoadedRun& loaded, const RunModes& modes,
                      const RunFiles& files);

/// Checks the run (check_before_run), places the tensors, launches the steps, compares them as
/// `verify.level` states, and records them. The caller sets the record's load and total time.
/// Errors   as check_before_run; KernelError for a mistake of a kernel. A result that is too far
///          from its reference is part of the record and is not an error.
[[nodiscard]] report::RunRecord run_pipeline(const config::LoadedRun& loaded,
                                             const RunModes& modes = {},
                                             const RunFiles& files = {});

}  // namespace tessera::pipeline
