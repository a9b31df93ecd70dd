// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "emu/base/bf16.hpp"
#include "ops/moe_select_experts/moe_select_experts.hpp"
#include "ops/shared/host_floats.hpp"

namespace tessera::ops::moe_select_experts {
namespace {

/// Scores are rounded to fp32 before they are compared: a sigmoid that a float holds as 1 ties with
/// 1.
std::vector<float> scores_of(std::span<const float> logits, RouterScoring scoring) {
    std::vector<float> scores(logits.begin(), logits.end());
    if (scoring == RouterScoring::Sigmoid) {
        for (float& score : scores) {
            score = static_cast<float>(1 / (1 + std::exp(-double{score})));
        }
    } else if (scoring == RouterScoring::Softmax) {
        // The largest logit is subtracted first, so no exponential overflows.
        const double most = *std::ranges::max_element(logits);
        double sum = 0;
        for (const float logit : logits) {
            sum += std::exp(logit - most);
        }
        for (float& score : scores) {
            score = static_cast<float>(std::exp(score - most) / sum);
        }
    }
    return scores;
}

/// Returns the `count` largest of the candidates, descending, the lower index first among equal
/// ones.
std::vector<std::int32_t> largest(std::span<const float> values,
                                  std::vector<std::int32_t> candidates, std::uint32_t count) {
    const auto key = [&](std::int32_t index) {
        // NaN is below every number, as in the kernel.
        const float value = values[static_cast<std::size_t>(index)];
        return std::isnan(value) ? -std::numeric_limits<float>::infinity() : value;
    };
    // Stable: among equal scores the lower index comes first, as in TensorRT-LLM's packed keys.
    std::ranges::stable_sort(candidates,
                             [&](std::int32_t a, std::int32_t b) { return key(a) > key(b); });
    candidates.resize(count);
    return candidates;
}

std::vector<std::int32_t> counted_up(std::uint32_t count) {
    std::vector<std::int32_t> indices(count);
    std::iota(indices.begin(), indices.end(), 0);
    return indices;
}

float group_score(std::span<const float> choices, bool has_bias) {
    std::vector<float> sorted(choices.begin(), choices.end());
    std::ranges::sort(sorted, std::greater<>());
    // DeepSeek-V3 scores a group by the sum of its two best with bias; DeepSeek-V2 by the largest
    // without.
    return has_bias && sorted.size() > 1 ? sorted[0] + sorted[1] : sorted[0];
}

/// The rows that tokens fill, one after another.
struct Rows {
    HostTensor ids, weights, weights_bf16, groups, group_scores, scores, choices;
};

template <class T>
void store(HostTensor& tensor, std::size_t row, const std::vector<T>& values) {
    std::ranges::copy(values, tensor.as<T>().subspan(row * values.size(), values.size()).begin());
}

// Weights are rounded as the output is: weights close to each other would otherwise be correlated
// with their rounding only.
std::vector<float> rounded(std::vector<float> values) {
    for (float& value : values) {
        value = bf16_to_float(float_to_bf16(value));
    }
    return values;
}

/// Weights of the selected experts, in their order, without the scaling factor.
std::vector<double> weights_of(const std::vector<float>& scores,
                               const std::vector<std::int32_t>& ids,
                               const SelectExpertsSpec& spec) {
    std::vector<double> weights;
    weights.reserve(ids.size());
    for (const std::int32_t id : ids) {
        weights.push_back(scores[static_cast<std::size_t>(id)]);
    }
    const bool is_softmax = spec.scoring == RouterScoring::TopkSoftmax;
    const double most = *std::ranges::max_element(weights);
    for (double& weight : weights) {
        if (is_softmax) {
            weight = std::exp(weight - most);
        } else if (spec.scoring == RouterScoring::Llama4) {
            weight = 1 / (1 + std::exp(-weight));
        }
    }
    // 1e-20 in the denominator: all scores of a token may be 0.
    const double sum = std::accumulate(weights.begin(), weights.end(), 1e-20);
    for (double& weight : weights) {
        weight = spec.normalise || is_softmax ? weight / sum : weight;
    }
    return weights;
}

void route(std::span<const float> logits, std::span<const float> bias,
           const SelectExpertsSpec& spec, std::size_t token, Rows& rows) {
    const std::vector<float> scores = scores_of(logits, spec.scoring);
    std::vector<float> choices = scores;
    // The bias changes the choice of experts, but not their weights.
    for (std::size_t e = 0; e < bias.size(); ++e) {
        choices[e] += bias[e];
    }
    const auto size = static_cast<std::uint32_t>(logits.size()) / spec.n_group;
    std::vector<float> groups;
    for (std::uint32_t g = 0; g < spec.n_group; ++g) {
        groups.push_back(
            group_score(std::span(choices).subspan(std::size_t{g} * size, size), !bias.empty()));
    }
    const auto selected = largest(groups, counted_up(spec.n_group), spec.topk_group);
    // Closed groups are left out instead of being set to 0, which a negative score plus bias would
    // lose against.
    std::vector<std::int32_t> candidates;
    for (const std::int32_t e : counted_up(size * spec.n_group)) {
        if (std::ranges::find(selected, e / static_cast<std::int32_t>(size)) != selected.end()) {
            candidates.push_back(e);
        }
    }
    const auto ids = largest(choices, candidates, spec.top_k);
    // The factor is applied after the normalisation.
    std::vector<float> weights;
    for (const double weight : weights_of(scores, ids, spec)) {
        weights.push_back(static_cast<float>(weight * spec.routed_scaling_factor));
    }
    store(rows.ids, token, ids);
    store(rows.weights, token, weights);
    store(rows.weights_bf16, token, rounded(weights));
    store(rows.groups, token, selected);
    store(rows.group_scores, token, groups);
    store(rows.scores, token, scores);
    store(rows.choices, token, choices);
}

}  // namespace

std::vector<HostTensor> reference(const HostTensor& logits, const HostTensor* bias,
                                  const SelectExpertsSpec& spec) {
    const std::uint32_t tokens = logits.shape.at(0);
    const std::uint32_t experts = logits.shape.at(1);
    const auto floats = [&](std::uint32_t columns) {
        return make_host_tensor({tokens, columns}, DataFormat::Float32);
    };
    Rows rows{make_host_tensor({tokens, spec.top_k}, DataFormat::Int32),
              floats(spec.top_k),
              floats(spec.top_k),
              make_host_tensor({tokens, spec.topk_group}, DataFormat::Int32),
              floats(spec.n_group),
              floats(experts),
              floats(experts)};
    const std::vector<float> all = floats_of(logits);
    const std::vector<float> offsets = bias == nullptr ? std::vector<float>{} : floats_of(*bias);
    for (std::size_t token = 0; token < tokens; ++token) {
        route(std::span(all).subspan(token * experts, experts), offsets, spec, token, rows);
    }
    std::vector<HostTensor> outputs;
    for (HostTensor* tensor : {&rows.ids, &rows.weights, &rows.weights_bf16, &rows.groups,
                               &rows.group_scores, &rows.scores, &rows.choices}) {
        outputs.push_back(std::move(*tensor));
    }
    return outputs;
}

}  // namespace tessera::ops::moe_select_experts
