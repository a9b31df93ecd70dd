// SPDX-License-Identifier: Apache-2.0
// Reads 32 rows of tokens and 32 of experts for each unit, some columns at a time.
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"
#include "dataflow_api.h"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::gate_linear;

constexpr uint32_t kCbTokenRows = index_of(Cb::TokenRows);
constexpr uint32_t kCbExpertRows = index_of(Cb::ExpertRows);
constexpr uint32_t kCbBias = index_of(Cb::Bias);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kTileBytes = 2048;

void clear(uint32_t l1_addr, uint32_t bytes) {
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr);
    for (uint32_t i = 0; i < bytes / sizeof(uint32_t); ++i) {
        words[i] = 0;
    }
}

// A matrix of bfloat16 rows.
struct Rows {
    PageAccessor tensor;
    uint32_t count;
    uint32_t cb;
};

// Columns after the last one are multiplied, so they must be zeros. Rows after the last one end in
// output rows and columns that are not stored.
void push(const Rows& rows, uint32_t first_row, uint32_t offset, uint32_t bytes, uint32_t chunk) {
    const uint32_t stride = chunk * kTileBytes / kTileRows;
    cb_reserve_back(rows.cb, chunk);
    // Only the last chunk of a row is short. Full chunks overwrite all of their columns.
    uint32_t l1_addr = get_write_ptr(rows.cb);
    if (bytes < stride) {
        clear(l1_addr, chunk * kTileBytes);
    }
    const uint32_t end = smaller(first_row + kTileRows, rows.count);
    for (uint32_t row = first_row; row < end; ++row) {
        noc_async_read(rows.tensor.get_noc_addr(row, offset), l1_addr, bytes);
        l1_addr += stride;
    }
    noc_async_read_barrier();
    cb_push_back(rows.cb, chunk);
}

float float_of(uint32_t bits) {
    union {
        uint32_t bits;
        float value;
    } word = {bits};
    return word.value;
}
uint32_t bits_of(float value) {
    union {
        float value;
        uint32_t bits;
    } word = {value};
    return word.bits;
}

// Rows of the additional K tile: a bias is a product with 1, which the sum in DST takes unrounded.
// A float32 is the sum of three bfloat16 of its leading bits; of a bfloat16 two of them are 0.
struct BiasRows {
    static constexpr uint32_t kParts = 3;
    static constexpr uint16_t kOne = 0x3F80;

    uint32_t element_bytes;
    uint32_t num_experts;
    uint32_t chunk;

    tt_l1_ptr uint16_t* begin_tile(uint32_t cb) const {
        cb_reserve_back(cb, chunk);
        clear(get_write_ptr(cb), chunk * kTileBytes);
        return reinterpret_cast<tt_l1_ptr uint16_t*>(get_write_ptr(cb));
    }
    uint32_t row_elements() const { return chunk * kTileBytes / kTileRows / 2; }

    void push_ones() const {
        auto* row = begin_tile(kCbTokenRows);
        for (uint32_t i = 0; i < kTileRows; ++i, row += row_elements()) {
            for (uint32_t part = 0; part < kParts; ++part) {
                row[part] = kOne;
            }
        }
        cb_push_back(kCbTokenRows, chunk);
    }
    void push_bias(const PageAccessor& bias, uint32_t first_expert) const {
        const uint32_t count = smaller(kTileRows, num_experts - first_expert);
        const uint32_t source = get_write_ptr(kCbBias);
        noc_async_read(bias.get_noc_addr(0, first_expert * element_bytes), source,
                       count * element_bytes);
        noc_async_read_barrier();
        auto* row = begin_tile(kCbExpertRows);
        for (uint32_t i = 0; i < count; ++i, row += row_elements()) {
            float left =
                element_bytes == 2
                    ? float_of(uint32_t{reinterpret_cast<tt_l1_ptr uint16_t*>(source)[i]} << 16)
                    : float_of(reinterpret_cast<tt_l1_ptr uint32_t*>(source)[i]);
            for (uint32_t part = 0; part < kParts; ++part) {
                const uint32_t leading = bits_of(left) & 0xFFFF0000;
                row[part] = leading >> 16;
                left -= float_of(leading);
            }
        }
        cb_push_back(kCbExpertRows, chunk);
    }
};

}  // namespace

void kernel_main() {
    constexpr uint32_t kTensorArg = UnitRange::kCount + KPart::kCount;
    constexpr uint32_t kRowBytes = kTileBytes / kTileRows;  // of a tile
    const auto range = UnitRange::read();
    const auto part = KPart::read(UnitRange::kCount);
    const auto args = ReaderArgs::read();
    const Rows tokens{
        TensorAccessor(ReaderTensors::tokens(), ReaderTensors::tokens_address(kTensorArg)),
        args.num_tokens, kCbTokenRows};
    const Rows experts{
        TensorAccessor(ReaderTensors::experts(), ReaderTensors::experts_address(kTensorArg)),
        args.num_experts, kCbExpertRows};

    const uint32_t chunk_bytes = args.chunk * kRowBytes;
    const uint32_t end = smaller((part.first_k + part.num_k) * kRowBytes, args.row_bytes);
    // Token and expert chunks alternate, as compute takes them.
    for (uint32_t unit = range.first_unit; unit < range.first_unit + range.num_units; ++unit) {
        for (uint32_t offset = part.first_k * kRowBytes; offset < end; offset += chunk_bytes) {
            const uint32_t bytes = smaller(chunk_bytes, end - offset);
            push(tokens, unit / args.expert_tiles * kTileRows, offset, bytes, args.chunk);
            push(experts, unit % args.expert_tiles * kTileRows, offset, bytes, args.chunk);
        }
        if (args.bias_bytes != 0 && part.member == 0) {
            const BiasRows rows{args.bias_bytes, args.num_experts, args.chunk};
            const TensorAccessor bias(ReaderTensors::bias(),
                                      ReaderTensors::bias_address(kTensorArg));
            rows.push_ones();
            rows.push_bias(bias, unit % args.expert_tiles * kTileRows);
        }
    }
}
