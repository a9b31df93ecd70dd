// SPDX-License-Identifier: Apache-2.0
// Third stage of configuration, for run files: rules across fields and against the device.
#pragma once

#include <cstdint>

#include "runtime/config/rule.hpp"
#include "tessera/run_spec.hpp"

namespace tessera::config {

/// Devices of a mesh. Linux allows a process 65530 mappings; 16384 cores at two mappings each stay
/// below it.
inline constexpr std::uint32_t kMostDevices = 256;

/// Limits a mesh to 16 × 16 devices, for which the host's address space and mappings suffice with
/// 64 cores each.
void mesh_has_at_most_256_devices(const RunSpec& run, const ArchSpec& arch, Judge& judge);
/// Requires a single row or column for topology ring.
void ring_is_one_dimensional(const RunSpec& run, const ArchSpec& arch, Judge& judge);
/// Checks all rules above. Rules of ops are checked when the pipeline is planned.
void validate(const RunSpec& run, const ArchSpec& arch, Judge& judge);

}  // namespace tessera::config
