// SPDX-License-Identifier: Apache-2.0
// The keys under `workload`: shapes and contents of a generated MoE layer.
#pragma once

#include <array>

#include "runtime/config/field.hpp"
#include "tessera/run_spec.hpp"

namespace tessera::config {

inline constexpr Limits kDimension{1, 1048576};

inline constexpr std::array kRoutingFields{
    field<&RoutingSpec::kind>(
        "kind", "zipf",
        "experts that tokens select: uniform; zipf, some experts popular; one_expert, expert 0 "
        "first in every token; hot_and_empty, a few take most tokens and some none"),
    field<&RoutingSpec::zipf_exponent>(
        "zipf_exponent", "1.0", "skew of zipf: rank r has weight 1/(r+1)^exponent", Limits{0, 8}),
    field<&RoutingSpec::weights>("weights", "softmax", "how routing weights follow from scores"),
};

inline constexpr std::array kWorkloadFields{
    field<&WorkloadSpec::pipeline>("pipeline", "moe_v2", "the chain of ops to run"),
    field<&WorkloadSpec::tokens>("tokens", kRequired, "T, tokens of the batch", kDimension),
    field<&WorkloadSpec::hidden>("hidden", kRequired, "H, hidden size", kDimension),
    field<&WorkloadSpec::intermediate>("intermediate", kRequired,
                                       "H', intermediate size of an expert", kDimension),
    field<&WorkloadSpec::experts>("experts", kRequired, "E, experts over all devices",
                                  Limits{1, 65536}),
    field<&WorkloadSpec::top_k>("top_k", kRequired, "K, experts each token selects", Limits{1, 64}),
    section<&WorkloadSpec::routing>("routing", kRoutingFields, "which experts tokens select"),
    field<&WorkloadSpec::device_expert_mapping>(
        "device_expert_mapping", "contiguous",
        "experts of device d of D: contiguous, d·E/D on; round_robin, every D-th from d; "
        "permuted, drawn from the seed"),
    field<&WorkloadSpec::seed>("seed", "1", "of weights, activations and routing"),
};

}  // namespace tessera::config
