// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/page_codec.hpp"

#include <array>

#include "emu/tile/pack.hpp"
#include "emu/tile/unpack.hpp"

namespace tessera {
namespace {

using TileValues = std::array<float, kTileElements>;

TensorSpec host_spec(TensorSpec spec) {
    spec.format = host_format(spec.format);
    return spec;
}

}  // namespace

DataFormat host_format(DataFormat format) noexcept {
    return is_block_format(format) ? DataFormat::Float32 : format;
}

PageCodec::PageCodec(const TensorSpec& spec) : format_(spec.format), layout_(host_spec(spec)) {
}

void PageCodec::encode(std::span<const std::byte> values, std::uint32_t page_index,
                       std::span<std::byte> page) const {
    if (!is_block_format(format_)) {
        return layout_.pack(values, page_index, page);
    }
    alignas(64) TileValues tile;
    layout_.pack(values, page_index, std::as_writable_bytes(std::span(tile)));
    tile::pack_tile(format_, tile.data(), page.data());
}

void PageCodec::decode(std::span<const std::byte> page, std::uint32_t page_index,
                       std::span<std::byte> values) const {
    if (!is_block_format(format_)) {
        return layout_.unpack(page, page_index, values);
    }
    alignas(64) TileValues tile;
    tile::unpack_tile(format_, page.data(), tile.data());
    layout_.unpack(std::as_bytes(std::span(tile)), page_index, values);
}

}  // namespace tessera
