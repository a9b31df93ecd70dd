// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/moe_load.hpp"

#include <vector>

#include "ops/moe_v2/step.hpp"

namespace tessera::run {
namespace {

using ops::moe_v2::StepKind;

bool grows_with_tokens(StepKind kind) {
    return kind != StepKind::PrepareRouting && kind != StepKind::AllReduce;
}

}  // namespace

report::MoeLoad moe_load(const MoeInputs& inputs, const OpsSpec& ops) {
    const auto experts = inputs.device_expert_mapping.as<std::int32_t>();
    std::vector<std::uint32_t> tokens(experts.size());
    for (const std::uint32_t expert : inputs.selected_experts.as<std::uint32_t>()) {
        ++tokens.at(expert);
    }
    report::MoeLoad load{.top_k = inputs.selected_experts.shape.at(1)};
    const std::size_t per_device = inputs.device_expert_mapping.shape.at(1);
    for (std::size_t i = 0; i < experts.size(); ++i) {
        const auto expert = static_cast<std::uint32_t>(experts[i]);
        load.experts.push_back(
            {expert, static_cast<std::uint16_t>(i / per_device), tokens.at(expert)});
    }
    for (const ops::moe_v2::StepPlan& step : ops::moe_v2::plan_steps(ops)) {
        if (grows_with_tokens(step.kind)) {
            load.launches.emplace_back(step.name);
        }
    }
    return load;
}

}  // namespace tessera::run
