// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "ops/all_reduce/all_reduce.hpp"
#include "ops/local_reduce_moe_output/local_reduce_moe_output.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "ops/moe_v2/step.hpp"
#include "ops/mul/mul.hpp"
#include "ops/prepare_moe_routing_tensors/prepare_moe_routing_tensors.hpp"
#include "ops/scatter_moe_input/scatter_moe_input.hpp"
#include "ops/silu/silu.hpp"
#include "ops/silu_mul/silu_mul.hpp"
#include "ops/to_layout/to_layout.hpp"

namespace tessera::ops::moe_v2 {
namespace {

constexpr const char* kMultiCore = "multi_core";

std::string schedule_of(const MoeBmmSpec& bmm) {
    if (bmm.schedule == BmmSchedule::SingleCore) {
        return "single_core";
    }
    return fmt::format("{}, {}", kMultiCore,
                       bmm.distribution == TileDistribution::Block ? "block" : "round_robin");
}

std::string schedule_of(const LocalReduceSpec& reduce) {
    switch (reduce.accumulator) {
        case ReduceAccumulator::Fp32:
            return "fp32";
        case ReduceAccumulator::Bf16Rne:
            return "bf16_rne";
        case ReduceAccumulator::Bf16Truncate:
            return "bf16_truncate";
    }
    return "?";
}

void append_activation(std::vector<StepPlan>& steps, const ActivationSpec& activation) {
    if (activation.schedule == ActivationSchedule::Fused) {
        steps.push_back({StepKind::SiluMul,
                         "silu_mul",
                         &silu_mul::kSpec,
                         "fused",
                         {"gate", "up", "num_routed_tokens"},
                         {"combined"}});
        return;
    }
    steps.push_back({StepKind::Silu,
                     "silu",
                     &silu::kSpec,
                     "separate",
                     {"gate", "num_routed_tokens"},
                     {"silu"}});
    steps.push_back({StepKind::Mul,
                     "mul",
                     &mul::kSpec,
                     "separate",
                     {"silu", "up", "num_routed_tokens"},
                     {"combined"}});
}

void append_routing(std::vector<StepPlan>& steps) {
    steps.push_back(
        {StepKind::PrepareRouting,
         "prepare_routing",
         &prepare_moe_routing_tensors::kSpec,
         kMultiCore,
         {"selected_experts", "routing_weights", "local_experts"},
         {"num_routed_tokens", "routed_tokens", "routed_token_weights", "token_idx_map"}});
    steps.push_back({StepKind::Scatter,
                     "scatter",
                     &scatter_moe_input::kSpec,
                     kMultiCore,
                     {"hidden_states", "num_routed_tokens", "routed_tokens"},
                     {"scattered"}});
}

void append_reduction(std::vector<StepPlan>& steps, const OpsSpec& ops) {
    steps.push_back({StepKind::LocalReduce,
                     "local_reduce",
                     &local_reduce_moe_output::kSpec,
                     schedule_of(ops.local_reduce),
                     {"down_rows", "token_idx_map", "routed_token_weights", "num_routed_tokens"},
                     {"local"}});
    steps.push_back(
        {StepKind::AllReduce,
         "all_reduce",
         &all_reduce::kSpec,
         fmt::format("ring, {}",
                     ops.all_reduce.partial_sums == PartialSums::Fp32 ? "fp32" : "bf16"),
         {"local"},
         {"final"}});
}

}  // namespace

std::vector<StepPlan> plan_steps(const OpsSpec& ops) {
    const std::string bmm = schedule_of(ops.moe_bmm);
    std::vector<StepPlan> steps;
    append_routing(steps);
    steps.push_back({StepKind::ToTile,
                     "to_tile",
                     &to_layout::kSpec,
                     kMultiCore,
                     {"scattered"},
                     {"scattered_tiles"}});
    steps.push_back({StepKind::Gate,
                     "gate",
                     &moe_bmm::kSpec,
                     bmm,
                     {"scattered_tiles", "gate_weights", "num_routed_tokens"},
                     {"gate"}});
    steps.push_back({StepKind::Up,
                     "up",
                     &moe_bmm::kSpec,
                     bmm,
                     {"scattered_tiles", "up_weights", "num_routed_tokens"},
                     {"up"}});
    append_activation(steps, ops.activation);
    steps.push_back({StepKind::Down,
                     "down",
                     &moe_bmm::kSpec,
                     bmm,
                     {"combined", "down_weights", "num_routed_tokens"},
                     {"down"}});
    steps.push_back({StepKind::ToRowMajor,
                     "to_row_major",
                     &to_layout::kSpec,
                     kMultiCore,
                     {"down"},
                     {"down_rows"}});
    append_reduction(steps, ops);
    return steps;
}

}  // namespace tessera::ops::moe_v2
