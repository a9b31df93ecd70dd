// SPDX-License-Identifier: Apache-2.0
// Scores tokens, selects their groups and experts, and stores a row of every table for each token.
// Both data-movement RISCs of a core run it, each for its own tokens. A load from L1 takes as long
// as eight other instructions, so a pass over the experts keeps its state in registers.
#include "args.hpp"
#include "dataflow_api.h"
#include "exponential.hpp"
#include "largest.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::moe_select_experts;

constexpr uint32_t kNumOutputs = 7;
constexpr uint32_t kGroupScores = 4;  // their place among the outputs

using Floats = tt_l1_ptr float*;
using Words = tt_l1_ptr uint32_t*;

uint16_t to_bfloat16(float value) {
    FloatWord word;
    word.value = value;
    if (value != value) {
        return (uint16_t)(word.bits >> 16 | 0x40);
    }
    // Adds half of the last place, and one less for even numbers, so ties round to even.
    return (uint16_t)((word.bits + 0x7FFF + (word.bits >> 16 & 1)) >> 16);
}

float from_bfloat16(uint16_t half) {
    FloatWord word;
    word.bits = static_cast<uint32_t>(half) << 16;
    return word.value;
}

uint32_t bits_of(float value) {
    FloatWord word;
    word.value = value;
    return word.bits;
}

// A row in L1 with the alignment that it had in DRAM.
struct SourceRow {
    uint32_t l1_address;
    bool is_bfloat16;

    // Calls act(index, value).
    template <typename Act>
    void for_each(uint32_t count, Act act) const {
        if (is_bfloat16) {
            const auto* halves = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(l1_address);
            for (uint32_t i = 0; i < count; ++i) {
                act(i, from_bfloat16(halves[i]));
            }
        } else {
            const auto* values = reinterpret_cast<volatile tt_l1_ptr float*>(l1_address);
            for (uint32_t i = 0; i < count; ++i) {
                act(i, values[i]);
            }
        }
    }
};

float sigmoid(float x) {
    // The exponent is the negative magnitude, so nothing overflows and small results keep their
    // bits.
    const float growth = exponential(x < 0 ? x : -x);
    return (x < 0 ? growth : 1.0F) / (1.0F + growth);
}

// Compensated: a plain fp32 sum over hundreds of experts loses some units in the last place.
struct Sum {
    float value = 0;
    float lost = 0;

    void add(float term) {
        const float wanted = term - lost;
        const float next = value + wanted;
        lost = (next - value) - wanted;
        value = next;
    }
};

// Scores may be NaN if logits are; the row must still get top_k ids.
// NaN is never chosen while there is a number.
bool is_larger(float value, float best) {
    return value > best || (best != best && value == value);
}

struct Router {
    uint32_t experts;
    uint32_t n_group;
    uint32_t topk_group;
    uint32_t top_k;
    RouterScoring scoring;
    bool has_bias;
    bool normalises;
    bool gives_group_scores;
    float factor;
    SourceRow logits;
    Floats scores;
    Floats choices;  // scores with bias; without one, the scores
    Floats bias;
    Words ids;
    Floats weights;
    tt_l1_ptr uint16_t* halves;
    Words groups;
    Floats group_scores;
    Words is_open;  // groups that experts are chosen from

    void score() const {
        if (scoring == RouterScoring::Sigmoid) {
            logits.for_each(experts,
                            [&](uint32_t e, float logit) { set_score(e, sigmoid(logit)); });
        } else if (scoring == RouterScoring::Softmax) {
            softmax();
        } else {
            logits.for_each(experts, [&](uint32_t e, float logit) { set_score(e, logit); });
        }
    }
    void set_score(uint32_t expert, float score) const {
        scores[expert] = score;
        if (has_bias) {
            choices[expert] = score + bias[expert];
        }
    }
    void softmax() const {
        float most = 0;
        // The first logit starts the maximum, since -infinity may be a logit.
        logits.for_each(experts, [&](uint32_t e, float logit) {
            most = e == 0 || logit > most ? logit : most;
        });
        Sum sum;
        // Exponentials are stored and divided in a second pass: the sum is known only then.
        logits.for_each(experts, [&](uint32_t e, float logit) {
            const float growth = exponential(logit - most);
            scores[e] = growth;
            sum.add(growth);
        });
        for (uint32_t e = 0; e < experts; ++e) {
            set_score(e, scores[e] / sum.value);
        }
    }

    float score_of_group(uint32_t first, uint32_t size) const {
        float best = choices[first];
        float second = best;
        for (uint32_t i = 1; i < size; ++i) {
            const float value = choices[first + i];
            // One pass keeps the two best in registers. Two searches would load every score twice.
            if (i != 1 && !is_larger(value, second)) {
                continue;
            }
            const bool is_best = is_larger(value, best);
            second = is_best ? best : value;
            best = is_best ? value : best;
        }
        return has_bias && size > 1 ? best + second : best;
    }

    void select_groups() const {
        // Without groups, and without readers of their scores, there is nothing to select.
        if (n_group == 1 && !gives_group_scores) {
            groups[0] = 0;
            is_open[0] = 1;
            return;
        }
        const uint32_t size = experts / n_group;
        for (uint32_t group = 0; group < n_group; ++group) {
            group_scores[group] = score_of_group(group * size, size);
            is_open[group] = 0;
        }
        select_largest(topk_group, groups, [&](auto offer) {
            for (uint32_t group = 0; group < n_group; ++group) {
                offer(bits_of(group_scores[group]), group);
            }
        });
        for (uint32_t i = 0; i < topk_group; ++i) {
            is_open[groups[i]] = 1;
        }
    }

    void select_experts() const {
        const uint32_t size = experts / n_group;
        select_largest(top_k, ids, [&](auto offer) {
            for (uint32_t group = 0; group < n_group; ++group) {
                // A closed group costs one load instead of one for each of its experts.
                if (is_open[group] == 0) {
                    continue;
                }
                for (uint32_t e = group * size; e < (group + 1) * size; ++e) {
                    offer(bits_of(choices[e]), e);
                }
            }
        });
        if (scoring == RouterScoring::TopkSoftmax || scoring == RouterScoring::Llama4) {
            weigh_selected();
            return;
        }
        float sum = 0;
        // Scores without bias weigh the experts; the order of the sum is that of the ids.
        for (uint32_t k = 0; k < top_k; ++k) {
            sum += scores[ids[k]];
        }
        // A divisor of 1 keeps the loop below free of a branch.
        const float divisor = normalises ? sum + 1e-20F : 1.0F;
        for (uint32_t k = 0; k < top_k; ++k) {
            weights[k] = scores[ids[k]] / divisor * factor;
            // Both formats of the weights are outputs of their own.
            halves[k] = to_bfloat16(weights[k]);
        }
    }

    // Scores are logits; the function is applied to those of the selected experts alone.
    void weigh_selected() const {
        const bool is_softmax = scoring == RouterScoring::TopkSoftmax;
        float most = scores[ids[0]];
        for (uint32_t k = 1; is_softmax && k < top_k; ++k) {
            // With a bias the first expert need not have the largest logit.
            const float logit = scores[ids[k]];
            most = is_larger(logit, most) ? logit : most;
        }
        Sum sum;
        for (uint32_t k = 0; k < top_k; ++k) {
            const float logit = scores[ids[k]];
            const float weight = is_softmax ? exponential(logit - most) : sigmoid(logit);
            weights[k] = weight;
            sum.add(weight);
        }
        const float divisor = normalises ? sum.value + 1e-20F : 1.0F;
        for (uint32_t k = 0; k < top_k; ++k) {
            weights[k] = weights[k] / divisor * factor;
            halves[k] = to_bfloat16(weights[k]);
        }
    }
};

// The tables, in the order of the op's outputs, with the row of L1 that each is stored from.
struct Output {
    PageAccessor tensor;
    uint32_t row_l1;
    uint32_t bytes;
};

// Addresses of the rows that a token's routing takes in L1, one after the other.
struct Rows {
    uint32_t logits;
    uint32_t scores;
    uint32_t choices;
    uint32_t bias;
    uint32_t ids;
    uint32_t weights;
    uint32_t halves;
    uint32_t groups;
    uint32_t group_scores;
    uint32_t is_open;
};

Rows rows_at(uint32_t l1_address, const SelectArgs& args) {
    const uint32_t row = args.row_bytes;
    const uint32_t short_row = args.short_row_bytes;
    Rows rows;
    rows.logits = l1_address;
    rows.scores = rows.logits + row;
    // Without a bias the choices are the scores: one row serves both.
    rows.choices = args.has_bias != 0 ? rows.scores + row : rows.scores;
    rows.bias = rows.scores + 2 * row;
    rows.ids = rows.bias + row;
    rows.weights = rows.ids + short_row;
    rows.halves = rows.weights + short_row;
    rows.groups = rows.halves + short_row;
    rows.group_scores = rows.groups + short_row;
    rows.is_open = rows.group_scores + short_row;
    return rows;
}

Router router_of(const SelectArgs& args, const Rows& rows) {
    FloatWord factor;
    factor.bits = args.factor_bits;
    return {.experts = args.experts,
            .n_group = args.n_group,
            .topk_group = args.topk_group,
            .top_k = args.top_k,
            .scoring = static_cast<RouterScoring>(args.scoring),
            .has_bias = args.has_bias != 0,
            .normalises = args.normalises != 0,
            .gives_group_scores = args.num_outputs > kGroupScores,
            .factor = factor.value,
            .logits = {rows.logits, args.has_bf16_logits != 0},
            .scores = reinterpret_cast<Floats>(rows.scores),
            .choices = reinterpret_cast<Floats>(rows.choices),
            .bias = reinterpret_cast<Floats>(rows.bias),
            .ids = reinterpret_cast<Words>(rows.ids),
            .weights = reinterpret_cast<Floats>(rows.weights),
            .halves = reinterpret_cast<tt_l1_ptr uint16_t*>(rows.halves),
            .groups = reinterpret_cast<Words>(rows.groups),
            .group_scores = reinterpret_cast<Floats>(rows.group_scores),
            .is_open = reinterpret_cast<Words>(rows.is_open)};
}

// Widens the bias once, through the row that the logits take later.
void read_bias(const PageAccessor& bias, const SelectArgs& args, const Router& router) {
    const uint32_t l1_address = router.logits.l1_address;
    const bool is_bfloat16 = args.has_bf16_bias != 0;
    noc_async_read(bias.get_noc_addr(0), l1_address, args.experts * (is_bfloat16 ? 2 : 4));
    noc_async_read_barrier();
    SourceRow{l1_address, is_bfloat16}.for_each(
        args.experts, [&](uint32_t e, float value) { router.bias[e] = value; });
}

// Routes a token and stores its row of each output.
void route(const PageAccessor& logits, uint32_t token, const Router& router, const Output* outputs,
           uint32_t num_outputs) {
    const SourceRow& row = router.logits;
    noc_async_read(logits.get_noc_addr(token), row.l1_address,
                   router.experts * (row.is_bfloat16 ? 2 : 4));
    noc_async_read_barrier();
    router.score();
    router.select_groups();
    router.select_experts();
    // Rows of all outputs are in flight together.
    for (uint32_t i = 0; i < num_outputs; ++i) {
        noc_async_write(outputs[i].row_l1, outputs[i].tensor.get_noc_addr(token), outputs[i].bytes);
    }
    // The next token is scored in the same rows.
    noc_async_write_barrier();
}

}  // namespace

void kernel_main() {
    using Tensors = SelectTensors;
    constexpr uint32_t kFirst = SelectShare::kCount;
    const auto share = SelectShare::read();
    // A core may have a single token; its second RISC then has none.
    if (share.num_tokens == 0) {
        return;
    }
    const auto args = SelectArgs::read();
    const auto logits = TensorAccessor(Tensors::logits(), Tensors::logits_address(kFirst));
    const auto bias = TensorAccessor(Tensors::bias(), Tensors::bias_address(kFirst));
    const Rows rows = rows_at(get_write_ptr(share.scratch_cb), args);
    const Router router = router_of(args, rows);
    const Output outputs[kNumOutputs] = {
        {TensorAccessor(Tensors::ids(), Tensors::ids_address(kFirst)), rows.ids, args.top_k * 4},
        {TensorAccessor(Tensors::weights(), Tensors::weights_address(kFirst)), rows.weights,
         args.top_k * 4},
        {TensorAccessor(Tensors::bf16_weights(), Tensors::bf16_weights_address(kFirst)),
         rows.halves, args.top_k * 2},
        {TensorAccessor(Tensors::groups(), Tensors::groups_address(kFirst)), rows.groups,
         args.topk_group * 4},
        {TensorAccessor(Tensors::group_scores(), Tensors::group_scores_address(kFirst)),
         rows.group_scores, args.n_group * 4},
        {TensorAccessor(Tensors::scores(), Tensors::scores_address(kFirst)), rows.scores,
         args.experts * 4},
        {TensorAccessor(Tensors::choices(), Tensors::choices_address(kFirst)), rows.choices,
         args.experts * 4}};

    if (args.has_bias != 0) {
        read_bias(bias, args, router);
    }
    for (uint32_t token = share.first_token; token < share.first_token + share.num_tokens;
         ++token) {
        route(logits, token, router, outputs, args.num_outputs);
    }
}
