// SPDX-License-Identifier: Apache-2.0
// Packs tiles of 1024 floats in face order to tiles in memory.
#pragma once

#include <cstddef>

#include "tessera/data_format.hpp"

namespace tessera::tile {

/// Writes `tile_bytes(format)` bytes at `out`. bf16 and fp8 round to nearest even, bfp8_b and
/// bfp4_b as block_float.hpp says, e4m3 saturates; integers are bit patterns (format/integer.hpp).
/// Errors   InternalError for DataFormat::Invalid.
void pack_tile(DataFormat format, const float* tile, std::byte* out);

/// Computes out += tile with one rounding: packing with accumulation in L1.
/// Errors   InternalError for DataFormat::Invalid and integer formats.
void pack_accumulate_tile(DataFormat format, const float* tile, std::byte* out);

}  // namespace tessera::tile
