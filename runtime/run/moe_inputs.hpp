// SPDX-License-Identifier: Apache-2.0
// The tensors that a MoE layer starts from, drawn from the workload's seed. Those of a file are
// moe_input_file's.
#pragma once

#include <cstdint>
#include <functional>

#include "tessera/run_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::run {

enum class Projection : std::uint8_t { Gate, Up, Down };

/// "gate_weights", …: the name of the tensor on disk.
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
    MakeWeights make_weights;
};

/// Hidden states are normal with deviation 1; weights with deviation 1/√(inner extent), so that
/// projections keep the size of their input. Values of an expert's weights do not depend on which
/// device holds it.
[[nodiscard]] MoeInputs draw_moe_inputs(const RunSpec& run);

}  // namespace tessera::run
