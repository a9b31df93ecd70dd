// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/page_codec.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "emu/tile/pack.hpp"
#include "emu/tile/tiny_tile.hpp"
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

PageCodec::PageCodec(const TensorSpec& spec)
    : format_(spec.format), tile_(spec.tile), layout_(host_spec(spec)) {
}

void PageCodec::encode(std::span<const std::byte> values, std::uint32_t page_index,
                       std::span<std::byte> page) const {
    if (!is_block_format(format_)) {
        return layout_.pack(values, page_index, page);
    }
    alignas(64) TileValues tile;
    const auto floats = std::as_writable_bytes(std::span(tile));
    layout_.pack(values, page_index, floats.first(layout_.page_size()));
    if (!tile_.is_tiny()) {
        return tile::pack_tile(format_, tile.data(), page.data());
    }
    std::memcpy(floats.data(), tile::widen(DataFormat::Float32, tile_, floats.data()),
                floats.size());
    std::array<std::byte, sizeof(TileValues)> whole;
    tile::pack_tile(format_, tile.data(), whole.data());
    std::ranges::fill(page, std::byte{});
    tile::narrow(format_, tile_, whole.data(), page.data());
}

void PageCodec::decode(std::span<const std::byte> page, std::uint32_t page_index,
                       std::span<std::byte> values) const {
    if (!is_block_format(format_)) {
        return layout_.unpack(page, page_index, values);
    }
    alignas(64) TileValues tile;
    if (!tile_.is_tiny()) {
        tile::unpack_tile(format_, page.data(), tile.data());
        return layout_.unpack(std::as_bytes(std::span(tile)), page_index, values);
    }
    tile::unpack_tile(format_, tile::widen(format_, tile_, page.data()), tile.data());
    std::array<std::byte, sizeof(TileValues)> floats;
    tile::narrow(DataFormat::Float32, tile_, std::as_bytes(std::span(tile)).data(), floats.data());
    layout_.unpack(std::span(floats).first(layout_.page_size()), page_index, values);
}

}  // namespace tessera
