// SPDX-License-Identifier: Apache-2.0
// The formats and tiles of a program's circular buffers as one of its kernels knows them.
#pragma once

#include "emu/core/circular_buffer.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// Of every CB that some core of the kernel has, on whichever of them it runs.
/// Source   tt-metal tt_metal/impl/program/program.cpp, set_cb_data_fmt.
[[nodiscard]] CbTiles cb_tiles_of(const Program& program, const KernelDescription& kernel);

}  // namespace tessera
