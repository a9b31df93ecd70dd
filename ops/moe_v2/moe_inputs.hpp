// SPDX-License-Identifier: Apache-2.0
// What a MoE layer starts from, and the checks that it makes sense on a mesh.
#pragma once

#include <cstdint>
#include <functional>

#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::moe_v2 {

enum class Projection : std::uint8_t { Gate, Up, Down };

/// "gate_weights", "up_weights", "down_weights".
[[nodiscard]] const char* name_of(Projection projection) noexcept;

/// Makes the weights of one device's experts, in the order of device_expert_mapping: all experts'
/// at once need not exist on the host.
/// Shapes   (E/D, H, H') for Gate and Up, (E/D, H', H) for Down; bfloat16.
using MakeWeights = std::function<HostTensor(Projection projection, std::uint32_t device)>;

struct MoeInputs {
    HostTensor hidden_states;          ///< (T,H) bfloat16
    HostTensor selected_experts;       ///< (T,K) uint32, ids over all devices, none twice in a row
    HostTensor routing_weights;        ///< (T,K) bfloat16
    HostTensor device_expert_mapping;  ///< (D,E/D) int32, each expert once
    std::uint32_t intermediate = 0;    ///< H'
    /// Called once for each projection and device. Empty: weights have their place in DRAM and no
    /// values, for runs whose maths is off.
    MakeWeights make_weights;
};

/// Checks everything but the weights' values, before anything runs.
/// Errors   UsageError naming tensor, position, value and what is allowed: a wrong shape or format,
///          an expert id out of range, an expert twice in a token's row or in the mapping, a
///          mapping for another number of devices, weights that exceed a device's DRAM.
void check_inputs(const MoeInputs& inputs, const MeshSpec& mesh, const ArchSpec& arch);

/// (E/D, H, H') or (E/D, H', H): of one device's experts.
[[nodiscard]] Shape weights_shape(const MoeInputs& inputs, Projection projection);

/// Checks what `make_weights` gave.
/// Errors   UsageError naming projection and device.
void check_weights(const MoeInputs& inputs, Projection projection, std::uint32_t device,
                   const HostTensor& weights);

}  // namespace tessera::ops::moe_v2
