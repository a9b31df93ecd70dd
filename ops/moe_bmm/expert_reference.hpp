// SPDX-License-Identifier: Apache-2.0
// Reference of one expert's results for its tokens. Some rows of its weights at a time stay in the
// host's caches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/tensor.hpp"

namespace tessera::ops::moe_bmm {

/// Output columns of an expert.
struct ColumnRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

/// Sums in double, by ascending k.
class ExpertReference {
public:
    /// The first `tokens` rows of matrix `expert` of `input`, (E,T,H_in) bfloat16 or float32, times
    /// some columns of weights that come later.
    ExpertReference(const HostTensor& input, std::uint32_t expert, std::uint32_t tokens,
                    ColumnRange columns);

    /// Adds the products with `count` rows of weights, those from `k` on of H_in. `weights`,
    /// (…,H_out) bfloat16 or float32, has them from row `first` of all its matrices on.
    void add(const HostTensor& weights, std::uint64_t first, std::uint32_t k, std::uint32_t count);

    /// Writes the sums, rounded to float32, to their columns of the first rows of `matrix`, whose
    /// rows have `row_size` elements.
    void store(std::span<float> matrix, std::uint32_t row_size) const;

private:
    std::uint32_t tokens_;
    ColumnRange columns_;
    std::size_t inner_;
    std::vector<double> inputs_;  ///< (tokens, H_in)
    std::vector<double> sums_;    ///< (strips, tokens, columns of a strip)
};

}  // namespace tessera::ops::moe_bmm
