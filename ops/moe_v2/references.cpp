// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_v2/references.hpp"

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

std::vector<HostTensor> routing_references(const std::vector<HostTensor>& in) {
    auto tables = prepare_moe_routing_tensors::reference(in[0], in[1], in[2]);
    std::vector<HostTensor> references;
    references.push_back(std::move(tables.num_routed_tokens));
    references.push_back(std::move(tables.routed_tokens));
    references.push_back(std::move(tables.routed_token_weights));
    references.push_back(std::move(tables.token_idx_map));
    return references;
}

HostTensor reference(StepKind kind, const std::vector<HostTensor>& in,
                     std::span<const std::uint32_t> counts, const OpsSpec& ops) {
    switch (kind) {
        case StepKind::Scatter:
            return scatter_moe_input::reference(in[0], in[1], in[2]);
        case StepKind::ToTile:
        case StepKind::ToRowMajor:
            return to_layout::reference(in[0]);
        case StepKind::Gate:
        case StepKind::Up:
        case StepKind::Down:
            return moe_bmm::reference(in[0], in[1], counts);
        case StepKind::Silu:
            return silu::reference(in[0], counts);
        case StepKind::Mul:
            return mul::reference(in[0], in[1], counts);
        case StepKind::SiluMul:
            return silu_mul::reference(in[0], in[1], counts);
        case StepKind::LocalReduce:
            return local_reduce_moe_output::reference(in[0], in[1], in[2], in[3],
                                                      ops.local_reduce.accumulator);
        case StepKind::PrepareRouting:
        case StepKind::AllReduce:
            break;
    }
    throw InternalError("moe_v2: this step has no reference of one tensor on one device");
}

}  // namespace

std::vector<HostTensor> device_references(const Session& session, const Step& step,
                                          std::uint32_t device, const OpsSpec& ops) {
    std::vector<HostTensor> inputs;
    for (const std::string_view name : step.plan->inputs) {
        inputs.push_back(session.read(step.devices[device].find(name)->second));
    }
    if (step.plan->kind == StepKind::PrepareRouting) {
        return routing_references(inputs);
    }
    std::vector<HostTensor> references;
    references.push_back(reference(step.plan->kind, inputs, step.num_routed_tokens[device], ops));
    return references;
}

HostTensor all_reduce_reference(const Session& session, const Step& step) {
    std::vector<HostTensor> inputs;
    for (const DeviceTensors& tensors : step.devices) {
        inputs.push_back(session.read(tensors.find(step.plan->inputs[0])->second));
    }
    return all_reduce::reference(inputs);
}

}  // namespace tessera::ops::moe_v2
