// SPDX-License-Identifier: Apache-2.0
// Rows that measure one instruction issued repeatedly.
#pragma once

#include "bench/accuracy/model.hpp"
#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/prediction.hpp"
#include "bench/accuracy/row.hpp"

namespace tessera::score {

/// Returns the cycles between two instructions of a thread. The workload ends with the
/// instruction's name. `unit` is NONE or the unit that threads share. `threads_issuing` threads
/// issue at once.
/// Errors   NotExpressible for more threads than compute threads of a core, or without `unit`.
[[nodiscard]] Prediction predict_instruction_issue(const Row& row, const Parameters& parameters,
                                                   const Model& model);

}  // namespace tessera::score
