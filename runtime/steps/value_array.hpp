// SPDX-License-Identifier: Apache-2.0
// Arrays in which expressions of tensors are computed: values in double, and broadcasting as
// NumPy's.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// Row-major values. While only shapes are computed there are no values.
struct ValueArray {
    Shape shape;
    std::vector<double> values;
};

/// Refuses formats that expressions cannot read.
/// Errors   UsageError naming the format and what is allowed.
void require_supported(DataFormat format);

/// Converts to double, so that rounding of the expression does not add to the tolerance of a
/// result.
/// Errors   as require_supported().
[[nodiscard]] ValueArray to_array(const HostTensor& tensor);

/// Returns the extent of an axis counted from the last one; 1 for missing leading axes.
[[nodiscard]] std::size_t extent_from_end(const Shape& shape, std::size_t back);

/// Returns the index in an array of shape `from` of element `index` of `shape`, to which it is
/// broadcast.
[[nodiscard]] std::size_t source_of(const Shape& from, const Shape& shape, std::size_t index);

/// Extents of a matrix product: [rows, inner] @ [inner, columns].
struct ProductExtents {
    std::size_t rows;
    std::size_t inner;
    std::size_t columns;
};

/// Adds the product of two row-major matrices to `out`.
void add_product(const double* left, const double* right, const ProductExtents& extents,
                 double* out);

}  // namespace tessera::pipeline
