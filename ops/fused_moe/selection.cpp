// SPDX-License-Identifier: Apache-2.0
#include "ops/fused_moe/selection.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "tessera/errors.hpp"

namespace tessera::ops::fused_moe {
namespace {

/// A name of a table, and why it is preferred.
struct Candidate {
    std::string_view name;
    std::string reason;
};

/// Returns the estimate of a dispatch in words.
std::string estimate_words(const DispatchEstimate& estimate) {
    constexpr double kThousand = 1000;
    return fmt::format("{} {:.0f} k", estimate.dispatch, estimate.cycles / kThousand);
}

/// Returns dispatches by their estimates. The reason of each names those that follow it.
std::vector<Candidate> estimated(const Situation& situation) {
    constexpr std::size_t kRunnersUp = 3;
    const std::vector<DispatchEstimate> estimates = estimate_dispatches(situation.sizes);
    const auto tokens = situation.sizes.tokens_each();
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < estimates.size(); ++i) {
        std::vector<std::string> others;
        for (std::size_t k = i + 1; k < std::min(i + 1 + kRunnersUp, estimates.size()); ++k) {
            others.push_back(estimate_words(estimates[k]));
        }
        candidates.push_back(
            {estimates[i].dispatch,
             fmt::format("{} token{} a device: estimated {} cycles beside the products{}{}", tokens,
                         tokens == 1 ? "" : "s", estimate_words(estimates[i]),
                         others.empty() ? "" : "; then ", fmt::join(others, ", "))});
    }
    return candidates;
}

/// Returns whether a dispatch takes experts of one device as the situation has them.
bool allows(const Candidate& candidate, const Situation& situation) {
    const PrepareAndFinalize* row = find_prepare_finalize(candidate.name);
    ensure(row != nullptr, "select_pair: no prepare/finalize {}", candidate.name);
    const bool has_format = situation.experts == nullptr ||
                            situation.experts->activation_format == row->activation_format;
    // Rows travel to the device of an expert, so every expert has to be in the group.
    return has_format && (situation.has_all_experts || !row->needs_contiguous_experts);
}

/// Returns dispatches, the best first.
std::vector<Candidate> dispatches_for(const Situation& situation) {
    const std::uint32_t ranks = situation.demands.ranks;
    const bool is_batched =
        situation.experts != nullptr && situation.experts->activation_format != Format::Standard;
    const std::string format = is_batched ? "; the experts take batches" : "";
    if (ranks == 1) {
        return {{is_batched ? "batched" : "none", "one device needs no dispatch" + format}};
    }
    const Quantisation codes = situation.experts == nullptr
                                   ? situation.demands.codes()
                                   : quantisation_of(*situation.experts, situation.demands);
    const std::string fewer = "the experts take codes, which are fewer bytes on links";
    std::vector<Candidate> candidates;
    // Also of few tokens: permuting codes costs more than gathering them (docs/modular_moe.md).
    if (can_be_sent(codes)) {
        candidates.push_back(
            {is_batched ? "quantised_all_to_all_batched" : "quantised_all_gather", fewer + format});
    }
    for (Candidate& candidate : estimated(situation)) {
        if (allows(candidate, situation)) {
            candidates.push_back(std::move(candidate));
        }
    }
    return candidates;
}

/// Returns experts in bfloat16 for a dispatch, the best first; then any that it takes.
std::vector<Candidate> experts_for(const PrepareAndFinalize& prepare_finalize) {
    std::vector<Candidate> candidates;
    if (prepare_finalize.activation_format == Format::BatchedExperts) {
        candidates.push_back(
            {"batched_by_shape", "takes batches, and chooses its products by shape"});
    } else if (prepare_finalize.needs_contiguous_experts) {
        candidates.push_back({"grouped_permuted",
                              "the fastest with rows of which devices alone "
                              "know the number"});
    } else {
        candidates.push_back({"grouped", "takes rows in the order of tokens without copies"});
    }
    for (const Experts& row : all_experts()) {
        candidates.push_back({row.name, fmt::format("takes what {} gives", prepare_finalize.name)});
    }
    return candidates;
}

const Experts* first_that_runs(const PrepareAndFinalize& prepare_finalize,
                               const Situation& situation, std::string& reason) {
    if (situation.experts != nullptr) {
        reason = "given";
        return situation.experts;
    }
    const Experts* first = nullptr;
    for (const Candidate& candidate : experts_for(prepare_finalize)) {
        const Experts* experts = find_experts(candidate.name);
        ensure(experts != nullptr, "select_pair: no experts {}", candidate.name);
        first = first == nullptr ? experts : first;
        if (layer_refusals(prepare_finalize, *experts, situation.demands).empty()) {
            reason = candidate.reason;
            return experts;
        }
    }
    return first;  // refused later, with the reason
}

/// Returns the one reason why no experts run with a dispatch, and the cure if there is one.
KeyRefusal no_experts(const Selection& selection, const Situation& situation) {
    const WeightFormat* weights = situation.demands.weights;
    const auto refusals =
        layer_refusals(*selection.prepare_finalize, *selection.experts, situation.demands);
    std::string cure;
    if (situation.prepare_finalize != nullptr) {
        Situation any = situation;
        any.prepare_finalize = nullptr;
        cure = select_pair(any).refusals.empty() ? "; set pf to auto" : "";
    }
    return {"experts", fmt::format("is auto, but none runs with {} and quantisation {} ({}){}",
                                   selection.prepare_finalize->name,
                                   weights == nullptr ? "none" : weights->name,
                                   refusals.front().reason, cure)};
}

}  // namespace

Selection select_pair(const Situation& situation) {
    std::vector<Candidate> candidates;
    if (situation.prepare_finalize != nullptr) {
        candidates.push_back({situation.prepare_finalize->name, "given"});
    } else {
        candidates = dispatches_for(situation);
    }
    Selection selection;
    for (const Candidate& candidate : candidates) {
        const PrepareAndFinalize* row = find_prepare_finalize(candidate.name);
        ensure(row != nullptr, "select_pair: no prepare/finalize {}", candidate.name);
        selection.prepare_finalize = row;
        selection.prepare_finalize_reason = candidate.reason;
        selection.experts = first_that_runs(*row, situation, selection.experts_reason);
        selection.refusals = layer_refusals(*row, *selection.experts, situation.demands);
        if (selection.refusals.empty()) {
            return selection;
        }
    }
    if (situation.experts == nullptr) {
        selection.refusals = {no_experts(selection, situation)};
    }
    return selection;
}

}  // namespace tessera::ops::fused_moe
