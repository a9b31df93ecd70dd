// SPDX-License-Identifier: Apache-2.0
// Opens a worker's connection to a mesh link, directly or through a mux.
#pragma once

#include <cstdint>

#include "tessera/kernel/fabric.hpp"

namespace tessera::kernel {

inline constexpr std::uint32_t kHeaderSize = sizeof(tt::tt_fabric::LowLatencyPacketHeader);

/// Opens the connection. `mux` is the packed MuxArgument of its trace event, 0 without a mux.
/// `call` names the API function in messages.
/// Errors   KernelFault{UndefinedBehavior} if the kernel has an open connection over that link.
void open_link(const FabricConnection& connection, const char* call, std::uint64_t mux,
               CallSite site);

}  // namespace tessera::kernel
