// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/moe_bmm/expert_reference.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "ops/shared/valid_tiles/expert_rows_reference.hpp"

namespace tessera::ops::moe_bmm {
namespace {

/// Returns the rows of weights that are read at once: with the sums of some tokens they stay in the
/// host's caches.
std::uint32_t rows_at_once(std::uint32_t inner) {
    // A divisor of K, so that every read is whole.
    for (const std::uint32_t rows : {4 * kTileRows, 2 * kTileRows, kTileRows}) {
        if (inner % rows == 0) {
            return rows;
        }
    }
    return inner;
}

/// Computes the product of one expert's first `count` rows, into `output`.
void project(const ReferenceContext& context, std::uint32_t expert, std::uint32_t count,
             std::span<float> output) {
    const Shape& shape = context.in("expert_weights"_in).shape();
    // Only rows with tokens are read.
    ExpertReference sums(context.in("input_hidden_state"_in).first_rows(expert, count), 0, count,
                         {0, shape[2]});
    const std::uint32_t step = rows_at_once(shape[1]);
    for (std::uint32_t k = 0; k < shape[1]; k += step) {
        const std::uint64_t first = std::uint64_t{expert} * shape[1] + k;
        sums.add(context.in("expert_weights"_in).rows(first, step), 0, k, step);
    }
    sums.store(output, shape[2]);
}

}  // namespace

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::vector<std::uint32_t> counts = context.counts("num_routed_tokens"_in);
    return list_of(packed_expert_rows(context.outputs[only(kOutputs)].spec.shape, counts,
                                      [&](std::uint32_t expert, std::span<float> rows) {
                                          project(context, expert, counts[expert], rows);
                                      }));
}

}  // namespace tessera::ops::moe_bmm
