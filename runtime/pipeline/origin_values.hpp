// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// Inputs of a drawn value in addition to the tensor.
struct OriginPlace {
    std::uint64_t seed = 0;  ///< seed of the pipeline
    std::uint32_t devices = 1;
    std::uint32_t device = 0;
};

/// Returns a whole tensor of an origin that names no file and no other tensor: drawn values, zeros,
/// a constant, or an expression of indices.
/// Errors   UsageError for a format that the origin does not support.
[[nodiscard]] HostTensor value_of_origin(const PipelineTensor& tensor, const OriginPlace& place);

/// Returns the standard deviation of an origin of normal values.
[[nodiscard]] float stddev_of(const TensorOrigin& origin);

}  // namespace tessera::pipeline
