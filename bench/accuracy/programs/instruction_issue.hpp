// SPDX-License-Identifier: Apache-2.0
// Rows of one instruction issued over and over.
#pragma once

#include "bench/accuracy/model.hpp"
#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/prediction.hpp"
#include "bench/accuracy/row.hpp"

namespace tessera::score {

/// Cycles from one instruction of a thread to its next. The workload ends with the instruction's
/// name; `unit` is NONE, or what all threads share; `threads_issuing` do so at once.
/// Errors   NotExpressible for more threads than a core's compute has, or without `unit`.
[[nodiscard]] Prediction predict_instruction_issue(const Row& row, const Parameters& parameters,
                                                   const Model& model);

}  // namespace tessera::score
