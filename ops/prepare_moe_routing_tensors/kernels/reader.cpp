// SPDX-License-Identifier: Apache-2.0
// Streams every token's experts and weights to the builder, in blocks of token rows, once for each
// group of experts that the builder works on.
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::prepare_moe_routing_tensors;

constexpr uint32_t kCbSelected = index_of(Cb::Selected);
constexpr uint32_t kCbWeights = index_of(Cb::Weights);

}  // namespace

void kernel_main() {
    const auto at = ReaderTensors::Addresses::read();
    const uint32_t num_experts = ReaderWork::read(ReaderTensors::Addresses::kCount).num_experts;
    const auto args = TableArgs::read();
    const auto selected = TensorAccessor(ReaderTensors::selected(), at.selected);
    const auto weights = TensorAccessor(ReaderTensors::weights(), at.weights);

    // Tokens are streamed again for each group, because L1 holds the tables of one group only.
    for (uint32_t expert = 0; expert < num_experts; expert += args.group) {
        for (uint32_t first = 0; first < args.num_tokens; first += args.block) {
            const uint32_t left = args.num_tokens - first;
            const uint32_t rows = left < args.block ? left : args.block;
            // Whole blocks, also for the last tokens: the buffer wraps only at its exact end.
            cb_reserve_back(kCbSelected, args.block);
            cb_reserve_back(kCbWeights, args.block);
            const uint32_t selected_l1 = get_write_ptr(kCbSelected);
            const uint32_t weights_l1 = get_write_ptr(kCbWeights);
            for (uint32_t row = 0; row < rows; ++row) {
                noc_async_read(selected.get_noc_addr(first + row),
                               selected_l1 + row * args.selected_page,
                               args.top_k * sizeof(uint32_t));
                noc_async_read(weights.get_noc_addr(first + row),
                               weights_l1 + row * args.weights_page, args.top_k * sizeof(uint16_t));
            }
            // One barrier for all rows of a block.
            noc_async_read_barrier();
            cb_push_back(kCbSelected, args.block);
            cb_push_back(kCbWeights, args.block);
        }
    }
}
