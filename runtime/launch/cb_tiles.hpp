// SPDX-License-Identifier: Apache-2.0
// Formats and tiles of a program's circular buffers, for one of its kernels.
#pragma once

#include "emu/core/circular_buffer.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// Returns the union of the CBs of all cores of the kernel; the same on each core.
/// Source   tt-metal tt_metal/impl/program/program.cpp, set_cb_data_fmt.
[[nodiscard]] CbTiles cb_tiles_of(const Program& program, const KernelDescription& kernel);

}  // namespace tessera
