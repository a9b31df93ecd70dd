// SPDX-License-Identifier: Apache-2.0
// Copies of a tensor's parts along one axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// Index of a slice of padding: a device with fewer indices than others has such slices.
inline constexpr std::uint32_t kPadding = 0xFFFFFFFF;

/// Returns a copy of the tensor's slices at `indices` of an axis; slices of kPadding are zeros.
[[nodiscard]] HostTensor take_part(const HostTensor& whole, std::uint32_t axis,
                                   std::span<const std::uint32_t> indices);

/// Writes the slices of `part` to `indices` of an axis of the whole, except those of kPadding.
void write_part(const HostTensor& part, std::size_t axis, std::span<const std::uint32_t> indices,
                HostTensor& whole);

}  // namespace tessera::pipeline
