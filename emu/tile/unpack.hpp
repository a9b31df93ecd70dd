// SPDX-License-Identifier: Apache-2.0
// Unpacks tiles in memory to tiles of 1024 floats in face order.
#pragma once

#include <cstddef>

#include "tessera/data_format.hpp"

namespace tessera::tile {

/// Converts the `tile_bytes(format)` bytes at `src` to floats, exactly; integers as bit patterns
/// (format/integer.hpp). This is an unpack straight to DST.
/// Errors   InternalError for DataFormat::Invalid.
void unpack_tile(DataFormat format, const std::byte* src, float* tile);

/// Unpacks a tile through SrcA or SrcB, which truncate Float32 to TF32.
/// Source   tt-isa-documentation, SrcASrcB.
void unpack_to_source_tile(DataFormat format, const std::byte* src, float* tile);

}  // namespace tessera::tile
