// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_v2/references.hpp"

#include <tbb/parallel_for.h>

#include <numeric>

#include "ops/all_reduce/all_reduce.hpp"
#include "ops/local_reduce_moe_output/local_reduce_moe_output.hpp"
#include "ops/moe_bmm/expert_reference.hpp"
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

// Rows of weights read at once: with the sums of some tokens they stay in the host's caches.
std::uint32_t rows_at_once(std::uint32_t inner) {
    for (const std::uint32_t rows : {4 * kTileRows, 2 * kTileRows, kTileRows}) {
        if (inner % rows == 0) {
            return rows;
        }
    }
    return inner;
}

/// One expert's rows of a projection.
struct ExpertRows {
    std::uint32_t expert = 0;
    std::uint32_t count = 0;
    std::span<float> output;  ///< count rows
};

void project_rows(const Session& session, const DeviceTensor& input, const DeviceTensor& weights,
                  const ExpertRows& rows) {
    const Shape& shape = weights.spec.shape;
    moe_bmm::ExpertReference sums(read_rows(session, input, rows.expert, rows.count), 0, rows.count,
                                  {0, shape[2]});
    const std::uint32_t step = rows_at_once(shape[1]);
    const DeviceTensor parts = cut_into_rows(weights, step);
    for (std::uint32_t k = 0; k < shape[1]; k += step) {
        const std::uint32_t part = (rows.expert * shape[1] + k) / step;
        sums.add(session.read_matrix(parts, part), 0, k, step);
    }
    sums.store(rows.output, shape[2]);
}

// Of the rows that count only, one after another under the output's own shape.
HostTensor projection_reference(const Session& session, const DeviceTensor& input,
                                const DeviceTensor& weights,
                                std::span<const std::uint32_t> counts) {
    const Shape shape = moe_bmm::output_spec(input.spec, weights.spec).shape;
    std::vector<std::size_t> first_rows(counts.size() + 1);
    std::partial_sum(counts.begin(), counts.end(), first_rows.begin() + 1);
    HostTensor output{shape, DataFormat::Float32,
                      std::vector<std::byte>(first_rows.back() * shape[2] * sizeof(float))};
    const std::span<float> values = output.as<float>();
    tbb::parallel_for(std::size_t{0}, counts.size(), [&](std::size_t expert) {
        const std::size_t size = std::size_t{counts[expert]} * shape[2];
        const std::span<float> rows = values.subspan(first_rows[expert] * shape[2], size);
        if (counts[expert] != 0) {
            project_rows(session, input, weights,
                         {static_cast<std::uint32_t>(expert), counts[expert], rows});
        }
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
