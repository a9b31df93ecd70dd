// SPDX-License-Identifier: Apache-2.0
// Tensors of random values drawn from a seed. random_routing draws routing tables.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/tensor.hpp"

namespace tessera {

/// Sequence of nearly normal numbers; each is a function of seed and index.
///
/// Four 16-bit words of a hash of the index are summed and scaled (Irwin–Hall of order 4). Mean and
/// standard deviation are exact. The kurtosis is 2.7, not 3. No value is more than √12 = 3.46
/// standard deviations from the mean.
struct NormalSequence {
    std::uint64_t seed = 0;
    float mean = 0;
    float stddev = 1;
};

/// Writes elements from `first` on as bfloat16, rounded to nearest even. The bytes do not depend on
/// the split into ranges or on the vector width.
/// Errors   UsageError if mean or stddev is not finite, or stddev is negative.
/// Cost     about 1 ns an element on one core with AVX2.
void fill_normal_bf16(std::span<std::uint16_t> out, std::uint64_t first,
                      const NormalSequence& sequence);

/// Returns a bfloat16 tensor of the sequence's first elements, computed on one thread.
[[nodiscard]] HostTensor make_normal_bf16(Shape shape, const NormalSequence& sequence);

}  // namespace tessera
