// SPDX-License-Identifier: Apache-2.0
// A device tensor as the bytes of its pages: what files of packed tensors hold.
#pragma once

#include "tessera/tensor.hpp"

namespace tessera::pipeline {

/// Returns the shape of a tensor's bytes: (pages, bytes of a page).
[[nodiscard]] inline Shape page_shape(const TensorSpec& spec) {
    return {spec.num_pages(), spec.page_size()};
}

/// Returns the same memory as rows of bytes.
[[nodiscard]] inline DeviceTensor raw_pages(const DeviceTensor& tensor) {
    return {{page_shape(tensor.spec), DataFormat::UInt8, Layout::ROW_MAJOR}, tensor.buffer};
}

}  // namespace tessera::pipeline
