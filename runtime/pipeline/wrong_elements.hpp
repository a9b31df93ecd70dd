// SPDX-License-Identifier: Apache-2.0
// Says where the wrong elements of an output are. Kernels move whole pages. Most mistakes therefore
// affect some pages as a whole, or the same part of every page.
#pragma once

#include <string>

#include "runtime/pipeline/counted_output.hpp"
#include "tessera/tensor.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera::pipeline {

/// Returns the number of elements of one device's output that are beyond max_rel_err, the pages
/// that hold them ("in 16 of 256 tiles, the whole of each: tiles 15, 31, …"), and whether all of
/// them are 0. Empty for block formats, in which neighbours share their error.
///
/// spec            the output as kernels see it: its layout says what a page is
/// reference_rms   rms of the reference over all devices (Closeness::reference_rms)
[[nodiscard]] std::string wrong_elements(const OutputRanges& output, const TensorSpec& spec,
                                         const CloseTolerance& tolerance, double reference_rms);

}  // namespace tessera::pipeline
