// SPDX-License-Identifier: Apache-2.0
// Parts of a tensor along one axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// Copies what the tensor has at `indices` of an axis.
[[nodiscard]] HostTensor take_part(const HostTensor& whole, std::uint32_t axis,
                                   std::span<const std::uint32_t> indices);

/// Writes the indices of an axis that `part` holds to their places in the whole.
void put_part(const HostTensor& part, std::size_t axis, std::span<const std::uint32_t> indices,
              HostTensor& whole);

}  // namespace tessera::pipeline
