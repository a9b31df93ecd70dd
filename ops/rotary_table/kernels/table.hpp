// SPDX-License-Identifier: Apache-2.0
// Computes this core's rows of the tables and stores them.
#pragma once

#include "../../shared/kernels/word_list.hpp"
#include "args.hpp"
#include "dataflow_api.h"
#include "sine_cosine.hpp"

using namespace tessera::ops::rotary_table;
using tessera::ops::index_of;

namespace {

constexpr uint32_t kCbCos = index_of(Cb::Cos);
constexpr uint32_t kCbSin = index_of(Cb::Sin);
constexpr uint32_t kCbTable = index_of(Cb::Table);
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

uint32_t output_address(OutputAddresses::Place place) {
    return get_common_arg_val<uint32_t>(place);
}

// Sines and cosines as they are.
struct Plain {
    static SineCosine scaled(SineCosine turn) { return turn; }
    static void write_frequencies(const TableArgs& /*args*/, const TableRange& /*range*/) {}
};

// Sines and cosines times a factor, as YaRN has them; frequencies too.
struct Extended {
    static SineCosine scaled(SineCosine turn) {
        Word factor;
        factor.bits = TableArgs::read().factor;
        return {turn.sine * factor.value, turn.cosine * factor.value};
    }
    static void write_frequencies(const TableArgs& args, const TableRange& range) {
        if (args.num_outputs < 4 || range.first_row != 0) {
            return;
        }
        const uint32_t pairs = args.dim / 2;
        const uint32_t l1_addr = get_write_ptr(kCbCos);
        for (uint32_t i = 0; i < pairs; ++i) {
            reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr)[i] =
                get_common_arg_val<uint32_t>(OutputAddresses::kCount + i);
        }
        const TensorAccessor frequencies(
            TableTensors::frequencies(),
            get_common_arg_val<uint32_t>(OutputAddresses::kCount + pairs));
        noc_async_write(l1_addr, frequencies.get_noc_addr(0), pairs * sizeof(uint32_t));
        noc_async_write_barrier();
    }
};

template <class Form>
void compute_row(const Head& head, int32_t position) {
    const auto cosines = reinterpret_cast<Floats>(get_write_ptr(kCbCos));
    const auto sines = reinterpret_cast<Floats>(get_write_ptr(kCbSin));
    const auto table = reinterpret_cast<Floats>(get_write_ptr(kCbTable));
    // Sine and cosine of a pair are computed once and used for both of its elements.
    for (uint32_t i = 0; i < head.dim / 2; ++i) {
        Word frequency;
        frequency.bits = get_common_arg_val<uint32_t>(OutputAddresses::kCount + i);
        const SineCosine turn = Form::scaled(sine_cosine(position, frequency.value));
        cosines[i] = turn.cosine;
        sines[i] = turn.sine;
    }
    // Padding of a row is zeros, so that a read of whole lines has numbers.
    for (uint32_t element = 0; element < head.part; ++element) {
        const bool is_inside = element < head.dim;
        const uint32_t i = is_inside ? head.frequency(element) : 0;
        table[element] = is_inside ? cosines[i] : 0;
        table[head.part + element] = !is_inside                ? 0
                                     : head.is_second(element) ? sines[i]
                                                               : -sines[i];
    }
}

// The kernel. `Form`: Plain or Extended.
template <class Form>
void make_table() {
    const auto args = TableArgs::read();
    const auto range = TableRange::read();
    const Head head{args.dim, args.part, args.layout};
    const TensorAccessor positions(TableTensors::positions(), range.positions_address);
    const TensorAccessor cosines(TableTensors::cos(), output_address(OutputAddresses::cos_place));
    const TensorAccessor sines(TableTensors::sin(), output_address(OutputAddresses::sin_place));
    const TensorAccessor table(TableTensors::table(), output_address(OutputAddresses::table_place));

    WordList<PageAccessor> list{positions, args.position_width,
                                get_write_ptr(index_of(Cb::Positions))};
    Form::write_frequencies(args, range);
    const uint32_t pair_bytes = head.dim / 2 * sizeof(float);
    for (uint32_t row = range.first_row; row < range.first_row + range.num_rows; ++row) {
        compute_row<Form>(head, static_cast<int32_t>(list.at(row)));
        noc_async_write(get_write_ptr(kCbCos), cosines.get_noc_addr(row), pair_bytes);
        // Outputs at the end may be left out.
        if (args.num_outputs > 1) {
            noc_async_write(get_write_ptr(kCbSin), sines.get_noc_addr(row), pair_bytes);
        }
        if (args.num_outputs > 2) {
            noc_async_write(get_write_ptr(kCbTable), table.get_noc_addr(row),
                            2 * head.part * sizeof(float));
        }
        noc_async_write_barrier();  // the next row is made in the same place
    }
}

}  // namespace
