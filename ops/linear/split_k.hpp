// SPDX-License-Identifier: Apache-2.0
// The schedule of linear in which several cores share K: each weight is read once for up to 128
// rows, whatever the shape of the matrix is.
#pragma once

#include <cstdint>
#include <optional>

#include "ops/op.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::linear {

/// Extents of a product.
struct ProductShape {
    std::uint32_t rows = 0;     ///< of the input, in elements
    std::uint32_t columns = 0;  ///< of the output, in elements
    std::uint32_t inner = 0;    ///< K, in elements
    DataFormat weights = DataFormat::Float16_b;
    bool has_bias = false;
};
[[nodiscard]] ProductShape shape_of(const TensorSpec& rows, const TensorSpec& weights,
                                    bool has_bias);

/// Distribution of K and of the columns over cores.
struct SplitK {
    std::uint32_t members = 2;  ///< cores that share K
    std::uint32_t teams = 1;    ///< of members, which have a part of the columns each
};

inline constexpr std::uint32_t kMostMembers = 16;

/// Returns the distribution with the least time for the slowest core, with `members` cores that
/// share K if it is not 0. None if K has fewer tiles, or nothing fits in L1.
[[nodiscard]] std::optional<SplitK> split_k_of(const ArchSpec& arch, GridSize grid,
                                               const ProductShape& shape, std::uint32_t members);

/// Tensors of one device; bias: null if there is none.
struct SplitTensors {
    const DeviceTensor& rows;
    const DeviceTensor& weights;
    const DeviceTensor& output;
    const DeviceTensor* bias = nullptr;
};

struct SplitOptions {
    MathFidelity fidelity = MathFidelity::HiFi4;
    bool both_nocs = true;  ///< whether the writer reads some banks, over NoC 1
};

/// Returns the program. A team of `members` cores has some columns of tiles, each member a part of
/// K. Members multiply up to four tile rows with their weights, and send the partial sums in fp32
/// to the member that finishes the tile.
[[nodiscard]] Program split_k_program(const ArchSpec& arch, GridSize grid,
                                      const SplitTensors& tensors, SplitK split,
                                      const SplitOptions& options);

}  // namespace tessera::ops::linear
