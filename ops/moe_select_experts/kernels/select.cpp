// SPDX-License-Identifier: Apache-2.0
// Scores this core's tokens, chooses their groups and experts, and stores a row of every table for
// each of them.
#include "dataflow_api.h"
#include "exponential.hpp"

namespace {

constexpr uint32_t kCbScratch = 0;
constexpr uint32_t kNumOutputs = 7;
enum Scoring : uint32_t { kSigmoid, kSoftmax, kNone };

using Floats = tt_l1_ptr float*;
using Words = tt_l1_ptr uint32_t*;

uint16_t to_bfloat16(float value) {
    FloatWord word;
    word.value = value;
    if (value != value) {
        return (uint16_t)(word.bits >> 16 | 0x40);
    }
    return (uint16_t)((word.bits + 0x7FFF + (word.bits >> 16 & 1)) >> 16);
}

// As bfloat16 they take the first half of their row, so the last one is widened first. Volatile:
// the compiler must not take halves and words for different memory.
void widen_row(uint32_t l1_addr, uint32_t count) {
    const auto* halves = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(l1_addr);
    auto* values = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr);
    for (uint32_t i = count; i-- > 0;) {
        values[i] = static_cast<uint32_t>(halves[i]) << 16;
    }
}

float sigmoid(float x) {
    // Of the negative magnitude, so that nothing overflows and small results keep their bits.
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

// NaN is never chosen while there is a number.
bool is_larger(float value, float best) {
    return value > best || (best != best && value == value);
}

struct Router {
    uint32_t experts;
    uint32_t n_group;
    uint32_t topk_group;
    uint32_t top_k;
    uint32_t scoring;
    bool has_bias;
    bool normalises;
    float factor;
    Floats scores;   // logits before
    Floats choices;  // scores with bias
    Floats bias;
    Words is_open;  // whether an expert may be chosen
    Words ids;
    Floats weights;
    tt_l1_ptr uint16_t* halves;
    Words groups;
    Floats group_scores;

    void score() const {
        if (scoring == kSigmoid) {
            for (uint32_t e = 0; e < experts; ++e) {
                scores[e] = sigmoid(scores[e]);
            }
        } else if (scoring == kSoftmax) {
            softmax();
        }
        for (uint32_t e = 0; e < experts; ++e) {
            choices[e] = has_bias ? scores[e] + bias[e] : scores[e];
        }
    }
    void softmax() const {
        float most = scores[0];
        for (uint32_t e = 1; e < experts; ++e) {
            most = scores[e] > most ? scores[e] : most;
        }
        Sum sum;
        for (uint32_t e = 0; e < experts; ++e) {
            scores[e] = exponential(scores[e] - most);
            sum.add(scores[e]);
        }
        for (uint32_t e = 0; e < experts; ++e) {
            scores[e] = scores[e] / sum.value;
        }
    }

    float score_of_group(uint32_t first, uint32_t size) const {
        float best = choices[first];
        float second = best;
        for (uint32_t i = 1; i < size; ++i) {
            const float value = choices[first + i];
            if (is_larger(value, best)) {
                second = best;
                best = value;
            } else if (i == 1 || is_larger(value, second)) {
                second = value;
            }
        }
        return has_bias && size > 1 ? best + second : best;
    }

    // The largest open one of `count` values, which is then closed; of equal ones the first.
    static uint32_t take_largest(const Floats values, const Words open, uint32_t count) {
        uint32_t best = count;
        float most = 0;  // values[best]: a load from L1 takes as long as the rest of a round
        for (uint32_t i = 0; i < count; ++i) {
            if (open[i] == 0) {
                continue;
            }
            const float value = values[i];
            if (best == count || is_larger(value, most)) {
                best = i;
                most = value;
            }
        }
        open[best] = 0;
        return best;
    }

    void select_groups() const {
        const uint32_t size = experts / n_group;
        for (uint32_t group = 0; group < n_group; ++group) {
            group_scores[group] = score_of_group(group * size, size);
            is_open[group] = 1;
        }
        for (uint32_t i = 0; i < topk_group; ++i) {
            groups[i] = take_largest(group_scores, is_open, n_group);
        }
        for (uint32_t e = 0; e < experts; ++e) {
            is_open[e] = 0;
        }
        for (uint32_t i = 0; i < topk_group; ++i) {
            for (uint32_t e = 0; e < size; ++e) {
                is_open[groups[i] * size + e] = 1;
            }
        }
    }

    void select_experts() const {
        float sum = 0;
        for (uint32_t k = 0; k < top_k; ++k) {
            ids[k] = take_largest(choices, is_open, experts);
            sum += scores[ids[k]];
        }
        const float divisor = normalises ? sum + 1e-20F : 1.0F;
        for (uint32_t k = 0; k < top_k; ++k) {
            weights[k] = scores[ids[k]] / divisor * factor;
            halves[k] = to_bfloat16(weights[k]);
        }
    }
};

// The tables, in the order of the op's outputs, with the row of L1 that each is stored from.
struct Output {
    TensorAccessor tensor;
    uint32_t row_l1;
    uint32_t bytes;
};

}  // namespace

void kernel_main() {
    const uint32_t first_token = get_arg_val<uint32_t>(0);
    const uint32_t num_tokens = get_arg_val<uint32_t>(1);
    const uint32_t experts = get_compile_time_arg_val(0);
    const uint32_t n_group = get_compile_time_arg_val(1);
    const uint32_t topk_group = get_compile_time_arg_val(2);
    const uint32_t top_k = get_compile_time_arg_val(3);
    const bool has_bias = get_compile_time_arg_val(5) != 0;
    const uint32_t row = get_compile_time_arg_val(8);
    const uint32_t short_row = get_compile_time_arg_val(9);
    const uint32_t num_outputs = get_compile_time_arg_val(10);
    const bool has_bf16_logits = get_compile_time_arg_val(11) != 0;
    const bool has_bf16_bias = get_compile_time_arg_val(12) != 0;
    constexpr auto logits_args = TensorAccessorArgs<13>();
    constexpr auto bias_args = TensorAccessorArgs<15>();
    const auto logits = TensorAccessor(logits_args, get_arg_val<uint32_t>(2));
    const auto bias = TensorAccessor(bias_args, get_arg_val<uint32_t>(3));

    const uint32_t scores_l1 = get_write_ptr(kCbScratch);
    const uint32_t choices_l1 = scores_l1 + row;
    const uint32_t bias_l1 = choices_l1 + row;
    const uint32_t open_l1 = bias_l1 + row;
    const uint32_t ids_l1 = open_l1 + row;
    const uint32_t weights_l1 = ids_l1 + short_row;
    const uint32_t halves_l1 = weights_l1 + short_row;
    const uint32_t groups_l1 = halves_l1 + short_row;
    const uint32_t group_scores_l1 = groups_l1 + short_row;
    FloatWord factor;
    factor.bits = get_compile_time_arg_val(7);
    const Router router{.experts = experts,
                        .n_group = n_group,
                        .topk_group = topk_group,
                        .top_k = top_k,
                        .scoring = static_cast<uint32_t>(get_compile_time_arg_val(4)),
                        .has_bias = has_bias,
                        .normalises = get_compile_time_arg_val(6) != 0,
                        .factor = factor.value,
                        .scores = reinterpret_cast<Floats>(scores_l1),
                        .choices = reinterpret_cast<Floats>(choices_l1),
                        .bias = reinterpret_cast<Floats>(bias_l1),
                        .is_open = reinterpret_cast<Words>(open_l1),
                        .ids = reinterpret_cast<Words>(ids_l1),
                        .weights = reinterpret_cast<Floats>(weights_l1),
                        .halves = reinterpret_cast<tt_l1_ptr uint16_t*>(halves_l1),
                        .groups = reinterpret_cast<Words>(groups_l1),
                        .group_scores = reinterpret_cast<Floats>(group_scores_l1)};
    const Output outputs[kNumOutputs] = {
        {TensorAccessor(TensorAccessorArgs<17>(), get_arg_val<uint32_t>(4)), ids_l1, top_k * 4},
        {TensorAccessor(TensorAccessorArgs<19>(), get_arg_val<uint32_t>(5)), weights_l1, top_k * 4},
        {TensorAccessor(TensorAccessorArgs<21>(), get_arg_val<uint32_t>(6)), halves_l1, top_k * 2},
        {TensorAccessor(TensorAccessorArgs<23>(), get_arg_val<uint32_t>(7)), groups_l1,
         topk_group * 4},
        {TensorAccessor(TensorAccessorArgs<25>(), get_arg_val<uint32_t>(8)), group_scores_l1,
         n_group * 4},
        {TensorAccessor(TensorAccessorArgs<27>(), get_arg_val<uint32_t>(9)), scores_l1,
         experts * 4},
        {TensorAccessor(TensorAccessorArgs<29>(), get_arg_val<uint32_t>(10)), choices_l1,
         experts * 4}};

    if (has_bias) {
        noc_async_read(bias.get_noc_addr(0), bias_l1, experts * (has_bf16_bias ? 2 : 4));
        noc_async_read_barrier();
        if (has_bf16_bias) {
            widen_row(bias_l1, experts);
        }
    }
    for (uint32_t token = first_token; token < first_token + num_tokens; ++token) {
        noc_async_read(logits.get_noc_addr(token), scores_l1, experts * (has_bf16_logits ? 2 : 4));
        noc_async_read_barrier();
        if (has_bf16_logits) {
            widen_row(scores_l1, experts);
        }
        router.score();
        router.select_groups();
        router.select_experts();
        for (uint32_t i = 0; i < num_outputs; ++i) {
            noc_async_write(outputs[i].row_l1, outputs[i].tensor.get_noc_addr(token),
                            outputs[i].bytes);
        }
        // The next token is scored in the same rows.
        noc_async_write_barrier();
    }
}
