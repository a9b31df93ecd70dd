// SPDX-License-Identifier: Apache-2.0
// Third stage of configuration, for run files: rules across fields and against the device.
#pragma once

#include <cstdint>

#include "runtime/config/rule.hpp"
#include "tessera/run_spec.hpp"

namespace tessera::config {

/// 16 × 16: what the host's address space and mappings hold with 64 cores on each.
void mesh_has_at_most_256_devices(const RunSpec& run, const ArchSpec& arch, Judge& judge);
/// A ring closes one row or one column; a mesh with more of both has none to close.
void ring_is_one_dimensional(const RunSpec& run, const ArchSpec& arch, Judge& judge);
/// All rules above; those of ops are judged when the pipeline is planned.
void validate(const RunSpec& run, const ArchSpec& arch, Judge& judge);

}  // namespace tessera::config
