// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/dataflow/tensor_accessor.hpp"

#include "emu/core/fault.hpp"

namespace tessera::kernel {

std::uint64_t sharded_page_address(std::uint32_t /*args_offset*/, std::uint32_t /*base*/,
                                   std::uint32_t page, std::uint32_t /*offset*/, CallSite site) {
    fault(FaultCategory::Unimplemented, site,
          "TensorAccessor: page {} of a sharded tensor; only interleaved tensors are addressed",
          page);
}

}  // namespace tessera::kernel
