// SPDX-License-Identifier: Apache-2.0
// Transposition of a tile.
#pragma once

namespace tessera::tile {

/// Computes out[c][r] = in[r][c]; `in` and `out` may be the same tile. Bits are kept (integers
/// too).
void transpose_tile(const float* in, float* out);

}  // namespace tessera::tile
