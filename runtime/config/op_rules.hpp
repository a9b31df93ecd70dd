// SPDX-License-Identifier: Apache-2.0
// Rules across fields for runs of one op.
#pragma once

#include <string>

#include "runtime/config/rule.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/run_spec.hpp"

namespace tessera::config {

/// A schedule's grid is all of the device ([0, 0]) or a part of it.
void require_grid(GridSize grid, GridSize device, const std::string& path, Judge& judge);

/// The grid, the subblock in half of DST, in0_block_w against K. Further blocks are the op's.
void matmul_goes_with_its_shape(const RunSpec& run, const ArchSpec& arch, Judge& judge);
/// Formats that the op takes, a DST for them, and circular buffers that fit in L1.
void eltwise_goes_with_its_formats(const RunSpec& run, const ArchSpec& arch, Judge& judge);
/// Shards are in L1 on cores of the device, one end has some, and pages go around to all of them.
void reshard_has_shards(const RunSpec& run, const ArchSpec& arch, Judge& judge);
/// The grid, and a circular buffer that fits in L1.
void copy_fits_the_device(const RunSpec& run, const ArchSpec& arch, Judge& judge);

}  // namespace tessera::config
