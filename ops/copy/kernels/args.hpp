// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of copy's kernels.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::copy {

enum class Cb : std::uint32_t { Pages = 0 };

NAMED_COMPILE_ARGS(PageArgs, page_size);
NAMED_TENSORS(ReaderTensors, input);
NAMED_TENSORS(WriterTensors, output);
NAMED_RUNTIME_ARGS(PageRange, first_page, num_pages);

}  // namespace tessera::ops::copy
