// SPDX-License-Identifier: Apache-2.0
// Tensors for tests of refused calls: a spec, and a buffer that nothing reads.
#pragma once

#include <utility>

#include "tessera/session.hpp"
#include "tessera/tensor.hpp"

namespace tessera::testing {

inline DeviceTensor one_page_tensor(Shape shape, DataFormat format,
                                    Layout layout = Layout::ROW_MAJOR) {
    constexpr std::uint32_t kPageBytes = 32;
    DeviceTensor made{{std::move(shape), format, layout}, {}};
    made.buffer.page_size = kPageBytes;
    made.buffer.aligned_page_size = kPageBytes;
    made.buffer.num_pages = 1;
    return made;
}

}  // namespace tessera::testing
