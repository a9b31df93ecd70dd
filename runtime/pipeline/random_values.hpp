// SPDX-License-Identifier: Apache-2.0
// Random values of any format for the tensors of one op.
#pragma once

#include <cstdint>
#include <string_view>

#include "tessera/tensor.hpp"

namespace tessera::run {

/// The tensor called `name` of a device: draws do not depend on other tensors or devices.
struct Draw {
    std::uint64_t seed = 0;
    std::uint32_t device = 0;
    std::string_view name;
};

/// Values that a session writes into a tensor of `spec`: bfloat16, float32 and block formats are
/// nearly normal with mean 0 and the given deviation, float32 with all bits of its mantissa in use;
/// others are random bits.
[[nodiscard]] HostTensor random_values(const TensorSpec& spec, const Draw& draw, float stddev = 1);

}  // namespace tessera::run
