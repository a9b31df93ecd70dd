// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/run_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "emu/base/fields/nearest.hpp"
#include "emu/base/tensor_file/dtype.hpp"
#include "runtime/pipeline/check_step.hpp"
#include "runtime/pipeline/edit_program.hpp"
#include "runtime/pipeline/expert_load.hpp"
#include "runtime/pipeline/operand_values.hpp"
#include "runtime/pipeline/reference_chain.hpp"
#include "runtime/report/core_figures.hpp"
#include "runtime/session/emulated_session.hpp"
#include "runtime/session/page_codec.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

SessionOptions session_options(const config::LoadedRun& loaded, const RunModes& modes) {
    const RunSpec& run = loaded.run;
    return {.threads = run.host.threads,
            .delivery = run.machine.noc_delivery,
            .seed = run.machine.delivery_seed,
            .trace = modes.trace,
            .maths = modes.maths,
            .bulk_data = modes.bulk_data,
            .progress_limit = run.machine.progress_limit,
            .trace_sink = modes.trace_sink};
}

VerifySpec verify_of(const RunSpec& run, const RunModes& modes) {
    VerifySpec verify = run.verify;
    if (modes.maths == Maths::Off) {
        verify.level = VerifyLevel::Off;
    }
    return verify;
}

bool is_integer(DataFormat format) {
    return format == DataFormat::Int32 || format == DataFormat::UInt32 ||
           format == DataFormat::UInt16 || format == DataFormat::UInt8;
}

/// Whether every device of the mesh holds the same bytes of a step's output.
bool is_same_everywhere(const PipelineStep& step, std::size_t output, std::uint32_t devices) {
    return step.op->spec.outputs[output].replicas == ops::Replicas::Same &&
           step.groups.size() == 1 && step.groups.front().size() == devices;
}

TensorDeclaration declaration(std::string name, const TensorSpec& spec) {
    return {std::move(name), dtype_of(host_format(spec.format)), spec.shape};
}

std::string on_device(std::uint32_t device, std::string_view name) {
    return fmt::format("d{}.{}", device, name);
}

class PipelineRun {
public:
    PipelineRun(const config::LoadedRun& loaded, const RunModes& modes, const RunFiles& files)
        : loaded_(loaded),
          pipeline_(loaded.pipeline),
          modes_(modes),
          files_(files),
          verify_(verify_of(loaded.run, modes)),
          session_(loaded.run.mesh, loaded.arch, session_options(loaded, modes)),
          values_(loaded.pipeline, num_devices(), files.inputs, files.state),
          devices_(num_devices()),
          unused_kernels_(files.kernels.size()) {
        record_.run = loaded.run;
        record_.pipeline = summary_of(loaded.pipeline);
        record_.arch = loaded.arch;
        record_.resolved = loaded.resolved;
        record_.maths = modes.maths;
        record_.num_threads = session_.num_threads();
    }

    report::RunRecord run() {
        check_values();
        for (const PipelineTensor& tensor : pipeline_.tensors) {
            place(tensor);
        }
        std::uint32_t number = 0;
        for (std::size_t first = 0; first < pipeline_.steps.size();) {
            const std::size_t end = end_of_launch(pipeline_, first);
            if (files_.on_step) {
                files_.on_step({++number, static_cast<std::uint32_t>(num_launches(pipeline_)),
                                launch_name(first)});
            }
            launch(first, end);
            free_unused_after(end);
            first = end;
        }
        refuse_unused_kernels();
        write_state();
        finish_record();
        return std::move(record_);
    }

private:
    using Tensors = std::map<std::string, DeviceTensor, std::less<>>;

    [[nodiscard]] std::uint32_t num_devices() const { return loaded_.run.mesh.shape.num_devices(); }
    [[nodiscard]] const std::string& launch_name(std::size_t step) const {
        const PipelineStep& first = pipeline_.steps[step];
        return first.launch.empty() ? first.name : first.launch;
    }

    [[nodiscard]] bool is_read(const std::string& name, std::size_t first_step) const {
        return std::any_of(pipeline_.steps.begin() + static_cast<std::ptrdiff_t>(first_step),
                           pipeline_.steps.end(), [&](const PipelineStep& step) {
                               return std::ranges::find(step.inputs, name) != step.inputs.end();
                           });
    }
    [[nodiscard]] bool is_persistent(const std::string& name) const {
        const PipelineTensor* tensor = find_tensor(pipeline_, name);
        return tensor != nullptr && tensor->persistent;
    }

    /// What ops say of values that no step makes: ids in range, and the like.
    void check_values() const {
        for (const PipelineStep& step : pipeline_.steps) {
            if (!step.op->check_values) {
                continue;
            }
            for (const auto& group : step.groups) {
                const StepValues values = host_operands(step, group);
                if (values.inputs.size() == step.inputs.size()) {
                    step.op->check_values({.parameters = step.parameters.get(),
                                           .position = 0,
                                           .inputs = values.inputs,
                                           .outputs = step.output_plans});
                }
            }
        }
    }
    [[nodiscard]] StepValues host_operands(const PipelineStep& step,
                                           std::span<const std::uint32_t> group) const {
        StepValues values{.devices = group, .inputs = {}, .outputs = {}};
        for (const std::string& name : step.inputs) {
            const PipelineTensor* tensor = find_tensor(pipeline_, name);
            if (tensor == nullptr) {
                return values;  // made by a step
            }
            auto& operand = values.inputs.emplace_back();
            for (const std::uint32_t device : group) {
                operand.push_back(std::make_shared<HostValues>(values_.on(*tensor, device)));
            }
        }
        return values;
    }

    DeviceTensor allocate(std::uint32_t device, const std::string& name,
                          const ops::TensorPlan& plan) {
        return plan.layout == TensorMemoryLayout::INTERLEAVED
                   ? session_.allocate(device, name, plan.spec, plan.memory)
                   : session_.allocate_sharded(device, name, plan.spec, plan.memory, plan.layout,
                                               *plan.shard);
    }

    /// How the step that takes the tensor first has it lie.
    [[nodiscard]] const ops::TensorPlan* plan_of_input(const std::string& name) const {
        for (const PipelineStep& step : pipeline_.steps) {
            const auto input = std::ranges::find(step.inputs, name);
            if (input != step.inputs.end()) {
                return &step.input_plans[static_cast<std::size_t>(input - step.inputs.begin())];
            }
        }
        return nullptr;
    }

    void place(const PipelineTensor& tensor) {
        const ops::TensorPlan* plan = plan_of_input(tensor.name);
        if (plan == nullptr) {
            return;  // its values are of use to the host alone
        }
        std::vector<DeviceTensor> replicas;
        for (std::uint32_t device = 0; device < num_devices(); ++device) {
            replicas.push_back(allocate(device, tensor.name, *plan));
            devices_[device].insert_or_assign(tensor.name, replicas.back());
        }
        if (modes_.maths == Maths::Off && !is_integer(tensor.spec.format)) {
            return;  // its place in memory is all that a trace needs
        }
        const bool is_interleaved = plan->layout == TensorMemoryLayout::INTERLEAVED;
        if (tensor.distribution == Distribution::Replicated && is_interleaved) {
            session_.write_replicated(replicas, values_.on(tensor, 0));
            return;
        }
        for (std::uint32_t device = 0; device < num_devices(); ++device) {
            session_.write(replicas[device], values_.on(tensor, device));
        }
    }

    /// The operands of one step on one group, with the programs' view of them.
    struct PlacedStep {
        std::vector<std::vector<DeviceTensor>> inputs;
        std::vector<std::vector<DeviceTensor>> outputs;  ///< workspaces behind
        std::vector<std::vector<HostTensor>> host_inputs;
    };

    [[nodiscard]] const DeviceTensor& tensor_on(std::uint32_t device, std::string_view name) const {
        const auto found = devices_[device].find(name);
        ensure(found != devices_[device].end(), "{} is not on device {}", name, device);
        return found->second;
    }

    PlacedStep place_step(const PipelineStep& step, std::span<const std::uint32_t> group) {
        PlacedStep placed;
        for (const std::string& name : step.inputs) {
            auto& operand = placed.inputs.emplace_back();
            for (const std::uint32_t device : group) {
                operand.push_back(tensor_on(device, name));
            }
        }
        placed.outputs.resize(step.outputs.size() + step.workspace_plans.size());
        for (std::size_t position = 0; position < group.size(); ++position) {
            place_outputs(step, group[position], placed);
        }
        placed.host_inputs.resize(step.inputs.size());
        for (std::size_t i = 0; i < step.inputs.size(); ++i) {
            if (step.op->spec.inputs[i].host_read == ops::HostRead::Yes) {
                for (const DeviceTensor& tensor : placed.inputs[i]) {
                    placed.host_inputs[i].push_back(session_.read(tensor));
                }
            }
        }
        return placed;
    }
    void place_outputs(const PipelineStep& step, std::uint32_t device, PlacedStep& placed) {
        for (std::size_t i = 0; i < step.outputs.size(); ++i) {
            const std::string& name = step.outputs[i].name;
            const auto there = devices_[device].find(name);
            if (there == devices_[device].end()) {
                devices_[device].emplace(name, allocate(device, name, step.output_plans[i]));
            }
            placed.outputs[i].push_back(tensor_on(device, name));
        }
        for (std::size_t i = 0; i < step.workspace_plans.size(); ++i) {
            const std::string name = fmt::format("{}.workspace_{}", step.name, i);
            placed.outputs[step.outputs.size() + i].push_back(
                allocate(device, name, step.workspace_plans[i]));
        }
    }

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
        for (DeviceProgram& program : programs) {
            move_cores(program.program, step.first_core, loaded_.arch, step.name);
            find_kernels(program.program, *step.op, pipeline_.folder);
            replace_kernels(program.program);
        }
        return programs;
    }
    void replace_kernels(Program& program) {
        for (KernelDescription& kernel : program.kernels) {
            for (std::size_t i = 0; i < files_.kernels.size(); ++i) {
                if (kernel.source == files_.kernels[i].first) {
                    kernel.source = files_.kernels[i].second;
                    unused_kernels_[i] = true;
                    break;
                }
                known_kernels_.insert(kernel.source);
            }
        }
    }
    void refuse_unused_kernels() const {
        for (std::size_t i = 0; i < files_.kernels.size(); ++i) {
            const std::vector<std::string> known(known_kernels_.begin(), known_kernels_.end());
            require(unused_kernels_[i], "--kernel {}: no step has this kernel, did you mean {}?",
                    files_.kernels[i].first,
                    known.empty() ? "?" : config::nearest(files_.kernels[i].first, known));
        }
    }

    void launch(std::size_t first, std::size_t end) {
        std::vector<DeviceProgram> programs;
        std::vector<std::vector<PlacedStep>> placed;
        for (std::size_t i = first; i < end; ++i) {
            const PipelineStep& step = pipeline_.steps[i];
            auto& groups = placed.emplace_back();
            for (const auto& group : step.groups) {
                groups.push_back(place_step(step, group));
                add_programs(programs_of(step, group, groups.back()), programs, step.name);
            }
        }
        const LaunchResult result = session_.launch(launch_name(first), programs);
        activities_.insert(activities_.end(), result.cores.begin(), result.cores.end());
        for (std::size_t i = first; i < end; ++i) {
            record_step(pipeline_.steps[i], placed[i - first], result, i == first, programs);
            free_workspaces(placed[i - first], pipeline_.steps[i]);
        }
    }
    void free_workspaces(const std::vector<PlacedStep>& groups, const PipelineStep& step) {
        for (const PlacedStep& placed : groups) {
            for (std::size_t i = step.outputs.size(); i < placed.outputs.size(); ++i) {
                for (const DeviceTensor& tensor : placed.outputs[i]) {
                    session_.deallocate(tensor);
                }
            }
        }
    }

    [[nodiscard]] StepValues device_operands(std::span<const std::uint32_t> group,
                                             const PlacedStep& placed,
                                             std::size_t num_outputs) const {
        StepValues values{.devices = group, .inputs = {}, .outputs = {}};
        const auto wrap = [&](const std::vector<DeviceTensor>& tensors) {
            std::vector<std::shared_ptr<const ops::OperandValues>> operand;
            for (const DeviceTensor& tensor : tensors) {
                operand.push_back(std::make_shared<DeviceValues>(session_, tensor));
            }
            return operand;
        };
        for (const auto& tensors : placed.inputs) {
            values.inputs.push_back(wrap(tensors));
        }
        for (std::size_t i = 0; i < num_outputs; ++i) {
            values.outputs.push_back(wrap(placed.outputs[i]));
        }
        return values;
    }

    void record_step(const PipelineStep& step, const std::vector<PlacedStep>& groups,
                     const LaunchResult& result, bool is_first,
                     std::span<const DeviceProgram> programs) {
        const auto start = Clock::now();
        std::vector<StepValues> values;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            values.push_back(device_operands(step.groups[g], groups[g], step.outputs.size()));
        }
        (void)programs;
        report::StepRecord record{.name = step.name,
                                  .op = std::string(step.op->spec.name),
                                  .schedule = schedule_words(step),
                                  .num_cores = static_cast<std::uint32_t>(result.cores.size()),
                                  .output_tiles = output_tiles(step, values),
                                  .host_seconds = is_first ? result.host_seconds : 0};
        record.check = check(step, values);
        record.verify_seconds = seconds_since(start);
        record_.steps.push_back(std::move(record));
        note_expert_load(step, values, values_, pipeline_, record_.experts);
        write_outputs(step);
    }
    [[nodiscard]] std::optional<report::StepCheck> check(const PipelineStep& step,
                                                         std::span<const StepValues> values) {
        const bool is_last = &step == &pipeline_.steps.back();
        if (verify_.level == VerifyLevel::Off || !step.op->reference ||
            (verify_.level == VerifyLevel::FinalOnly && !is_last)) {
            return std::nullopt;
        }
        return verify_.level == VerifyLevel::FinalOnly
                   ? check_final(step, values, loaded_, values_, verify_)
                   : check_step(step, values, verify_);
    }
    static std::string schedule_words(const PipelineStep& step) {
        if (step.op->schedule) {
            return step.op->schedule(step.parameters.get());
        }
        return step.op->spec.schedules.empty() ? "" : std::string(step.op->spec.schedules.front());
    }

    // Rows of tiles that hold valid rows, for the tensors that say which these are.
    static std::uint64_t output_tiles(const PipelineStep& step,
                                      std::span<const StepValues> groups) {
        std::uint64_t tiles = 0;
        for (const StepValues& group : groups) {
            for (std::size_t position = 0; position < group.devices.size(); ++position) {
                for (std::size_t i = 0; i < step.outputs.size(); ++i) {
                    const Shape& shape = step.output_plans[i].spec.shape;
                    const auto counts = counts_of(step, group, step.op->spec.outputs[i], position);
                    if (counts.empty() || shape.size() < 3) {
                        tiles += TensorSpec{shape, DataFormat::Float16_b, Layout::TILE}.num_pages();
                        continue;
                    }
                    const std::uint64_t columns = (shape.back() + kTileColumns - 1) / kTileColumns;
                    for (const std::uint32_t count : counts) {
                        tiles += (count + kTileRows - 1) / kTileRows * columns;
                    }
                }
            }
        }
        return tiles;
    }

    void write_outputs(const PipelineStep& step) {
        for (std::size_t i = 0; files_.outputs != nullptr && i < step.outputs.size(); ++i) {
            const std::string& name = step.outputs[i].name;
            if (std::ranges::find(pipeline_.outputs, name) == pipeline_.outputs.end() ||
                is_written_again(name, step)) {
                continue;
            }
            if (is_same_everywhere(step, i, num_devices())) {
                files_.outputs->append(name, session_.read(tensor_on(0, name)).bytes);
                continue;
            }
            for (const auto& group : step.groups) {
                for (const std::uint32_t device : group) {
                    files_.outputs->append(on_device(device, name),
                                           session_.read(tensor_on(device, name)).bytes);
                }
            }
        }
    }
    [[nodiscard]] bool is_written_again(const std::string& name, const PipelineStep& step) const {
        bool is_later = false;
        for (const PipelineStep& other : pipeline_.steps) {
            if (is_later &&
                std::ranges::find(other.outputs, name, &StepOutput::name) != other.outputs.end()) {
                return true;
            }
            is_later = is_later || &other == &step;
        }
        return false;
    }

    void write_state() const {
        for (const PipelineTensor& tensor : pipeline_.tensors) {
            if (!tensor.persistent || files_.new_state == nullptr ||
                !devices_[0].contains(tensor.name)) {
                continue;
            }
            if (tensor.distribution == Distribution::Replicated) {
                files_.new_state->append(tensor.name,
                                         session_.read(tensor_on(0, tensor.name)).bytes);
            }
        }
    }

    void free_unused_after(std::size_t next_step) {
        for (Tensors& tensors : devices_) {
            std::erase_if(tensors, [&](const auto& entry) {
                const auto& [name, tensor] = entry;
                const bool is_unused = !is_read(name, next_step) && !is_persistent(name);
                if (is_unused) {
                    session_.deallocate(tensor);
                }
                return is_unused;
            });
        }
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
    EmulatedSession session_;
    TensorValues values_;
    std::vector<Tensors> devices_;
    std::vector<CoreActivity> activities_;
    std::vector<bool> unused_kernels_;  ///< by place in RunFiles::kernels: whether it was used
    std::set<std::string> known_kernels_;
    report::RunRecord record_;
};

}  // namespace

RunModes timing_only(const PipelineSpec& pipeline) {
    RunModes modes;
    modes.maths = Maths::Off;
    const bool has_integers = std::ranges::any_of(
        pipeline.tensors, [](const PipelineTensor& t) { return is_integer(t.spec.format); });
    modes.bulk_data = has_integers ? BulkData::Integers : BulkData::Off;
    return modes;
}

std::vector<TensorDeclaration> output_tensors(const config::LoadedRun& loaded) {
    const PipelineSpec& pipeline = loaded.pipeline;
    std::vector<TensorDeclaration> tensors;
    std::set<std::string> declared;
    for (const PipelineStep& step : pipeline.steps) {
        for (std::size_t i = 0; i < step.outputs.size(); ++i) {
            const std::string& name = step.outputs[i].name;
            if (std::ranges::find(pipeline.outputs, name) == pipeline.outputs.end() ||
                !declared.insert(name).second) {
                continue;
            }
            const TensorSpec& spec = step.output_plans[i].spec;
            if (is_same_everywhere(step, i, loaded.run.mesh.shape.num_devices())) {
                tensors.push_back(declaration(name, spec));
                continue;
            }
            for (const auto& group : step.groups) {
                for (const std::uint32_t device : group) {
                    tensors.push_back(declaration(on_device(device, name), spec));
                }
            }
        }
    }
    return tensors;
}

std::vector<TensorDeclaration> state_tensors(const config::LoadedRun& loaded) {
    std::vector<TensorDeclaration> tensors;
    for (const PipelineTensor& tensor : loaded.pipeline.tensors) {
        if (tensor.persistent) {
            tensors.push_back(declaration(tensor.name, tensor.spec));
        }
    }
    return tensors;
}

report::RunRecord run_pipeline(const config::LoadedRun& loaded, const RunModes& modes,
                               const RunFiles& files) {
    return PipelineRun(loaded, modes, files).run();
}

}  // namespace tessera::pipeline
