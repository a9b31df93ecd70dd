// SPDX-License-Identifier: Apache-2.0
// Conversions of 8-bit and block formats against the same rules element by element: the vectors
// must be worth at least four scalars.
#include <algorithm>

#include "bench/tile_rows.hpp"
#include "emu/tile/format/bfp4_b.hpp"
#include "emu/tile/format/bfp8_b.hpp"
#include "emu/tile/format/fp8_e4m3.hpp"
#include "emu/tile/format/fp8_e5m2.hpp"
#include "tessera/data_format.hpp"

namespace tessera::bench {
namespace {

constexpr std::size_t kFp32 = 4 * kTileElements;

using Operation = void (*)(const std::byte* in, std::byte* out);

template <void (*function)(const float*, std::byte*)>
void pack(const std::byte* in, std::byte* out) {
    function(reinterpret_cast<const float*>(in), out);
}

template <void (*function)(const std::byte*, float*)>
void unpack(const std::byte* in, std::byte* out) {
    function(in, reinterpret_cast<float*>(out));
}

template <class Format>
void encode_each(const std::byte* in, std::byte* out) {
    const auto* values = reinterpret_cast<const float*>(in);
    for (std::size_t i = 0; i < kTileElements; ++i) {
        out[i] = std::byte{Format::encode(values[i], tile::Overflow::Saturate)};
    }
}

template <class Format>
void decode_each(const std::byte* in, std::byte* out) {
    auto* values = reinterpret_cast<float*>(out);
    for (std::size_t i = 0; i < kTileElements; ++i) {
        values[i] = Format::decode(static_cast<std::uint8_t>(in[i]));
    }
}

/// One code a byte, also where the format has two in one: cheaper than joining them.
template <unsigned kMagnitudeBits>
void block_encode_each(const std::byte* in, std::byte* out) {
    const auto* values = reinterpret_cast<const float*>(in);
    for (std::size_t block = 0; block < kTileElements; block += tile::kBlockElements) {
        std::uint32_t exponent = 0;
        for (std::size_t i = 0; i < tile::kBlockElements; ++i) {
            exponent = std::max(exponent, tile::block_exponent_of(values[block + i]));
        }
        for (std::size_t i = block; i < block + tile::kBlockElements; ++i) {
            out[i] = std::byte{tile::block_encode<kMagnitudeBits>(values[i], exponent)};
        }
    }
}

template <unsigned kMagnitudeBits>
void block_decode_each(const std::byte* in, std::byte* out) {
    auto* values = reinterpret_cast<float*>(out);
    for (std::size_t i = 0; i < kTileElements; ++i) {
        const auto exponent = static_cast<std::uint32_t>(in[i / tile::kBlockElements]);
        values[i] = tile::block_decode<kMagnitudeBits>(static_cast<std::uint32_t>(in[i]), exponent);
    }
}

void add(const char* name, std::size_t read, Operation ours, Operation theirs) {
    const std::size_t written = read == kFp32 ? std::size_t{kTileElements} + 64 : kFp32;
    const auto work = [=](Operation operation) {
        return operation_work({name, read, written, operation}, Level::L1);
    };
    add_goal(
        name, [=] { return work(ours); }, [=] { return work(theirs); }, {.ratio = 4.0});
}

void add_packs() {
    using namespace tile;
    add("pack_fp8_e4m3/of_scalar", kFp32, pack<pack_e4m3_tile>, encode_each<Fp8E4m3>);
    add("pack_fp8_e5m2/of_scalar", kFp32, pack<pack_e5m2_tile>, encode_each<Fp8E5m2>);
    add("pack_bfp8_b/of_scalar", kFp32, pack<pack_bfp8_tile>,
        block_encode_each<kBfp8MagnitudeBits>);
    add("pack_bfp4_b/of_scalar", kFp32, pack<pack_bfp4_tile>,
        block_encode_each<kBfp4MagnitudeBits>);
}

void add_unpacks() {
    using namespace tile;
    constexpr std::size_t kCodes = kTileElements + std::size_t{kBlocksPerTile};
    add("unpack_fp8_e4m3/of_scalar", kCodes, unpack<unpack_e4m3_tile>, decode_each<Fp8E4m3>);
    add("unpack_fp8_e5m2/of_scalar", kCodes, unpack<unpack_e5m2_tile>, decode_each<Fp8E5m2>);
    add("unpack_bfp8_b/of_scalar", kCodes, unpack<unpack_bfp8_tile>,
        block_decode_each<kBfp8MagnitudeBits>);
    add("unpack_bfp4_b/of_scalar", kCodes, unpack<unpack_bfp4_tile>,
        block_decode_each<kBfp4MagnitudeBits>);
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
    tessera::bench::add_packs();
    tessera::bench::add_unpacks();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
