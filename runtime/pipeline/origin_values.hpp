// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// What values depend on besides the tensor.
struct OriginPlace {
    std::uint64_t seed = 0;  ///< of the pipeline
    std::uint32_t devices = 1;
    std::uint32_t device = 0;
};

/// All of a tensor as its origin says: drawn, zeros, a constant, or numbers of elements. Not of
/// origins that name a file or other tensors.
/// Errors   UsageError for a format that the origin has no values of.
[[nodiscard]] HostTensor value_of_origin(const PipelineTensor& tensor, const OriginPlace& place);

/// Of values drawn from a normal distribution.
[[nodiscard]] float stddev_of(const TensorOrigin& origin);

}  // namespace tessera::pipeline
