// SPDX-License-Identifier: Apache-2.0
// References that run files write as expressions of a step's inputs: "gelu(x + bias)", "a @ b".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// Returns a tensor by its name (bfloat16, float32 or integers), or nothing if there is none.
using ReadTensor = std::function<std::optional<HostTensor>(std::string_view name)>;

/// Returns shape and format of a tensor by its name, or nothing if there is none.
using DescribeTensor = std::function<std::optional<TensorSpec>(std::string_view name)>;

/// Evaluates `text` element by element in double and returns float32.
///
/// Operators   + - * / and unary -, with broadcasting of extents of 1 and of missing leading
///             extents; @, the product of matrices in the last two axes.
/// Operands    numbers, and names of tensors.
/// Functions   those of the op eltwise with one input; max(a, b), min(a, b); sum and mean along the
///             last axis, which keeps extent 1; transpose of the last two axes.
/// Errors      UsageError with the expression and what is wrong with it.
[[nodiscard]] HostTensor evaluate_tensors(std::string_view text, const ReadTensor& read);

/// Returns the shape that evaluate_tensors() gives, before there are values.
/// Errors      as evaluate_tensors().
[[nodiscard]] Shape shape_of_expression(std::string_view text, const DescribeTensor& describe);

/// Returns the names of the tensors that the expression uses, each once.
/// Errors   UsageError for an invalid expression.
[[nodiscard]] std::vector<std::string> tensor_names(std::string_view text);

}  // namespace tessera::pipeline
