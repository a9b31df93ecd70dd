// SPDX-License-Identifier: Apache-2.0
// Plans a bound pipeline before anything runs: shapes, layouts and rules of all steps.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "emu/base/fields/nearest.hpp"
#include "ops/contract.hpp"
#include "runtime/config/pipeline_binder.hpp"
#include "runtime/config/planned_tensors.hpp"
#include "runtime/config/step_judge.hpp"
#include "runtime/steps/rehearse_run.hpp"
#include "runtime/steps/workspaces.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

using ops::OpContext;
using ops::TensorPlan;
using pipeline::PipelineStep;
using pipeline::StepOutput;

/// Returns the inferred plan with the properties that the run file states.
TensorPlan with_stated(TensorPlan plan, const StepOutput& output, const ArchSpec& arch) {
    plan.spec.shape = output.shape.value_or(plan.spec.shape);
    plan.spec.format = output.format.value_or(plan.spec.format);
    plan.spec.layout = output.layout.value_or(plan.spec.layout);
    // Shape, format, layout and tile come first: shards are those of the stated spec.
    plan.spec.tile = output.tile.value_or(plan.spec.tile);
    return output.memory ? placed(plan.spec, *output.memory, arch) : plan;
}

/// Infers the outputs. A step may name fewer outputs than the op has; the last ones are then
/// omitted.
void infer_outputs(PipelineStep& step, const OpContext& context, StepJudge& judge) {
    std::vector<TensorPlan> inferred = step.op->infer(context);
    judge.require(!step.outputs.empty() && inferred.size() >= step.outputs.size(), "outputs",
                  fmt::format("are {} tensors; allowed: up to {}, the outputs of the op",
                              step.outputs.size(), inferred.size()));
    if (!judge.is_kept()) {
        return;
    }
    // Outputs are named by position, so that only the last ones can be left out.
    inferred.resize(step.outputs.size());
    for (std::size_t i = 0; i < inferred.size(); ++i) {
        step.output_plans.push_back(
            with_stated(std::move(inferred[i]), step.outputs[i], context.arch));
    }
}

/// Checks an output that exists already: it is overwritten in place, so its plan must be the same.
void check_rewritten(const PlannedTensors& planned, const PipelineStep& step, StepJudge& judge) {
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        const auto found = planned.find(step.outputs[i].name);
        if (found == planned.end()) {
            continue;
        }
        // A step of another layer may write the same tensor again.
        judge.require(found->second.plan.spec == step.output_plans[i].spec,
                      step.op->spec.outputs[i].name,
                      fmt::format("writes {} again, with another shape, format or layout",
                                  step.outputs[i].name));
    }
}

/// Checks that outputs with a workspace can be in one.
void check_workspaces(const PipelineStep& step, StepJudge& judge) {
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        const StepOutput& output = step.outputs[i];
        const auto reason = pipeline::workspace_refusal(step.output_plans[i]);
        judge.require(output.workspace.empty() || !reason, step.op->spec.outputs[i].name,
                      reason ? *reason : "");
    }
}

std::string schedule_words(const ops::Op& op, const OpContext& context) {
    const auto& names = op.spec.schedules;
    return op.schedule ? op.schedule(context) : names.empty() ? "" : std::string(names.front());
}

/// Checks the contract, infers outputs and checks rules, in this order: rules may assume shapes
/// that keep the contract.
void check_step(PipelineBinder& binder, PipelineStep& step, PlannedTensors& planned,
                StepJudge& judge) {
    OpContext context{.arch = binder.target.arch,
                      .mesh = binder.target.mesh,
                      .devices = step.groups.front(),
                      .parameters = step.parameters.get(),
                      .inputs = step.input_plans};
    if (!check_contract(*step.op, context, judge)) {
        return;
    }
    place_open_inputs(step, context, planned);
    context.inputs = step.input_plans;
    infer_outputs(step, context, judge);
    if (!judge.is_kept()) {
        return;
    }
    context.outputs = step.output_plans;
    ops::judge(*step.op, context, judge);
    for (const auto& [parameter, operand] : step.op->shared_parameters) {
        const std::string& tensor = step.inputs[operand];
        judge.require_as_maker(parameter, tensor, planned.at(tensor).maker);
    }
    check_rewritten(planned, step, judge);
    check_workspaces(step, judge);
    // Schedules and sizes of workspaces follow from shapes that keep the rules.
    if (!judge.is_kept()) {
        return;
    }
    step.schedule = schedule_words(*step.op, context);
    if (step.op->workspaces) {
        step.workspace_plans = step.op->workspaces(context);
    }
}

/// Returns the parts of a step whose contract and rules hold; records the mistakes of another step.
std::vector<PipelineStep> parts_of(PipelineBinder& binder, PipelineStep& step,
                                   PlannedTensors& planned) {
    std::vector<PipelineStep> parts;
    StepJudge judge(binder, step);
    try {
        if (!gather_inputs(binder, step, planned)) {
            return parts;
        }
        check_step(binder, step, planned, judge);
        if (!judge.is_kept()) {
            return parts;
        }
        const OpContext context{.arch = binder.target.arch,
                                .mesh = binder.target.mesh,
                                .devices = step.groups.front(),
                                .parameters = step.parameters.get(),
                                .inputs = step.input_plans,
                                .outputs = step.output_plans};
        // Parts depend on the plans of the whole step, so that it is checked first.
        for (const ops::PartStep& part : step.op->parts(context)) {
            if (auto bound = bind_part(binder, step, part)) {
                parts.push_back(std::move(*bound));
            }
        }
    } catch (const UsageError& error) {
        binder.rules.add(step.place, "steps." + step.name, error.what());
    }
    return parts;
}

/// Plans one step and enters its outputs for later steps.
void plan_step(PipelineBinder& binder, PipelineStep& step, PlannedTensors& planned) {
    StepJudge judge(binder, step);
    bool is_known = false;
    try {
        if (gather_inputs(binder, step, planned)) {
            check_step(binder, step, planned, judge);
            is_known = judge.is_kept();
        }
    } catch (const UsageError& error) {
        // Some mistakes of a step are found only when the op computes its outputs.
        binder.rules.add(step.place, "steps." + step.name, error.what());
    }
    std::set<std::uint32_t> devices;
    for (const auto& group : step.groups) {
        devices.insert(group.begin(), group.end());
    }
    if (devices.size() == binder.target.mesh.shape.num_devices()) {
        // Empty means all devices: most tensors, and the comparison is then free.
        devices.clear();
    }
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        PlannedTensor made{.is_known = is_known, .devices = devices, .maker = step.name};
        if (is_known) {
            made.plan = step.output_plans[i];
        }
        planned.insert_or_assign(step.outputs[i].name, std::move(made));
    }
}

/// Steps in the order of their launches. A step with `beside` is inserted before the step whose
/// launch it joins, because only neighbours share a launch.
class PlannedSteps {
public:
    PlannedSteps(PipelineBinder& binder, PlannedTensors& planned)
        : binder_(binder), planned_(planned) {}

    /// Keeps a step until the step named in its `beside` is added. That step may be a part of
    /// another one, which has no position before planning.
    void hold(PipelineStep step) { held_.push_back({std::move(step), steps_.size()}); }

    void add(PipelineStep step) {
        for (auto& [held, num_before] : held_) {
            if (held.beside == step.name) {
                step.launch = step.launch.empty() ? step.name : step.launch;
                held.launch = step.launch;
                held.beside.clear();
                plan_step(binder_, steps_.emplace_back(std::move(held)), planned_);
            }
        }
        std::erase_if(held_, [](const HeldStep& held) { return held.step.beside.empty(); });
        plan_step(binder_, steps_.emplace_back(std::move(step)), planned_);
    }

    /// Returns all steps. A held step is an error if no later step has the name in its `beside`.
    [[nodiscard]] std::vector<PipelineStep> take() {
        for (const auto& [held, num_before] : held_) {
            std::vector<std::string> known;
            for (std::size_t i = num_before; i < steps_.size(); ++i) {
                known.push_back(steps_[i].name);
            }
            binder_.rules.add(held.place, fmt::format("steps.{}.beside", held.name),
                              known.empty() ? fmt::format("no step {} follows it", held.beside)
                                            : fmt::format("no step {} follows it, {}", held.beside,
                                                          correction(held.beside, known)));
        }
        return std::move(steps_);
    }

private:
    struct HeldStep {
        PipelineStep step;
        std::size_t num_before;  ///< steps before it, which its `beside` cannot name
    };

    PipelineBinder& binder_;
    PlannedTensors& planned_;
    std::vector<PipelineStep> steps_;
    std::vector<HeldStep> held_;
};

// Rehearses the run; called only for a pipeline without other mistakes, since it needs all plans.
void rehearse(PipelineBinder& binder) {
    // Builds all programs and lays their circular buffers out without a device. Before, only `run`
    // found a lack of L1.
    const auto [obstacle, kernels] =
        pipeline::rehearse_run(binder.spec, binder.target.arch, binder.target.mesh);
    binder.spec.kernels.assign(kernels.begin(), kernels.end());
    if (!obstacle) {
        return;
    }
    if (obstacle->tensor != nullptr) {
        binder.rules.add(obstacle->tensor->place, "tensors." + obstacle->tensor->name,
                         obstacle->text);
    } else {
        binder.rules.add(obstacle->step->place, "steps." + obstacle->step->name, obstacle->text);
    }
}

}  // namespace

void plan_steps(PipelineBinder& binder) {
    // Input tensors come first: steps are planned in order and read the tensors planned by then.
    PlannedTensors planned = plan_tensors(binder);
    PlannedSteps steps(binder, planned);
    for (PipelineStep& step : binder.spec.steps) {
        if (!step.beside.empty()) {
            steps.hold(std::move(step));
            continue;
        }
        if (!step.op->parts) {
            steps.add(std::move(step));
            continue;
        }
        // The whole step is planned first, so that mistakes are reported in the terms of the run
        // file and not of its parts.
        std::vector<PipelineStep> parts = parts_of(binder, step, planned);
        for (PipelineStep& part : parts) {
            steps.add(std::move(part));
        }
        for (const StepOutput& output : step.outputs) {
            // Mistakes are recorded; readers of its outputs must not report unknown tensors.
            if (parts.empty()) {
                planned.insert_or_assign(output.name, PlannedTensor{.is_known = false});
            }
        }
        // Kept: check_before_run() checks values by the rules of the whole step, too.
        binder.spec.replaced_steps.push_back(std::move(step));
    }
    binder.spec.steps = steps.take();
    if (binder.rules.empty() && binder.binding.violations.empty()) {
        binder.spec.workspaces = pipeline::plan_workspaces(binder.spec, binder.target.arch);
        rehearse(binder);
    }
}

}  // namespace tessera::config
