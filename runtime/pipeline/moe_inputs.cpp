// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/moe_inputs.hpp"

#include <tbb/parallel_for.h>

#include <cmath>

#include "emu/base/counted_random.hpp"
#include "emu/base/random_routing.hpp"
#include "emu/base/random_tensor.hpp"

namespace tessera::run {
namespace {

HostTensor draw_weights(const WorkloadSpec& layer, const HostTensor& mapping, Projection projection,
                        std::uint32_t device) {
    const bool is_down = projection == Projection::Down;
    const std::uint32_t inner = is_down ? layer.intermediate : layer.hidden;
    const std::uint32_t outer = is_down ? layer.hidden : layer.intermediate;
    const std::uint32_t num_experts = mapping.shape.at(1);
    const NormalSequence sequence{.seed = seed_for(layer.seed, ops::moe_v2::name_of(projection)),
                                  .stddev = 1.0F / std::sqrt(static_cast<float>(inner))};
    HostTensor weights = make_host_tensor({num_experts, inner, outer}, DataFormat::Float16_b);
    const std::uint64_t elements = std::uint64_t{inner} * outer;
    const auto experts =
        mapping.as<std::int32_t>().subspan(std::size_t{device} * num_experts, num_experts);
    tbb::parallel_for(std::size_t{0}, std::size_t{num_experts}, [&](std::size_t i) {
        fill_normal_bf16(weights.as<std::uint16_t>().subspan(i * elements, elements),
                         static_cast<std::uint64_t>(experts[i]) * elements, sequence);
    });
    return weights;
}

}  // namespace

MoeInputs draw_moe_inputs(const RunSpec& run) {
    const WorkloadSpec& layer = run.workload;
    MoeInputs inputs;
    inputs.hidden_states = make_normal_bf16({layer.tokens, layer.hidden},
                                            {.seed = seed_for(layer.seed, "hidden_states")});
    inputs.selected_experts = make_selected_experts(layer);
    inputs.routing_weights = make_routing_weights(layer);
    inputs.device_expert_mapping = make_device_expert_mapping(layer, run.mesh.shape.num_devices());
    inputs.intermediate = layer.intermediate;
    inputs.make_weights = [layer, mapping = inputs.device_expert_mapping](Projection projection,
                                                                          std::uint32_t device) {
        return draw_weights(layer, mapping, projection, device);
    };
    return inputs;
}

}  // namespace tessera::run
