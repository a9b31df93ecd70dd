// SPDX-License-Identifier: Apache-2.0
// Sums the contributions to this core's tokens in scalar code and stores the sums. The running sum
// is bfloat16; every contribution is added in fp32 and the result cut back to bfloat16.
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::local_reduce_moe_output;

constexpr uint32_t kCbRows = index_of(Cb::Rows);
constexpr uint32_t kCbWeights = index_of(Cb::Weights);
constexpr uint32_t kCbContributions = index_of(Cb::Contributions);
constexpr uint32_t kCbSum = index_of(Cb::Sum);

union Word {
    uint32_t bits;
    float value;
};

float widen(uint32_t bfloat16) {
    Word word;
    word.bits = bfloat16 << 16;
    return word.value;
}

// The upper half of a float is a bfloat16, so truncation drops the lower half.
uint16_t truncate(float value) {
    Word word;
    word.value = value;
    return (uint16_t)(word.bits >> 16);
}

uint16_t round_to_nearest_even(float value) {
    Word word;
    word.value = value;
    // A NaN keeps its upper bits and becomes quiet: the addition below could carry it out of the
    // NaNs.
    if (value != value) {
        return (uint16_t)(word.bits >> 16 | 0x40);
    }
    // Adds half of the last place, and one less for even numbers, so ties round to even.
    return (uint16_t)((word.bits + 0x7FFF + (word.bits >> 16 & 1)) >> 16);
}

// The rounding is a template argument: a test for each element would cost a branch in the innermost
// loop.
template <uint16_t (*cut)(float)>
void add_scaled(tt_l1_ptr uint16_t* sum, const tt_l1_ptr uint16_t* row, uint32_t length,
                float weight) {
    for (uint32_t i = 0; i < length; ++i) {
        sum[i] = cut(widen(sum[i]) + widen(row[i]) * weight);
    }
}

uint32_t read_word(uint32_t cb) {
    cb_wait_front(cb, 1);
    const uint32_t value = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(cb));
    cb_pop_front(cb, 1);
    return value;
}

void clear(tt_l1_ptr uint16_t* sum, uint32_t length) {
    for (uint32_t i = 0; i < length; ++i) {
        sum[i] = 0;
    }
}

// Adds the next contribution to `length` elements.
template <uint16_t (*cut)(float)>
void add_next(tt_l1_ptr uint16_t* sum, uint32_t length, uint32_t chunk_tiles) {
    const float weight = widen(read_word(kCbWeights));
    cb_wait_front(kCbRows, chunk_tiles);
    // Scalar loads and stores of every element: slow, but the running sum is rounded exactly as the
    // accumulator asks.
    add_scaled<cut>(sum, reinterpret_cast<tt_l1_ptr uint16_t*>(get_read_ptr(kCbRows)), length,
                    weight);
    cb_pop_front(kCbRows, chunk_tiles);
}

}  // namespace

void kernel_main() {
    const uint32_t out_addr = WriterTensors::Addresses::read().output;
    const auto range = TokenRange::read(WriterTensors::Addresses::kCount);
    const auto args = WriterArgs::read();
    const uint32_t row_bytes = args.row_bytes;
    const uint32_t chunk_tiles = args.chunk_tiles;
    const auto out = TensorAccessor(WriterTensors::output(), out_addr);

    const auto add_contribution = AccumulatorArgs::read().truncates != 0
                                      ? add_next<truncate>
                                      : add_next<round_to_nearest_even>;
    const uint32_t chunk_bytes = chunk_tiles * kTileBytes;
    // The sum has one buffer without pushes: reader and writer of it are this RISC.
    const uint32_t sum_l1 = get_write_ptr(kCbSum);
    auto* sum = reinterpret_cast<tt_l1_ptr uint16_t*>(sum_l1);
    for (uint32_t token = range.first_token; token < range.first_token + range.num_tokens;
         ++token) {
        const uint32_t contributions = read_word(kCbContributions);
        for (uint32_t offset = 0; offset < row_bytes; offset += chunk_bytes) {
            const uint32_t left = row_bytes - offset;
            const uint32_t bytes = left < chunk_bytes ? left : chunk_bytes;
            const uint32_t length = bytes / sizeof(uint16_t);
            clear(sum, length);
            for (uint32_t i = 0; i < contributions; ++i) {
                add_contribution(sum, length, chunk_tiles);
            }
            noc_async_write(sum_l1, out.get_noc_addr(token, offset), bytes);
            // The buffer is cleared for the next chunk, so its data must have left L1.
            noc_async_writes_flushed();
        }
    }
    noc_async_write_barrier();
}
