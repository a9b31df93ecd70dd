// SPDX-License-Identifier: Apache-2.0
// Least work of a call: each query is multiplied with each key that its token attends to.
#include <algorithm>

#include "ops/attention_prefill/heads.hpp"
#include "ops/bound.hpp"
#include "ops/shared/expert_rows/tables.hpp"

namespace tessera::ops::attention_prefill {

LeastWork work_of(const BoundContext& context) {
    const Shape& query = context.in(kQuery).shape;
    const double heads = query[query.size() - 2];
    const double keys =
        query.back() + (context.has(kQueryRope) ? context.in(kQueryRope).shape.back() : 0);
    const std::uint32_t window = context.params<PrefillSpec>().window;
    const auto tokens = static_cast<std::int32_t>(num_rows(query) / query[query.size() - 2]);
    const std::vector<std::int32_t> starts = context.integers(kStarts);
    const std::vector<std::int32_t> contexts = context.has(kContexts)
                                                   ? context.integers(kContexts)
                                                   : std::vector<std::int32_t>(starts.size());
    double scores = 0;
    for (std::size_t s = 0; s < starts.size(); ++s) {
        const std::int32_t end = s + 1 < starts.size() ? starts[s + 1] : tokens;
        for (std::int32_t token = starts[s]; token < end; ++token) {
            const double visible = contexts[s] + token - starts[s] + 1.0;
            scores += window == 0 ? visible : std::min<double>(visible, window);
        }
    }
    if (context.has(kChosen)) {
        scores = std::min(scores, num_present(context, kChosen));
    }
    // Pages and choices tell which keys are read, so that only queries and results are sure.
    LeastWork work = operand_bytes(context, {"kv", "k_rope", "values", "page_table", "chosen"});
    work.products = scores * heads * (keys + context.out(only(kOutputs)).shape.back());
    work.vector_ops = scores * heads;
    return work;
}

}  // namespace tessera::ops::attention_prefill
