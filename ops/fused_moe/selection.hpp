// SPDX-License-Identifier: Apache-2.0
// Chooses the parts of a layer that its run file leaves open (auto), and says why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ops/fused_moe/dispatch_estimate.hpp"
#include "ops/fused_moe/modular_kernel.hpp"

namespace tessera::ops::fused_moe {

/// Name of a part that is to be chosen.
inline constexpr std::string_view kAuto = "auto";

/// Facts on which a choice depends. A part that is given is kept.
struct Situation {
    Demands demands;
    DispatchSizes sizes;  ///< `ranks` is that of the demands
    /// Whether the group of devices has every expert. Experts elsewhere add their sums later.
    bool has_all_experts = true;
    const PrepareAndFinalize* prepare_finalize = nullptr;  ///< null: to be chosen
    const Experts* experts = nullptr;                      ///< null: to be chosen
};

/// A pair, and why each of the two was chosen.
struct Selection {
    const PrepareAndFinalize* prepare_finalize = nullptr;
    const Experts* experts = nullptr;
    std::string prepare_finalize_reason;
    std::string experts_reason;
    /// Why the two do not run; empty if they do. Experts to be chosen have one, with the cure.
    std::vector<KeyRefusal> refusals;
};

/// Chooses a pair in the steps of vLLM: the dispatch from mesh, token count, ids and the format of
/// given experts, then the experts from the format that the dispatch gives. The pair runs if any
/// pair with the given parts does; layer_refusals() decides.
[[nodiscard]] Selection select_pair(const Situation& situation);

}  // namespace tessera::ops::fused_moe
