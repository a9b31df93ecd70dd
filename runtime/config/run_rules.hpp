// SPDX-License-Identifier: Apache-2.0
// Third stage of configuration, for run files: rules across fields and against the device.
#pragma once

#include <cstdint>

#include "runtime/config/rule.hpp"
#include "tessera/run_spec.hpp"

namespace tessera::config {

/// Each device holds the same number of experts.
void experts_divide_over_devices(const RunSpec& run, const ArchSpec& arch, Judge& judge);
/// 16 × 16: what the host's address space and mappings hold with 64 cores on each.
void mesh_has_at_most_256_devices(const RunSpec& run, const ArchSpec& arch, Judge& judge);
void top_k_is_at_most_experts(const RunSpec& run, const ArchSpec& arch, Judge& judge);
/// A ring closes one row or one column; a mesh with more of both has none to close.
void ring_is_one_dimensional(const RunSpec& run, const ArchSpec& arch, Judge& judge);
/// An op's grid is all of the device ([0, 0]) or a part of it.
void op_grids_fit_the_device(const RunSpec& run, const ArchSpec& arch, Judge& judge);
/// A subblock fits in one half of DST, since math and pack work on a half each.
void subblock_fits_in_half_of_dst(const RunSpec& run, const ArchSpec& arch, Judge& judge);
/// Each CB of moe_bmm fits in what a core's L1 has for buffers. Exact placement is the launcher's.
void moe_bmm_buffers_fit_in_l1(const RunSpec& run, const ArchSpec& arch, Judge& judge);
/// The weights of a device's experts, padded to tiles, fit in its DRAM.
void weights_fit_in_dram(const RunSpec& run, const ArchSpec& arch, Judge& judge);

/// What the host must hold at least of a run that computes values, in bytes: weights on all
/// devices, those being drawn, hidden states, and the scattered tokens in both layouts. 0 for other
/// pipelines than moe_v2. No rule: without values (--timing-only) larger layers run.
[[nodiscard]] std::uint64_t host_bytes_of_values(const RunSpec& run);

/// All rules above of a MoE layer.
void moe_layer_fits(const RunSpec& run, const ArchSpec& arch, Judge& judge);

/// Rules of all runs and of the run's pipeline.
void validate(const RunSpec& run, const ArchSpec& arch, Judge& judge);

}  // namespace tessera::config
