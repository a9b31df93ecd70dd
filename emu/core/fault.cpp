// SPDX-License-Identifier: Apache-2.0
#include "emu/core/fault.hpp"

namespace tessera {

void raise_fault(FaultCategory category, CallSite site, std::string detail) {
    throw KernelFault{category, site, std::move(detail), 0};
}

}  // namespace tessera
