// SPDX-License-Identifier: Apache-2.0
// Reads the heads of a token with their weights, and the keys that it may attend to, 32 at a time.
#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/cache_rows.hpp"
#include "../../shared/kernels/fill_l1.hpp"
#include "../../shared/kernels/word_list.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::index_scores;

constexpr uint32_t kCbHeadRows = index_of(Cb::HeadRows);
constexpr uint32_t kCbKeyRows = index_of(Cb::KeyRows);
constexpr uint32_t kCbWeights = index_of(Cb::WeightColumns);
constexpr uint32_t kCbKeyScales = index_of(Cb::KeyScales);
constexpr uint32_t kCbComputeUnits = index_of(Cb::ComputeUnits);
constexpr uint32_t kCbWriterUnits = index_of(Cb::WriterUnits);
constexpr uint32_t kCbPositions = index_of(Cb::Positions);
constexpr uint32_t kCbPages = index_of(Cb::Pages);
constexpr uint32_t kCbWeightRow = index_of(Cb::WeightRow);
constexpr uint32_t kCbScaleRow = index_of(Cb::ScaleRow);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kFloatTileBytes = 4096;
constexpr uint32_t kSlot = 64;  // bytes: distance for reads of single words

using Words = volatile tt_l1_ptr uint32_t*;

union Word {
    uint32_t bits;
    float value;
};

// Words of float32 tiles.
uint32_t place_in_tile(uint32_t row, uint32_t column) {
    return (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16;
}

template <class Accessor>
void push_heads(const Accessor& q, const ReaderArgs& shapes, uint32_t token) {
    const uint32_t stride = shapes.row_bytes;
    // Whole tiles of heads; rows beyond the last head are zeros.
    for (uint32_t first = 0; first < shapes.heads; first += kTileRows) {
        cb_reserve_back(kCbHeadRows, shapes.element_tiles);
        const uint32_t l1_addr = get_write_ptr(kCbHeadRows);
        const uint32_t count = smaller(kTileRows, shapes.heads - first);
        // Missing rows must not be NaN, because NaN times a weight of 0 is NaN.
        fill_l1(l1_addr + count * stride, (kTileRows - count) * stride, 0);
        for (uint32_t row = 0; row < count; ++row) {
            noc_async_read(q.get_noc_addr(token * shapes.heads + first + row),
                           l1_addr + row * stride, shapes.row_bytes);
        }
        noc_async_read_barrier();
        cb_push_back(kCbHeadRows, shapes.element_tiles);
    }
}

// L1 of a token's weights, their products and the scales of its heads.
struct WeightRow {
    uint32_t weights;
    uint32_t products;
    uint32_t scales;

    static WeightRow of(uint32_t heads) {
        const uint32_t weights = get_write_ptr(kCbWeightRow);
        const uint32_t rounded = round_up(heads * 2, kSlot);
        return {weights, weights + rounded, weights + rounded + 2 * rounded};
    }
};

template <class Weights, class Scales>
void read_weights(const Weights& weights, const Scales& scales, const ReaderArgs& shapes,
                  uint32_t token, const WeightRow& row) {
    // One read of all weights; scales of heads are single words of different pages.
    noc_async_read(weights.get_noc_addr(token), row.weights, shapes.heads * 2);
    for (uint32_t head = 0; shapes.has_scales && head < shapes.heads; ++head) {
        noc_async_read(scales.get_noc_addr(token * shapes.heads + head), row.scales + head * kSlot,
                       sizeof(uint32_t));
    }
    noc_async_read_barrier();
}

// Weight · factor · scale of the head's codes, for each head.
void multiply_weights(const ReaderArgs& shapes, const WeightRow& row) {
    Word factor;
    factor.bits = shapes.factor;
    const auto* halves = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(row.weights);
    for (uint32_t head = 0; head < shapes.heads; ++head) {
        Word product;
        product.bits = static_cast<uint32_t>(halves[head]) << 16;
        // The factor is part of the weight, so a score needs one product.
        product.value = product.value * factor.value;
        reinterpret_cast<Words>(row.products)[head] = product.bits;
        if (shapes.has_scales) {
            Word scale;
            scale.bits = reinterpret_cast<Words>(row.scales + head * kSlot)[0];
            product.value = product.value * scale.value;
        }
        reinterpret_cast<Words>(get_write_ptr(
            kCbWeights))[head / kTileRows * 1024 + place_in_tile(head % kTileRows, 0)] =
            product.bits;
    }
}

// Pushes the weights of heads in column 0 of tiles.
template <class Weights, class Scales, class Out>
void push_weights(const Weights& weights, const Scales& scales, const Out& out,
                  const ReaderArgs& shapes, uint32_t token, bool stores) {
    const WeightRow row = WeightRow::of(shapes.heads);
    read_weights(weights, scales, shapes, token, row);
    const uint32_t head_tiles = div_up(shapes.heads, kTileRows);
    cb_reserve_back(kCbWeights, head_tiles);
    // Column 0 is written below; the rest must not be NaN.
    fill_l1(get_write_ptr(kCbWeights), head_tiles * kFloatTileBytes, 0);
    multiply_weights(shapes, row);
    cb_push_back(kCbWeights, head_tiles);
    // Written once per token, by the core of its first chunk.
    if (stores) {
        noc_async_write(row.products, out.get_noc_addr(token), shapes.heads * sizeof(uint32_t));
        noc_async_write_barrier();
    }
}

// Writes the scales of `count` keys to row 0 of a tile; `row_of` returns the cache's row of a key.
template <class Scales, class RowOf>
void place_scales(const Scales& scales, const ReaderArgs& shapes, uint32_t count, RowOf row_of) {
    auto* tile = reinterpret_cast<Words>(get_write_ptr(kCbKeyScales));
    constexpr uint32_t kOne = 0x3F800000;
    // Keys without codes have scale 1, as have keys that are not there.
    for (uint32_t i = shapes.has_scales ? count : 0; i < kTileRows; ++i) {
        tile[place_in_tile(0, i)] = kOne;
    }
    for (uint32_t i = 0; shapes.has_scales && i < count;) {
        const uint32_t row = row_of(i);
        const uint32_t together = scales.together(row, count - i);
        const auto* words = reinterpret_cast<Words>(get_write_ptr(kCbScaleRow) + i * kSlot +
                                                    scales.offset(row) % kSlot);
        for (uint32_t k = 0; k < together; ++k) {
            tile[place_in_tile(0, i + k)] = words[k];
        }
        i += together;
    }
}

// Pushes 32 keys from position `first` on, and their scales in row 0 of a tile.
template <class Cache, class Scales>
void push_keys(const Cache& cache, const Scales& scales, const ReaderArgs& shapes, uint32_t first,
               uint32_t end) {
    const auto* pages = reinterpret_cast<Words>(get_write_ptr(kCbPages));
    const uint32_t count = smaller(kTileRows, end - first);
    cb_reserve_back(kCbKeyRows, shapes.element_tiles);
    cb_reserve_back(kCbKeyScales, 1);
    const uint32_t keys_l1 = get_write_ptr(kCbKeyRows);
    // Missing keys are zeros, so their scores are finite.
    fill_l1(keys_l1 + count * shapes.row_bytes, (kTileRows - count) * shapes.row_bytes, 0);
    const auto row_of = [&](uint32_t i) {
        const uint32_t position = first + i;
        return pages[position / shapes.page_size] * shapes.page_size + position % shapes.page_size;
    };
    // Positions of a page are neighbours and are read together.
    for (uint32_t i = 0; i < count;) {
        const uint32_t row = row_of(i);
        const uint32_t together = cache.together(row, count - i);
        noc_async_read(cache.address(row), keys_l1 + i * shapes.row_bytes,
                       together * shapes.row_bytes);
        i += together;
    }
    for (uint32_t i = 0; shapes.has_scales && i < count;) {
        const uint32_t row = row_of(i);
        const uint32_t before = scales.offset(row) % kSlot;  // bytes that align the read
        const uint32_t together = scales.together(row, count - i);
        noc_async_read(scales.address(row, before), get_write_ptr(kCbScaleRow) + i * kSlot,
                       before + together * sizeof(uint32_t));
        i += together;
    }
    noc_async_read_barrier();
    place_scales(scales, shapes, count, row_of);
    cb_push_back(kCbKeyScales, 1);
    cb_push_back(kCbKeyRows, shapes.element_tiles);
}

// A message of up to four words: to compute or to the writer.
void announce(uint32_t cb, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    cb_reserve_back(cb, 1);
    auto* words = reinterpret_cast<Words>(get_write_ptr(cb));
    words[0] = a;
    words[1] = b;
    words[2] = c;
    words[3] = d;
    cb_push_back(cb, 1);
}

// Tensors of the reader.
struct Tensors {
    PageAccessor q{ReaderTensors::q(), ReaderTensors::q_address(UnitRange::kCount)};
    PageAccessor weights{ReaderTensors::weights(),
                         ReaderTensors::weights_address(UnitRange::kCount)};
    PageAccessor cache{ReaderTensors::cache(), ReaderTensors::cache_address(UnitRange::kCount)};
    PageAccessor page_table{ReaderTensors::page_table(),
                            ReaderTensors::page_table_address(UnitRange::kCount)};
    PageAccessor positions{ReaderTensors::positions(),
                           ReaderTensors::positions_address(UnitRange::kCount)};
    PageAccessor q_scale{ReaderTensors::q_scale(),
                         ReaderTensors::q_scale_address(UnitRange::kCount)};
    PageAccessor cache_scale{ReaderTensors::cache_scale(),
                             ReaderTensors::cache_scale_address(UnitRange::kCount)};
    PageAccessor weights_out{ReaderTensors::weights_out(),
                             ReaderTensors::weights_out_address(UnitRange::kCount)};
};

}  // namespace

void kernel_main() {
    const auto range = UnitRange::read();
    const auto shapes = ReaderArgs::read();
    const Tensors tensors;
    const CacheRows<PageAccessor> cache{tensors.cache, shapes.row_bytes, shapes.cache_positions};
    const CacheRows<PageAccessor> key_scales{tensors.cache_scale, sizeof(uint32_t),
                                             shapes.scale_positions};
    // Rows after the first one of scales stay 0.
    fill_l1(get_write_ptr(kCbKeyScales), 2 * kFloatTileBytes, 0);
    WordList<PageAccessor> positions{tensors.positions, shapes.position_width,
                                     get_write_ptr(kCbPositions)};
    for (uint32_t unit = range.first_unit; unit < range.first_unit + range.num_units; ++unit) {
        const uint32_t token = unit / shapes.chunks;
        // A chunk may begin after the last key of the token; then it has no tiles.
        const uint32_t chunk_keys = shapes.key_tiles * kTileRows;
        const uint32_t first = unit % shapes.chunks * chunk_keys;
        const uint32_t seen = positions.at(token) + 1;
        const uint32_t end = smaller(seen, first + chunk_keys);
        const uint32_t num_tiles = end <= first ? 0 : div_up(end - first, kTileRows);
        const bool is_new = unit == range.first_unit || unit % shapes.chunks == 0;
        announce(kCbComputeUnits, is_new ? kUnitOfNewToken : kUnit, num_tiles, 0, 0);
        // The token's number is announced plus 1, so that 0 can end the loop.
        announce(kCbWriterUnits, token + 1, first, num_tiles, seen);
        // Heads and weights of a token are pushed once, with its first unit on this core.
        if (is_new) {
            noc_async_read(tensors.page_table.get_noc_addr(token / shapes.tokens_each),
                           get_write_ptr(kCbPages), shapes.table_width * sizeof(uint32_t));
            push_heads(tensors.q, shapes, token);
            push_weights(tensors.weights, tensors.q_scale, tensors.weights_out, shapes, token,
                         shapes.stores_weights != 0 && unit % shapes.chunks == 0);
        }
        for (uint32_t tile = 0; tile < num_tiles; ++tile) {
            push_keys(cache, key_scales, shapes, first + tile * kTileRows, end);
        }
    }
    announce(kCbComputeUnits, kEnd, 0, 0, 0);
    announce(kCbWriterUnits, 0, 0, 0, 0);
}
