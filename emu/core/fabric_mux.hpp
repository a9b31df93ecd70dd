// SPDX-License-Identifier: Apache-2.0
// Holds what the mux that runs on a core offers to workers of other cores.
#pragma once

#include <atomic>
#include <cstdint>

#include "tessera/kernel/fabric_mux_layout.hpp"

namespace tessera {

struct FabricMux {
    std::uint32_t link_channel = 0;  ///< its link's, as a FabricConnection's
    kernel::FabricMuxLayout layout;
    /// Set behind the rest, which workers of other host threads read then.
    std::atomic<bool> is_serving{false};
};

}  // namespace tessera
