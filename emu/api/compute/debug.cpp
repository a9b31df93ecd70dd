// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/debug.hpp"

#include "emu/core/fault.hpp"

namespace tessera::kernel {

void assertion_failed(const char* condition, CallSite site) {
    fault(FaultCategory::UndefinedBehavior, site, "ASSERT({}) failed", condition);
}

}  // namespace tessera::kernel
