// SPDX-License-Identifier: Apache-2.0
// Computes this core's rows of the tables and stores them.
#include "../../shared/kernels/word_list.hpp"
#include "dataflow_api.h"
#include "sine_cosine.hpp"

namespace {

constexpr uint32_t kCbPositions = 0;
constexpr uint32_t kCbCos = 1;
constexpr uint32_t kCbSin = 2;
constexpr uint32_t kCbTable = 3;
constexpr uint32_t kFirstFrequency = 3;  // behind the addresses of the outputs
enum Layout : uint32_t { kInterleaved, kHalf, kDeinterleaved };

using Floats = volatile tt_l1_ptr float*;

union Word {
    uint32_t bits;
    float value;
};

struct Head {
    uint32_t dim;
    uint32_t part;
    uint32_t layout;

    uint32_t frequency(uint32_t element) const {
        return layout == kInterleaved ? element / 2 : element % (dim / 2);
    }
    bool is_second(uint32_t element) const {
        return layout == kInterleaved ? element % 2 == 1 : element >= dim / 2;
    }
};

void compute_row(const Head& head, int32_t position) {
    const auto cosines = reinterpret_cast<Floats>(get_write_ptr(kCbCos));
    const auto sines = reinterpret_cast<Floats>(get_write_ptr(kCbSin));
    const auto table = reinterpret_cast<Floats>(get_write_ptr(kCbTable));
    for (uint32_t i = 0; i < head.dim / 2; ++i) {
        Word frequency;
        frequency.bits = get_common_arg_val<uint32_t>(kFirstFrequency + i);
        const SineCosine turn = sine_cosine(position, frequency.value);
        cosines[i] = turn.cosine;
        sines[i] = turn.sine;
    }
    for (uint32_t element = 0; element < head.part; ++element) {
        const bool is_inside = element < head.dim;
        const uint32_t i = is_inside ? head.frequency(element) : 0;
        table[element] = is_inside ? cosines[i] : 0;
        table[head.part + element] = !is_inside                ? 0
                                     : head.is_second(element) ? sines[i]
                                                               : -sines[i];
    }
}

}  // namespace

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0);
    const uint32_t count = get_arg_val<uint32_t>(1);
    const Head head{get_compile_time_arg_val(1), get_compile_time_arg_val(2),
                    get_compile_time_arg_val(3)};
    const uint32_t num_outputs = get_compile_time_arg_val(4);
    const TensorAccessor positions(TensorAccessorArgs<5>(), get_arg_val<uint32_t>(2));
    const TensorAccessor cosines(TensorAccessorArgs<7>(), get_common_arg_val<uint32_t>(0));
    const TensorAccessor sines(TensorAccessorArgs<9>(), get_common_arg_val<uint32_t>(1));
    const TensorAccessor table(TensorAccessorArgs<11>(), get_common_arg_val<uint32_t>(2));

    WordList<TensorAccessor> list{positions, get_compile_time_arg_val(0),
                                  get_write_ptr(kCbPositions)};
    const uint32_t pair_bytes = head.dim / 2 * sizeof(float);
    for (uint32_t row = first; row < first + count; ++row) {
        compute_row(head, static_cast<int32_t>(list.at(row)));
        noc_async_write(get_write_ptr(kCbCos), cosines.get_noc_addr(row), pair_bytes);
        if (num_outputs > 1) {
            noc_async_write(get_write_ptr(kCbSin), sines.get_noc_addr(row), pair_bytes);
        }
        if (num_outputs > 2) {
            noc_async_write(get_write_ptr(kCbTable), table.get_noc_addr(row),
                            2 * head.part * sizeof(float));
        }
        noc_async_write_barrier();  // the next row is made in the same place
    }
}
