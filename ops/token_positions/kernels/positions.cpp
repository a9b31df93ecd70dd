// SPDX-License-Identifier: Apache-2.0
// Counts through the tokens of each sequence. The tables stay in L1 until each leaves in one write.
#include "../../shared/expert_rows/kernels/table_words.hpp"
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::token_positions;

void kernel_main() {
    const auto args = PositionsArgs::read();
    const TensorAccessor contexts_in(PositionsTensors::contexts(),
                                     PositionsTensors::contexts_address());
    const TensorAccessor queries_in(PositionsTensors::queries(),
                                    PositionsTensors::queries_address());
    const TensorAccessor positions_out(PositionsTensors::positions(),
                                       PositionsTensors::positions_address());
    const TensorAccessor sequences_out(PositionsTensors::sequence_ids(),
                                       PositionsTensors::sequence_ids_address());
    const TensorAccessor starts_out(PositionsTensors::starts(), PositionsTensors::starts_address());
    const uint32_t contexts_l1 = get_write_ptr(index_of(Cb::Contexts));
    const uint32_t queries_l1 = get_write_ptr(index_of(Cb::Queries));
    const uint32_t positions_l1 = get_write_ptr(index_of(Cb::Positions));
    const uint32_t sequences_l1 = get_write_ptr(index_of(Cb::Sequences));
    const uint32_t starts_l1 = get_write_ptr(index_of(Cb::Starts));
    constexpr uint32_t kWord = sizeof(uint32_t);
    read_pages(contexts_in, 0, 1, contexts_l1, 0, args.sequences * kWord);
    read_pages(queries_in, 0, 1, queries_l1, 0, args.sequences * kWord);

    uint32_t token = 0;
    for (uint32_t s = 0; s < args.sequences; ++s) {
        const uint32_t context = words_at(contexts_l1)[s];
        const uint32_t count = words_at(queries_l1)[s];
        words_at(starts_l1)[s] = token;
        // The bound keeps lists that are too long from writing past their buffers.
        for (uint32_t i = 0; i < count && token < args.tokens; ++i) {
            words_at(positions_l1)[token] = context + i;
            words_at(sequences_l1)[token] = s;
            token += 1;
        }
    }
    for (; token < args.tokens; ++token) {
        words_at(positions_l1)[token] = kNobody;
        words_at(sequences_l1)[token] = args.sequences - 1;
    }
    write_pages(positions_out, 0, 1, positions_l1, 0, args.tokens * kWord);
    write_pages(sequences_out, 0, 1, sequences_l1, 0, args.tokens * kWord);
    write_pages(starts_out, 0, 1, starts_l1, 0, args.sequences * kWord);
}
