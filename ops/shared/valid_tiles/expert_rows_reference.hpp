// SPDX-License-Identifier: Apache-2.0
// References of (E/D,T,H) tensors: only the rows of experts that hold tokens.
#pragma once

#include <oneapi/tbb/parallel_for.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tessera/tensor.hpp"

namespace tessera::ops {

/// Returns a float32 tensor of `shape` that holds the first counts[e] rows of each expert, one
/// expert after the other; other rows are not compared. `fill(expert, rows)` computes the rows of
/// one expert. It is called for several experts at once, and only for those with rows.
template <class Fill>
[[nodiscard]] HostTensor packed_expert_rows(const Shape& shape,
                                            std::span<const std::uint32_t> counts,
                                            const Fill& fill) {
    std::vector<std::size_t> first_rows(counts.size() + 1);
    std::partial_sum(counts.begin(), counts.end(), first_rows.begin() + 1);
    HostTensor output{shape, DataFormat::Float32,
                      std::vector<std::byte>(first_rows.back() * shape[2] * sizeof(float))};
    const std::span<float> values = output.as<float>();
    tbb::parallel_for(std::size_t{0}, counts.size(), [&](std::size_t expert) {
        if (counts[expert] != 0) {
            fill(static_cast<std::uint32_t>(expert),
                 values.subspan(first_rows[expert] * shape[2],
                                std::size_t{counts[expert]} * shape[2]));
        }
    });
    return output;
}

}  // namespace tessera::ops
