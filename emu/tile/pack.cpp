// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/pack.hpp"

#include <array>
#include <cstring>

#include "emu/tile/format/bf16.hpp"
#include "emu/tile/format/bfp4_b.hpp"
#include "emu/tile/format/bfp8_b.hpp"
#include "emu/tile/format/fp8_e4m3.hpp"
#include "emu/tile/format/fp8_e5m2.hpp"
#include "emu/tile/format/integer.hpp"
#include "emu/tile/unpack.hpp"
#include "tessera/errors.hpp"

namespace tessera::tile {

void pack_tile(DataFormat format, const float* tile, std::byte* out) {
    switch (format) {
        case DataFormat::Float16_b:
            return pack_bf16_tile(tile, out);
        case DataFormat::Float32:
            std::memcpy(out, tile, tile_bytes(format));
            return;
        case DataFormat::Fp8_e4m3:
            return pack_e4m3_tile(tile, out);
        case DataFormat::Lf8:
            return pack_e5m2_tile(tile, out);
        case DataFormat::Bfp8_b:
            return pack_bfp8_tile(tile, out);
        case DataFormat::Bfp4_b:
            return pack_bfp4_tile(tile, out);
        case DataFormat::Int32:
        case DataFormat::UInt32:
            return pack_int32_tile(tile, out);
        case DataFormat::UInt16:
            return pack_uint16_tile(tile, out);
        case DataFormat::UInt8:
            return pack_uint8_tile(tile, out);
        case DataFormat::Int8:
            return pack_int8_tile(tile, out);
        default:
            break;
    }
    ensure(false, "pack_tile: no such format: {} ({})", name_of(format), static_cast<int>(format));
}

void pack_accumulate_tile(DataFormat format, const float* tile, std::byte* out) {
    ensure(!is_integer_format(format), "pack_accumulate_tile: {} is an integer format",
           name_of(format));
    std::array<float, kTileElements> sum;
    unpack_tile(format, out, sum.data());
    for (std::size_t i = 0; i < kTileElements; ++i) {
        sum[i] += tile[i];
    }
    pack_tile(format, sum.data(), out);
}

}  // namespace tessera::tile
