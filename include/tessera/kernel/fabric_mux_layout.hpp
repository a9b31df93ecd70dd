// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tessera::kernel {

/// Channels of a mux, full-size ones first.
struct FabricMuxLayout {
    std::uint32_t num_full_size = 0;
    std::uint32_t num_header_only = 0;
    std::uint32_t buffers_full_size = 0;  ///< of one channel
    std::uint32_t buffers_header_only = 0;
    std::uint32_t buffer_size = 0;   ///< of a full-size channel, in bytes
    std::uint32_t base_address = 0;  ///< of the first channel
};

}  // namespace tessera::kernel
