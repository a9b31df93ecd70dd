// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/moe_output_file.hpp"

#include <fmt/format.h>

namespace tessera::run {
namespace {

void add_device(const RunSpec& run, std::uint32_t device, std::vector<TensorDeclaration>& tensors) {
    const WorkloadSpec& layer = run.workload;
    const std::uint32_t experts = layer.experts / run.mesh.shape.num_devices();
    const Shape entries{experts, layer.tokens};
    const Shape outer{experts, layer.tokens, layer.hidden};
    const Shape inner{experts, layer.tokens, layer.intermediate};
    const auto add = [&](const char* name, Dtype dtype, const Shape& shape) {
        tensors.push_back({fmt::format("d{}.{}", device, name), dtype, shape});
    };
    add("num_routed_tokens", Dtype::U32, {experts, 1});
    add("routed_tokens", Dtype::U32, entries);
    add("routed_token_weights", Dtype::BF16, entries);
    add("token_idx_map", Dtype::U32, entries);
    add("scattered", Dtype::BF16, outer);
    add("gate", Dtype::BF16, inner);
    add("up", Dtype::BF16, inner);
    if (run.ops.activation.schedule == ActivationSchedule::Separate) {
        add("silu", Dtype::BF16, inner);
    }
    add("combined", Dtype::BF16, inner);
    add("down", Dtype::BF16, outer);
    add("local", Dtype::BF16, {layer.tokens, layer.hidden});
}

}  // namespace

std::vector<TensorDeclaration> moe_output_tensors(const RunSpec& run) {
    std::vector<TensorDeclaration> tensors;
    for (std::uint32_t device = 0; device < run.mesh.shape.num_devices(); ++device) {
        add_device(run, device, tensors);
    }
    tensors.push_back({"final", Dtype::BF16, {run.workload.tokens, run.workload.hidden}});
    return tensors;
}

}  // namespace tessera::run
