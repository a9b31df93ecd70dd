// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_v2/programs.hpp"

#include "ops/all_reduce/all_reduce.hpp"
#include "ops/local_reduce_moe_output/local_reduce_moe_output.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "ops/mul/mul.hpp"
#include "ops/prepare_moe_routing_tensors/prepare_moe_routing_tensors.hpp"
#include "ops/scatter_moe_input/scatter_moe_input.hpp"
#include "ops/silu/silu.hpp"
#include "ops/silu_mul/silu_mul.hpp"
#include "ops/to_layout/to_layout.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops::moe_v2 {
namespace {

namespace prepare = prepare_moe_routing_tensors;
namespace local_reduce = local_reduce_moe_output;

/// A step's tensors on one device, by their place in the plan.
class StepTensors {
public:
    StepTensors(const StepPlan& plan, const DeviceTensors& tensors)
        : plan_(plan), tensors_(tensors) {}
    [[nodiscard]] const DeviceTensor& in(std::size_t i) const {
        return tensors_.find(plan_.inputs.at(i))->second;
    }
    [[nodiscard]] const DeviceTensor& out(std::size_t i) const {
        return tensors_.find(plan_.outputs.at(i))->second;
    }

private:
    const StepPlan& plan_;
    const DeviceTensors& tensors_;
};

Program make_bmm(const ProgramContext& context, const StepTensors& t, const RoutedTokens& counts) {
    return moe_bmm::make_program(context.arch, {t.in(0), t.in(1), counts}, {t.out(0)},
                                 context.ops.moe_bmm);
}

Program make_activation(StepKind kind, const ProgramContext& context, const StepTensors& t,
                        std::span<const std::uint32_t> counts) {
    const ArchSpec& arch = context.arch;
    const ActivationSpec& schedule = context.ops.activation;
    switch (kind) {
        case StepKind::Silu:
            return silu::make_program(arch, {t.in(0), {t.in(1), counts}}, {t.out(0)}, schedule);
        case StepKind::Mul:
            return mul::make_program(arch, {t.in(0), t.in(1), {t.in(2), counts}}, {t.out(0)},
                                     schedule);
        default:
            return silu_mul::make_program(arch, {t.in(0), t.in(1), {t.in(2), counts}}, {t.out(0)},
                                          schedule);
    }
}

Program make_program(StepKind kind, const ProgramContext& context, const StepTensors& t,
                     std::span<const std::uint32_t> counts) {
    const auto& [arch, mesh, ops, all_counts] = context;
    switch (kind) {
        case StepKind::PrepareRouting:
            return prepare::make_program(arch, {t.in(0), t.in(1), t.in(2)},
                                         {t.out(0), t.out(1), t.out(2), t.out(3)}, ops.scatter);
        case StepKind::Scatter:
            return scatter_moe_input::make_program(arch, {t.in(0), t.in(1), t.in(2)}, {t.out(0)},
                                                   ops.scatter);
        case StepKind::ToTile:
        case StepKind::ToRowMajor:
            return to_layout::make_program(arch, {t.in(0)}, {t.out(0)}, ops.to_layout);
        case StepKind::Gate:
        case StepKind::Up:
        case StepKind::Down:
            return make_bmm(context, t, {t.in(2), counts});
        case StepKind::Silu:
        case StepKind::Mul:
        case StepKind::SiluMul:
            return make_activation(kind, context, t, counts);
        case StepKind::LocalReduce:
            return local_reduce::make_program(arch, {t.in(0), t.in(1), t.in(2), t.in(3)},
                                              {t.out(0)}, ops.local_reduce);
        case StepKind::AllReduce:
            break;
    }
    throw InternalError("moe_v2: all_reduce has one program for all devices together");
}

std::vector<DeviceProgram> make_all_reduce(const StepPlan& plan, const ProgramContext& context,
                                           std::span<const DeviceTensors> devices) {
    std::vector<DeviceTensor> inputs;
    std::vector<DeviceTensor> outputs;
    for (const DeviceTensors& tensors : devices) {
        const StepTensors t(plan, tensors);
        inputs.push_back(t.in(0));
        outputs.push_back(t.out(0));
    }
    return all_reduce::make_programs(context.arch, context.mesh, {inputs}, {outputs},
                                     context.ops.all_reduce);
}

std::vector<TensorSpec> routing_specs(const StepTensors& t) {
    const prepare::OutputSpecs specs = prepare::output_specs({t.in(0), t.in(1), t.in(2)});
    return {specs.num_routed_tokens, specs.routed_tokens, specs.routed_token_weights,
            specs.token_idx_map};
}

}  // namespace

std::vector<TensorSpec> output_specs(const StepPlan& plan, const DeviceTensors& tensors) {
    const StepTensors t(plan, tensors);
    switch (plan.kind) {
        case StepKind::PrepareRouting:
            return routing_specs(t);
        case StepKind::Scatter:
            return {scatter_moe_input::scattered_spec({t.in(0), t.in(1), t.in(2)})};
        case StepKind::ToTile:
        case StepKind::ToRowMajor:
            return {to_layout::output_spec(t.in(0).spec)};
        case StepKind::Gate:
        case StepKind::Up:
        case StepKind::Down:
            return {moe_bmm::output_spec(t.in(0).spec, t.in(1).spec)};
        case StepKind::Silu:
        case StepKind::Mul:
        case StepKind::SiluMul:
            return {silu::output_spec(t.in(0).spec)};
        case StepKind::LocalReduce:
            return {local_reduce::local_spec({t.in(0), t.in(1), t.in(2), t.in(3)})};
        case StepKind::AllReduce:
            return {all_reduce::output_spec(t.in(0).spec)};
    }
    throw InternalError(fmt::format("moe_v2: invalid StepKind {}", static_cast<int>(plan.kind)));
}

std::vector<DeviceProgram> make_programs(const StepPlan& plan, const ProgramContext& context,
                                         std::span<const DeviceTensors> devices) {
    if (plan.kind == StepKind::AllReduce) {
        return make_all_reduce(plan, context, devices);
    }
    std::vector<DeviceProgram> programs;
    for (std::uint32_t device = 0; device < devices.size(); ++device) {
        std::span<const std::uint32_t> counts;
        if (plan.kind != StepKind::PrepareRouting) {
            counts = context.num_routed_tokens[device];
        }
        programs.push_back(
            {device, make_program(plan.kind, context, {plan, devices[device]}, counts)});
    }
    return programs;
}

}  // namespace tessera::ops::moe_v2
