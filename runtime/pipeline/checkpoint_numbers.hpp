// SPDX-License-Identifier: Apache-2.0
// Single numbers in the files of a model: one of each expert, or one of all.
#pragma once

#include "emu/base/tensor_file/checkpoint.hpp"
#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// Returns a stored number, or 1 over a divisor.
/// Errors   UsageError with the file, the name, the value found and what is allowed.
[[nodiscard]] float read_number(const CheckpointEntry& entry, bool is_divisor);

/// Whether the tensor has one axis, and its origin names one stored number of each index.
[[nodiscard]] bool takes_numbers(const PipelineTensor& tensor);

/// Reads the tensor. Element i is the number that each name stores for index i: gate and up of an
/// expert are rows of one matrix, so their numbers are equal. With `largest`, the only element is
/// the largest number of all names and of all indices that the files have.
/// Errors   UsageError with the file, the name, the value found and what is allowed.
[[nodiscard]] HostTensor read_numbers(const Checkpoint& files, const PipelineTensor& tensor);

}  // namespace tessera::pipeline
