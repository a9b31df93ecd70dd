// SPDX-License-Identifier: Apache-2.0
// A launch's trace as the bytes of its section, and back.
//
// Launch   name, dispatch traces, cores, initial words; each list behind its count (u32).
// Core     device, core (x, y), CBs, l1_bytes, threads.
// Thread   processor, default NoC, kernel, modes, sites, then the number of events (u64) and the
//          events, 16 bytes each, as TraceEvent lies in memory.
// Fields   in the order of tessera/trace.hpp and as wide as there, enums as their number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/trace.hpp"

namespace tessera::trace_file {

/// Devices of a mesh, as in a run's mesh.shape.
inline constexpr std::uint32_t kMostDevices = 256;

[[nodiscard]] std::string encode_launch(const LaunchTrace& launch);

/// `num_names` is how many names the file gave until here.
/// Errors   CorruptBytes for bytes that are no launch, for a kind of event, a name or a site that
///          does not exist, and for lists and runs longer than a launch has. The memory taken until
///          then is at most four times the bytes.
[[nodiscard]] LaunchTrace decode_launch(std::string_view bytes, std::size_t num_names);

}  // namespace tessera::trace_file
