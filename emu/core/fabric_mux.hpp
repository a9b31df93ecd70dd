// SPDX-License-Identifier: Apache-2.0
// State of a mux that workers on other cores read: its link and the channels in its L1.
#pragma once

#include <atomic>
#include <cstdint>

#include "tessera/kernel/fabric_mux_layout.hpp"

namespace tessera {

/// Mux that runs on a core.
struct FabricMux {
    std::uint32_t link_channel = 0;  ///< channel of the mux's link, as in FabricConnection
    kernel::FabricMuxLayout layout;
    /// Set after the other members. Workers on other host threads may read these once it is true.
    std::atomic<bool> is_serving{false};
};

}  // namespace tessera
