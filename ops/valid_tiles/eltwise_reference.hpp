// SPDX-License-Identifier: Apache-2.0
// References of element-wise ops over the rows that hold routed tokens.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tessera/tensor.hpp"

namespace tessera::ops {

/// What an op does to the elements that its inputs have at one place.
using ElementFunction = std::function<double(std::span<const double>)>;

/// Float32 (E/D,T,H) of `function` applied to bfloat16 or float32 inputs of that shape; zero beyond
/// each expert's tokens.
[[nodiscard]] HostTensor eltwise_reference(const std::vector<const HostTensor*>& inputs,
                                           std::span<const std::uint32_t> num_routed_tokens,
                                           const ElementFunction& function);

}  // namespace tessera::ops
