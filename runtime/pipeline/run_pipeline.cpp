// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/run_pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "emu/base/seconds_since.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/check_step.hpp"
#include "runtime/pipeline/drawn_scores.hpp"
#include "runtime/pipeline/expert_load.hpp"
#include "runtime/pipeline/kept_inputs.hpp"
#include "runtime/pipeline/operand_values.hpp"
#include "runtime/pipeline/placed_tensors.hpp"
#include "runtime/pipeline/reference_chain.hpp"
#include "runtime/pipeline/run_stages.hpp"
#include "runtime/pipeline/step_work.hpp"
#include "runtime/report/core_figures.hpp"
#include "runtime/session/emulated_session.hpp"
#include "runtime/steps/edit_program.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

/// Options of the session, from the run file and from the command's modes.
SessionOptions session_options(const config::LoadedRun& loaded, const RunModes& modes) {
    const RunSpec& run = loaded.run;
    return {.threads = run.host.threads,
            .delivery = run.machine.noc_delivery,
            .seed = run.machine.delivery_seed,
            .unwritten_memory = run.machine.unwritten_memory,
            .trace = modes.trace,
            .maths = modes.maths,
            .bulk_data = modes.bulk_data,
            .steering = steering_tensors(loaded.pipeline),
            .rules = run.machine.rules,
            .progress_limit = run.machine.progress_limit,
            .left_in_buffers = modes.left_in_buffers,
            .trace_sink = modes.trace_sink,
            .sink_calls = modes.sink_calls};
}

VerifySpec verify_of(const RunSpec& run, const RunModes& modes) {
    VerifySpec verify = run.verify;
    if (modes.maths == Maths::Off) {
        // A timing-only run has no values to compare.
        verify.level = VerifyLevel::Off;
    }
    return verify;
}

// Without values a read of unwritten memory has no effect, and filling would touch every page.
UnwrittenMemory unwritten_of(const RunSpec& run, const RunModes& modes) {
    return modes.maths == Maths::On ? run.machine.unwritten_memory : UnwrittenMemory::AsLeft;
}

bool is_integer(DataFormat format) {
    return format == DataFormat::Int32 || format == DataFormat::UInt32 ||
           format == DataFormat::UInt16 || format == DataFormat::UInt8;
}

std::vector<report::WorkspaceRecord> workspace_records(const config::LoadedRun& loaded) {
    const std::uint64_t banks = loaded.arch.dram.num_banks;
    std::vector<report::WorkspaceRecord> records;
    for (const Workspace& workspace : loaded.pipeline.workspaces) {
        // Plans count bytes of one bank; the report shows those of a device.
        auto& record =
            records.emplace_back(report::WorkspaceRecord{workspace.name, workspace.bytes * banks});
        for (const WorkspaceTensor& tensor : workspace.tensors) {
            record.tensors.push_back(tensor.name);
            record.bytes_apart += tensor.bytes * banks;
        }
    }
    return records;
}

class PipelineRun {
public:
    PipelineRun(const config::LoadedRun& loaded, const RunModes& modes, const RunFiles& files)
        : loaded_(loaded),
          pipeline_(loaded.pipeline),
          modes_(modes),
          files_(files),
          verify_(verify_of(loaded.run, modes)),
          steering_(steering_tensors(loaded.pipeline)),
          session_(loaded.run.mesh, loaded.arch, session_options(loaded, modes)),
          values_(loaded.pipeline, num_devices(), files.inputs, files.state),
          tensors_(session_, loaded.pipeline, num_devices(), unwritten_of(loaded.run, modes)) {
        record_.run = loaded.run;
        record_.pipeline = summary_of(loaded.pipeline);
        record_.workspaces = workspace_records(loaded);
        record_.stages = run_stages(loaded.pipeline, num_devices());
        record_.arch = loaded.arch;
        record_.resolved = loaded.resolved;
        record_.maths = modes.maths;
        record_.unread_inputs = values_.unread_inputs();
        record_.unread_sets = loaded_.unread_sets;
        record_.num_threads = session_.num_threads();
    }

    // All inputs are placed and written before the first step.
    report::RunRecord run() {
        for (const PipelineTensor& tensor : pipeline_.tensors) {
            const auto replicas = tensors_.place(tensor);
            // A trace needs the addresses of other tensors, not their values.
            const bool steers = std::ranges::find(steering_, tensor.name) != steering_.end();
            if (modes_.maths == Maths::On || is_integer(tensor.spec.format) || steers) {
                tensors_.write(tensor, replicas, values_);
            }
        }
        if (modes_.maths == Maths::On) {
            record_.nans = values_.nans();
        }
        std::uint32_t number = 0;
        for (std::size_t first = 0; first < pipeline_.steps.size();) {
            const std::size_t end = end_of_launch(pipeline_, first);
            if (files_.on_step) {
                files_.on_step({++number, static_cast<std::uint32_t>(num_launches(pipeline_)),
                                launch_name(pipeline_, first)});
            }
            launch(first, end);
            tensors_.free_unused_after(end);
            first = end;
        }
        if (files_.new_state != nullptr) {
            write_state(pipeline_, tensors_, values_, session_, *files_.new_state);
        }
        record_.host.timing = session_.wait_for_sink();
        finish_record();
        return std::move(record_);
    }

    /// Returns the record of the steps that have ended.
    report::RunRecord unfinished() {
        finish_record();
        return std::move(record_);
    }

private:
    [[nodiscard]] std::uint32_t num_devices() const { return loaded_.run.mesh.shape.num_devices(); }
    std::vector<DeviceProgram> programs_of(const PipelineStep& step,
                                           std::span<const std::uint32_t> group,
                                           const PlacedStep& placed) {
        auto programs = step.op->programs({.arch = loaded_.arch,
                                           .mesh = loaded_.run.mesh,
                                           .devices = group,
                                           .parameters = step.parameters.get(),
                                           .inputs = step.input_plans,
                                           .outputs = step.output_plans,
                                           .device_inputs = placed.inputs,
                                           .device_outputs = placed.outputs,
                                           .host_inputs = placed.host_inputs});
        const auto is_read = [](const auto& values) { return !values.empty(); };
        const auto reads =
            static_cast<std::uint32_t>(std::ranges::count_if(placed.host_inputs, is_read));
        for (DeviceProgram& program : programs) {
            // The replay charges a round trip to the host for each (dispatch.host_read).
            program.host_reads = reads;
            move_cores(program.program, step.first_core, loaded_.arch, step.name);
            find_kernels(program.program, *step.op, pipeline_);
            replace_kernels(program.program, files_.kernels);
        }
        return programs;
    }
    void launch(std::size_t first, std::size_t end) {
        // All steps of the launch are placed before it starts, and their workspaces are freed after
        // it: the steps run at the same time.
        std::vector<DeviceProgram> programs;
        std::vector<std::vector<PlacedStep>> placed;
        for (std::size_t i = first; i < end; ++i) {
            const PipelineStep& step = pipeline_.steps[i];
            auto& groups = placed.emplace_back();
            for (const auto& group : step.groups) {
                groups.push_back(tensors_.place_step(step, group));
                check_made_values(pipeline_, std::span(pipeline_.steps).subspan(first, end - first),
                                  step, groups.back(), session_);
                add_programs(programs_of(step, group, groups.back()), programs, step.name);
            }
        }
        // Read before the launch, which may overwrite inputs: a reference needs the values that the
        // kernels were given.
        std::vector<std::vector<KeptInputs>> kept;
        for (std::size_t i = first; i < end; ++i) {
            kept.push_back(inputs_before(std::span(pipeline_.steps).subspan(first, end - first),
                                         pipeline_.steps[i], placed[i - first]));
        }
        const LaunchResult result = launch_alike(first, end, placed, programs);
        record_.least_work.emplace_back(num_devices());
        activities_.insert(activities_.end(), result.cores.begin(), result.cores.end());
        merge_findings(record_.findings, result.findings);
        draw_undefined(first, end);
        for (std::size_t i = first; i < end; ++i) {
            // Compared at once, while the inputs are on the devices: later launches may overwrite
            // them.
            record_step(pipeline_.steps[i], placed[i - first], kept[i - first], result, i == first);
            tensors_.free_workspaces(placed[i - first], pipeline_.steps[i]);
        }
        ++num_launched_;
    }
    LaunchResult launch_alike(std::size_t first, std::size_t end,
                              const std::vector<std::vector<PlacedStep>>& placed,
                              std::span<const DeviceProgram> programs) {
        SteeringBytes bytes(steering_);
        std::vector<std::size_t> alike;
        if (may_run_once(first, end)) {
            for (std::size_t i = first; i < end; ++i) {
                bytes.add(pipeline_.steps[i], placed[i - first]);
            }
            alike = bytes.alike(programs, session_);
        }
        LaunchResult result = session_.launch(launch_name(pipeline_, first), programs, alike);
        bytes.copy_results(programs, alike, session_);
        return result;
    }
    // Kernels of a user may do what no operand says, and a random delivery differs by device.
    [[nodiscard]] bool may_run_once(std::size_t first, std::size_t end) const {
        const auto steps = std::span(pipeline_.steps).subspan(first, end - first);
        return modes_.maths == Maths::Off && modes_.alike == AlikeDevices::RunOnce &&
               loaded_.run.machine.noc_delivery != NocDelivery::Random &&
               std::ranges::none_of(steps, [this](const PipelineStep& step) {
                   return own_kernels_of(step) == OwnKernels::Yes;
               });
    }
    // Without maths, outputs of floating-point formats are undefined. Those that steer later
    // kernels get drawn values, before a later launch reads them.
    void draw_undefined(std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end && modes_.maths == Maths::Off; ++i) {
            std::ranges::move(
                draw_scores(pipeline_, pipeline_.steps[i], steering_, tensors_, session_),
                std::back_inserter(record_.drawn));
        }
    }
    [[nodiscard]] std::vector<KeptInputs> inputs_before(
        std::span<const PipelineStep> launched, const PipelineStep& step,
        const std::vector<PlacedStep>& groups) const {
        std::vector<KeptInputs> kept(groups.size());
        const OwnKernels own = own_kernels_of(step);
        if (verify_.level != VerifyLevel::Off && (is_checked(step) || own == OwnKernels::Yes)) {
            for (std::size_t g = 0; g < groups.size(); ++g) {
                kept[g] = KeptInputs(session_, step, groups[g], launched, own);
            }
        }
        return kept;
    }
    [[nodiscard]] OwnKernels own_kernels_of(const PipelineStep& step) const {
        return has_own_kernels(step) || !files_.kernels.empty() ? OwnKernels::Yes : OwnKernels::No;
    }

    [[nodiscard]] StepValues device_operands(std::span<const std::uint32_t> group,
                                             const PlacedStep& placed, const KeptInputs& kept,
                                             std::size_t num_outputs) const {
        StepValues values{.devices = group, .inputs = {}, .outputs = {}};
        const auto wrap = [&](const std::vector<DeviceTensor>& tensors) {
            std::vector<std::shared_ptr<const ops::OperandValues>> operand;
            operand.reserve(tensors.size());
            for (const DeviceTensor& tensor : tensors) {
                operand.push_back(std::make_shared<DeviceValues>(session_, tensor));
            }
            return operand;
        };
        for (const auto& tensors : placed.inputs) {
            values.inputs.push_back(wrap(tensors));
        }
        kept.replace(values.inputs);
        for (std::size_t i = 0; i < num_outputs; ++i) {
            values.outputs.push_back(wrap(placed.outputs[i]));
        }
        return values;
    }

    void record_step(const PipelineStep& step, const std::vector<PlacedStep>& groups,
                     const std::vector<KeptInputs>& kept, const LaunchResult& result,
                     bool is_first) {
        const auto start = Clock::now();
        std::vector<StepValues> values;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            values.push_back(
                device_operands(step.groups[g], groups[g], kept[g], step.outputs.size()));
        }
        report::StepRecord record{.name = step.name,
                                  .op = std::string(step.op->spec.name),
                                  .schedule = step.schedule,
                                  .num_cores = static_cast<std::uint32_t>(result.cores.size()),
                                  .output_tiles = output_tiles(step, values),
                                  // The launch's time belongs to its first step, so that times add
                                  // up.
                                  .host_seconds = is_first ? result.host_seconds : 0};
        record.launch = num_launched_;
        add_least_work(step, values, record_.least_work.back());
        record.check = check(step, values);
        check_inputs(step, groups, kept, record.check);
        note_nans(step, values, record.check);
        record.verify_seconds = seconds_since(start);
        record_.steps.push_back(std::move(record));
        note_expert_load(step, values, values_, pipeline_, record_.experts);
        // Written now, since a later launch may reuse the memory.
        if (files_.outputs != nullptr) {
            write_outputs(pipeline_, step, tensors_, session_, *files_.outputs);
        }
    }
    [[nodiscard]] bool is_checked(const PipelineStep& step) const {
        const bool is_last = &step == &pipeline_.steps.back();
        return verify_.level != VerifyLevel::Off && step.op->reference != nullptr &&
               (verify_.level != VerifyLevel::FinalOnly || is_last);
    }
    [[nodiscard]] std::optional<report::StepCheck> check(const PipelineStep& step,
                                                         std::span<const StepValues> values) {
        if (!is_checked(step)) {
            return std::nullopt;
        }
        return verify_.level == VerifyLevel::FinalOnly
                   ? check_final(step, values, loaded_, values_, verify_)
                   : check_step(step, values, verify_);
    }
    // A kernel that wrote over its input gave a result from values that the reference does not see.
    void check_inputs(const PipelineStep& step, const std::vector<PlacedStep>& groups,
                      const std::vector<KeptInputs>& kept,
                      std::optional<report::StepCheck>& check) const {
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const std::string change =
                kept[g].first_change(session_, step, groups[g], step.groups[g]);
            if (!change.empty()) {
                check = check.value_or(report::StepCheck{});
                check->failure = change;
                return;
            }
        }
    }
    // NaN are counted even if the step has no reference, but not with verify.level: off, because
    // reading the outputs takes time.
    void note_nans(const PipelineStep& step, std::span<const StepValues> values,
                   std::optional<report::StepCheck>& check) {
        std::vector<report::NanNote> found;
        if (check) {
            found = std::exchange(check->nans, {});
        } else if (verify_.level != VerifyLevel::Off) {
            found = nans_of_outputs(step, values);
        }
        std::ranges::move(found, std::back_inserter(record_.nans));
    }

    void finish_record() {
        record_.cores =
            report::sum_by_core(activities_, num_devices(), loaded_.arch.workers.compute);
        for (const report::StepRecord& step : record_.steps) {
            record_.host.launch += step.host_seconds;
            record_.host.verify += step.verify_seconds;
        }
    }

    const config::LoadedRun& loaded_;
    const PipelineSpec& pipeline_;
    const RunModes& modes_;
    const RunFiles& files_;
    VerifySpec verify_;
    std::vector<std::string> steering_;
    EmulatedSession session_;
    TensorValues values_;
    PlacedTensors tensors_;
    std::vector<CoreActivity> activities_;
    std::size_t num_launched_ = 0;
    report::RunRecord record_;
};

}  // namespace

RunModes timing_only(const PipelineSpec& pipeline) {
    RunModes modes;
    modes.maths = Maths::Off;
    const bool has_integers = std::ranges::any_of(
        pipeline.tensors, [](const PipelineTensor& t) { return is_integer(t.spec.format); });
    const bool steers = !steering_tensors(pipeline).empty();
    // Without integers and scores no kernel can branch on data, so no data is moved at all.
    modes.bulk_data = has_integers || steers ? BulkData::Integers : BulkData::Off;
    return modes;
}

report::RunRecord run_pipeline(const config::LoadedRun& loaded, const RunModes& modes,
                               const RunFiles& files) {
    check_before_run(loaded, modes, files);
    PipelineRun run(loaded, modes, files);
    try {
        return run.run();
    } catch (...) {
        if (files.unfinished != nullptr) {
            // A deadlock in the last step of a long run must not lose the verdicts of the steps
            // before it.
            *files.unfinished = run.unfinished();
            files.unfinished->error = report::run_error_of(std::current_exception());
        }
        throw;
    }
}

}  // namespace tessera::pipeline
