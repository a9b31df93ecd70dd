// SPDX-License-Identifier: Apache-2.0
// A reference written as an expression of a step's inputs: "gelu(x + bias)", "a @ b".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// Evaluates `text` element by element in double.
///
/// Operators: + - * / and unary -, @ (matrices, the last two extents; leading ones must agree),
/// with broadcasting of extents of 1 and of missing leading extents, numbers, and functions: those
/// of one input of the op eltwise, max, min, sum, mean (of the last axis, kept as extent 1), and
/// transpose (of the last two). `read` gives a tensor by its name (bfloat16, float32 or integers),
/// or nothing. Errors   UsageError with the expression and what is wrong with it.
using ReadTensor = std::function<std::optional<HostTensor>(std::string_view name)>;
[[nodiscard]] HostTensor evaluate_tensors(std::string_view text, const ReadTensor& read);

/// Names of tensors that the expression uses, once each.
/// Errors   UsageError if it is no expression.
[[nodiscard]] std::vector<std::string> tensor_names(std::string_view text);

}  // namespace tessera::pipeline
