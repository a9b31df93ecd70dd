// SPDX-License-Identifier: Apache-2.0
// Encodes a launch's trace as the bytes of its section, and decodes it.
//
// Launch   name, dispatch traces, cores, initial words; a count (u32) precedes each list.
// Core     device, core (x, y), CBs, l1_bytes, threads.
// Thread   processor, default NoC, kernel, modes, sites, then the number of events (u64) and the
//          events, 16 bytes each, with the memory layout of TraceEvent.
// Fields   in the order and with the widths of tessera/trace.hpp, enums as their number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/trace.hpp"

namespace tessera::trace_file {

/// Devices of a mesh, as in a run's mesh.shape.
inline constexpr std::uint32_t kMostDevices = 256;

[[nodiscard]] std::string encode_launch(const LaunchTrace& launch);

/// Decodes a launch. `num_names` is the number of names so far in the file.
/// Errors   CorruptBytes for bytes that are not a launch, for an unknown event kind, name or site,
///          and for lists and runs longer than a launch may have. Memory use until then is at most
///          four times the bytes.
[[nodiscard]] LaunchTrace decode_launch(std::string_view bytes, std::size_t num_names);

}  // namespace tessera::trace_file
