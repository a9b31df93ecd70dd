// SPDX-License-Identifier: Apache-2.0
// Host tensors of given values. NumberView (number_view.hpp) reads them back as numbers.
#pragma once

#include <span>

#include "tessera/tensor.hpp"

namespace tessera {

/// Returns a tensor of `values`, row-major. For bfloat16 the values are rounded to nearest, ties to
/// even.
/// Errors   UsageError if the number of values is not the shape's number of elements, or the format
///          is neither bfloat16 nor float32.
[[nodiscard]] HostTensor make_host_tensor(Shape shape, DataFormat format,
                                          std::span<const float> values);

}  // namespace tessera
