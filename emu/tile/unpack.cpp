// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/unpack.hpp"

#include <cstring>

#include "emu/tile/fidelity.hpp"
#include "emu/tile/format/bf16.hpp"
#include "emu/tile/format/bfp4_b.hpp"
#include "emu/tile/format/bfp8_b.hpp"
#include "emu/tile/format/fp8_e4m3.hpp"
#include "emu/tile/format/fp8_e5m2.hpp"
#include "emu/tile/format/integer.hpp"
#include "tessera/errors.hpp"

namespace tessera::tile {

void unpack_tile(DataFormat format, const std::byte* src, float* tile) {
    switch (format) {
        case DataFormat::Float16_b:
            return unpack_bf16_tile(src, tile);
        case DataFormat::Float32:
            std::memcpy(tile, src, tile_bytes(format));
            return;
        case DataFormat::Fp8_e4m3:
            return unpack_e4m3_tile(src, tile);
        case DataFormat::Lf8:
            return unpack_e5m2_tile(src, tile);
        case DataFormat::Bfp8_b:
            return unpack_bfp8_tile(src, tile);
        case DataFormat::Bfp4_b:
            return unpack_bfp4_tile(src, tile);
        case DataFormat::Int32:
        case DataFormat::UInt32:
            return unpack_int32_tile(src, tile);
        case DataFormat::UInt16:
            return unpack_uint16_tile(src, tile);
        case DataFormat::UInt8:
            return unpack_uint8_tile(src, tile);
        case DataFormat::Int8:
            return unpack_int8_tile(src, tile);
        default:
            break;
    }
    ensure(false, "unpack_tile: no such format: {} ({})", name_of(format),
           static_cast<int>(format));
}

void unpack_to_source_tile(DataFormat format, const std::byte* src, float* tile) {
    unpack_tile(format, src, tile);
    if (format == DataFormat::Float32) {
        truncate_to_tf32_tile(tile);
    }
}

}  // namespace tessera::tile
