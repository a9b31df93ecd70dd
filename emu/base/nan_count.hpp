// SPDX-License-Identifier: Apache-2.0
// Counts the NaN in a tensor's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/data_format.hpp"

namespace tessera {

/// Number of NaN, and the index of the first one.
struct NanCount {
    std::uint64_t count = 0;
    std::size_t first = 0;  ///< index of the first NaN, if there is one
};

/// Counts the NaN among consecutive elements, which need not be aligned. Integers have none. Block
/// formats are float32 on the host, so they have none either.
[[nodiscard]] NanCount count_nan(DataFormat format, std::span<const std::byte> elements);

}  // namespace tessera
