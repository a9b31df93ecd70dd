// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/linear.hpp"

#include <tbb/parallel_for.h>

namespace tessera::ops::linear {
namespace {

constexpr std::size_t kBias = 2;

/// Presents a matrix as a stack of one, whose tiles have the same places.
template <class Tensor>
Tensor as_stack(Tensor weights) {
    weights.spec.shape.insert(weights.spec.shape.begin(), 1);
    return weights;
}

void rules(const OpContext& context, RuleJudge& judge) {
    // One matrix is the case of one expert, so that limits and messages are those of expert_rows.
    const TensorPlan weights = as_stack(context.inputs[1]);
    const TensorPlan bias = context.has(kBias) ? as_stack(context.inputs[kBias]) : TensorPlan{};
    judge_product(context.arch,
                  {.rows = context.inputs[0],
                   .weights = weights,
                   .bias = context.has(kBias) ? &bias : nullptr},
                  false, context.params<LinearSpec>(), judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs[0].spec;
    // Weights are (N, K), as checkpoints of linear layers store them; the product takes them
    // transposed.
    output.shape.back() = context.inputs[1].spec.shape[0];
    return {{.spec = output}};
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        const DeviceTensor weights = as_stack(context.device_inputs[1][p]);
        const DeviceTensor bias =
            context.has(kBias) ? as_stack(context.device_inputs[kBias][p]) : DeviceTensor{};
        return expert_product(kSpec.name, context.arch,
                              {.rows = context.device_inputs[0][p],
                               .weights = weights,
                               .output = context.device_outputs[0][p],
                               .bias = context.has(kBias) ? &bias : nullptr},
                              context.params<LinearSpec>());
    });
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::vector<float> rows = floats_of(context.read(0));
    const std::vector<float> weights = floats_of(context.read(1));
    const std::vector<float> bias =
        context.has(kBias) ? floats_of(context.read(kBias)) : std::vector<float>{};
    const Shape& matrix = context.in(1).shape();
    const std::size_t n = matrix[0];
    const std::size_t k = matrix[1];
    HostTensor output = make_host_tensor(context.outputs[0].spec.shape, DataFormat::Float32);
    // Rows are independent, so that the host's threads share them without a lock.
    tbb::parallel_for(std::size_t{0}, rows.size() / k, [&](std::size_t row) {
        const auto out = output.as<float>().subspan(row * n, n);
        product_row(std::span(rows).subspan(row * k, k), weights, 1, out);
        for (std::size_t i = 0; i < bias.size(); ++i) {
            out[i] += bias[i];
        }
    });
    return list_of(std::move(output));
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<LinearSpec>(kProductFields<LinearSpec>),
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::linear
