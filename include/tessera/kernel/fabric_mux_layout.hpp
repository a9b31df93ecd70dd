// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tessera::kernel {

/// Channels of a mux, full-size ones first.
struct FabricMuxLayout {
    std::uint32_t num_full_size = 0;
    std::uint32_t num_header_only = 0;
    std::uint32_t buffers_full_size = 0;  ///< buffers of one channel
    std::uint32_t buffers_header_only = 0;
    std::uint32_t buffer_size = 0;   ///< bytes of a full-size channel's buffer
    std::uint32_t base_address = 0;  ///< L1 address of the first channel
};

}  // namespace tessera::kernel
