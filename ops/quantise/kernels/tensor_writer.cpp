// SPDX-License-Identifier: Apache-2.0
// Makes the one scale of a tensor from what all cores found: each tells the first one, which answers.
// Then stores codes.
#include "../../shared/expert_rows/kernels/counted_rows.hpp"
#include "../../shared/fp8_blocks/kernels/scale_rule.hpp"
#include "args.hpp"
#include "tensor_turns.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::quantise;

constexpr uint32_t cb_counts = index_of(Cb::WriterCounts);
constexpr uint32_t cb_exchange = index_of(Cb::Exchange);
constexpr uint32_t cb_largest = index_of(Cb::Largest);
constexpr uint32_t cb_scale = index_of(Cb::Scale);
constexpr uint32_t cb_out = index_of(Cb::Output);
constexpr uint32_t cb_scales = index_of(Cb::Scales);
// Indices of runtime arguments after those of the tiles.
constexpr uint32_t kExchangeArg = TensorRange::kCount + WriterTensors::Addresses::kCount;
constexpr uint32_t kPlacesArg = kExchangeArg + Exchange::kCount;
constexpr uint32_t kSlot = 64;  // bytes between what cores tell

// The largest of what all cores found.
uint32_t largest_of_all(uint32_t own, uint32_t arrived, uint32_t answered) {
    const auto exchange = Exchange::read(kExchangeArg);
    const uint32_t core = exchange.core;
    const uint32_t num_cores = exchange.num_cores;
    const uint32_t slots = get_write_ptr(cb_exchange);
    // The answer's place is after the slots of all cores.
    const uint32_t answer = slots + num_cores * kSlot;
    words_at(slots + core * kSlot)[0] = own;
    if (core != 0) {
        const auto first = CorePlace::read(kPlacesArg);
        noc_async_write(slots + core * kSlot, get_noc_addr(first.x, first.y, slots + core * kSlot),
                        4);
        noc_async_write_barrier();  // it is there before it is counted
        noc_semaphore_inc(get_noc_addr(first.x, first.y, arrived), 1);
        noc_semaphore_wait(words_at(answered), 1);
        return words_at(answer)[0];
    }
    // Equality is safe: each core counts once.
    noc_semaphore_wait(words_at(arrived), num_cores - 1);
    uint32_t largest = own;
    for (uint32_t i = 1; i < num_cores; ++i) {
        largest = larger(largest, words_at(slots + i * kSlot)[0]);
    }
    words_at(answer)[0] = largest;
    for (uint32_t i = 1; i < num_cores; ++i) {
        const auto other = CorePlace::read(kPlacesArg + i * CorePlace::kCount);
        noc_async_write(answer, get_noc_addr(other.x, other.y, answer), 4);
    }
    noc_async_write_barrier();  // the answers are there before they are counted
    for (uint32_t i = 1; i < num_cores; ++i) {
        const auto other = CorePlace::read(kPlacesArg + i * CorePlace::kCount);
        noc_semaphore_inc(get_noc_addr(other.x, other.y, answered), 1);
    }
    return largest;
}

// The largest magnitude of this core's elements, in rows of a tile.
uint32_t own_largest(Largest form) {
    cb_wait_front(cb_largest, 1);
    const auto* tile = words_at(get_read_ptr(cb_largest));
    uint32_t largest = 0;
    for (uint32_t row = 0; row < scale_rule::kTileRows; ++row) {
        largest = larger(largest, form == Largest::OfRows ? tile[scale_rule::word_of_row(row)]
                                                          : scale_rule::largest_of_row(tile, row));
    }
    cb_pop_front(cb_largest, 1);
    return largest;
}

// Tells compute what to scale by; returns the bits of the scale.
uint32_t put_scale(uint32_t largest, const TensorWriterArgs& own) {
    scale_rule::FloatWord most;
    most.bits = own.most_bits;
    const auto rule = static_cast<ScaleRule>(own.rule);
    scale_rule::FloatWord scale;
    scale.value = scale_rule::scale_of(largest, rule, most.value);
    const uint32_t bits = scale.bits;
    if (rule == ScaleRule::PerToken) {
        // The reciprocal is made once here, since that rule multiplies.
        scale.value = 1.0F / scale.value;
    }
    cb_reserve_back(cb_scale, 1);
    words_at(get_write_ptr(cb_scale))[0] = scale.bits;
    cb_push_back(cb_scale, 1);
    return bits;
}

// Stores the codes of pieces [first, end).
template <class Codes>
void store_turn(const Codes& codes, const Pieces& pieces, const CountedRows& rows,
                uint32_t code_bytes, uint32_t first, uint32_t end) {
    cb_wait_front(cb_out, kTensorTurn);
    pieces.for_each_run(first, end, end - first, [&](const Run& run) {
        // Rows that do not count keep what the output held.
        if (rows.is_counted(run.row)) {
            noc_async_write(get_read_ptr(cb_out) + (run.piece - first) * kPiece * code_bytes,
                            codes.get_noc_addr(run.row, run.column * code_bytes),
                            run.columns * code_bytes);
        }
    });
    // The data has left L1; compute may pack over it.
    noc_async_writes_flushed();
    cb_pop_front(cb_out, kTensorTurn);
}

}  // namespace

void kernel_main() {
    const auto range = TensorRange::read();
    const auto args = TensorArgs::read();
    const auto own = TensorWriterArgs::read();
    const auto codes =
        TensorAccessor(WriterTensors::codes(), WriterTensors::codes_address(TensorRange::kCount));
    const auto scales =
        TensorAccessor(WriterTensors::scales(), WriterTensors::scales_address(TensorRange::kCount));
    const auto counts =
        TensorAccessor(WriterTensors::counts(), WriterTensors::counts_address(TensorRange::kCount));
    const Pieces pieces{args.pieces, args.columns};
    const TensorTurns turns = turns_of(args, range);
    const CountedRows rows =
        counted_rows(counts, cb_counts, turns.first / args.pieces, div_up(turns.end, args.pieces));

    const uint32_t largest =
        largest_of_all(own_largest(static_cast<Largest>(args.largest)), get_semaphore(own.arrived),
                       get_semaphore(own.answered));
    words_at(get_write_ptr(cb_scales))[0] = put_scale(largest, own);
    // One core stores the scale of the tensor.
    if (Exchange::read(kExchangeArg).core == 0) {
        noc_async_write(get_write_ptr(cb_scales), scales.get_noc_addr(0), 4);
    }
    for (uint32_t turn = 0; turn < turns.count; ++turn) {
        const uint32_t piece = turns.piece(turn);
        store_turn(codes, pieces, rows, own.code_bytes, piece,
                   smaller(piece + TensorTurns::kPieces, turns.end));
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
