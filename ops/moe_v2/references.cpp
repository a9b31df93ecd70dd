// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_v2/references.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "ops/all_reduce/all_reduce.hpp"
#include "ops/local_reduce_moe_output/local_reduce_moe_output.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "ops/moe_v2/read_rows.hpp"
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

// Takes the inputs: a change of layout gives the same values back.
HostTensor reference(StepKind kind, std::vector<HostTensor> in,
                     std::span<const std::uint32_t> counts, const OpsSpec& ops) {
    switch (kind) {
        case StepKind::Scatter:
            return scatter_moe_input::reference(in[0], in[1], in[2]);
        case StepKind::ToTile:
        case StepKind::ToRowMajor:
            return to_layout::reference(std::move(in[0]));
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
        case StepKind::Gate:
        case StepKind::Up:
        case StepKind::Down:
        case StepKind::AllReduce:
            break;
    }
    throw InternalError("moe_v2: this step has no reference of one tensor on one device");
}

// Expert by expert: what one of them needs stays in the host's caches.
HostTensor projection_reference(const Session& session, const DeviceTensor& input,
                                const DeviceTensor& weights,
                                std::span<const std::uint32_t> counts) {
    HostTensor output =
        make_host_tensor(moe_bmm::output_spec(input.spec, weights.spec).shape, DataFormat::Float32);
    const std::size_t each = output.bytes.size() / counts.size();
    tbb::parallel_for(std::size_t{0}, counts.size(), [&](std::size_t expert) {
        if (counts[expert] == 0) {
            return;
        }
        const auto index = static_cast<std::uint32_t>(expert);
        const HostTensor one =
            moe_bmm::reference(read_rows(session, input, index, counts[expert]),
                               session.read_matrix(weights, index), counts.subspan(expert, 1));
        std::ranges::copy(one.bytes,
                          output.bytes.begin() + static_cast<std::ptrdiff_t>(expert * each));
    });
    return output;
}

bool is_projection(StepKind kind) {
    return kind == StepKind::Gate || kind == StepKind::Up || kind == StepKind::Down;
}

}  // namespace

std::vector<HostTensor> device_references(const Session& session, const Step& step,
                                          std::uint32_t device, const OpsSpec& ops) {
    const DeviceTensors& tensors = step.devices[device];
    if (is_projection(step.plan->kind)) {
        std::vector<HostTensor> references;
        references.push_back(projection_reference(
            session, tensors.find(step.plan->inputs[0])->second,
            tensors.find(step.plan->inputs[1])->second, step.num_routed_tokens[device]));
        return references;
    }
    std::vector<HostTensor> inputs;
    for (const std::string_view name : step.plan->inputs) {
        inputs.push_back(session.read(tensors.find(name)->second));
    }
    if (step.plan->kind == StepKind::PrepareRouting) {
        return routing_references(inputs);
    }
    std::vector<HostTensor> references;
    references.push_back(
        reference(step.plan->kind, std::move(inputs), step.num_routed_tokens[device], ops));
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
