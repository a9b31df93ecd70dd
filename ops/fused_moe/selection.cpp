// SPDX-License-Identifier: Apache-2.0
#include "ops/fused_moe/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tessera/errors.hpp"

namespace tessera::ops::fused_moe {
namespace {

/// A name of a table, and why it is preferred.
struct Candidate {
    std::string_view name;
    std::string reason;
};

/// Returns the reason for a dispatch that the estimate prefers.
std::string estimate_words(const DispatchSizes& sizes, const DispatchEstimate& estimate) {
    constexpr double kThousand = 1000;
    return fmt::format(
        "{} tokens a device: estimated {:.0f} k cycles with all-gather, {:.0f} k with all-to-all "
        "({:.0f} k of them in the experts, which permute rows)",
        sizes.tokens_each(), estimate.all_gather / kThousand,
        (estimate.all_to_all + estimate.permuted_experts) / kThousand,
        estimate.permuted_experts / kThousand);
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
                                   ? situation.demands.codes
                                   : quantisation_of(*situation.experts, situation.demands);
    const std::string fewer = "the experts take codes, which are fewer bytes on links";
    std::vector<Candidate> candidates;
    if (is_batched) {
        if (can_be_sent(codes)) {
            candidates.push_back({"quantised_all_to_all_batched", fewer + format});
        }
        candidates.push_back({"all_to_all_batched", fmt::format("{} devices{}", ranks, format)});
        candidates.push_back({"batched", fmt::format("the experts take batches, ids are {}",
                                                     name_of(situation.demands.topk_indices))});
        return candidates;
    }
    // Also of few tokens: permuting codes costs more than gathering them (docs/modular_moe.md).
    if (can_be_sent(codes)) {
        candidates.push_back({"quantised_all_gather", fewer});
    }
    const DispatchEstimate estimate = estimate_dispatch(situation.sizes);
    const std::string numbers = estimate_words(situation.sizes, estimate);
    // Rows travel to the device of an expert, so every expert has to be in the group.
    const bool sends_rows = estimate.prefers_all_to_all() && situation.has_all_experts;
    if (sends_rows) {
        candidates.push_back({"all_to_all_contiguous", numbers});
    }
    candidates.push_back(
        {"all_gather_reduce_scatter", !situation.has_all_experts
                                          ? std::string("other devices have some of the experts")
                                      : sends_rows ? std::string("takes these ids and experts")
                                                   : numbers});
    candidates.push_back({"none", "takes these experts"});
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
        if (!refusal(prepare_finalize, *experts, situation.demands)) {
            reason = candidate.reason;
            return experts;
        }
    }
    return first;  // refused later, with the reason
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
        if (!refusal(*row, *selection.experts, situation.demands)) {
            return selection;
        }
    }
    return selection;
}

}  // namespace tessera::ops::fused_moe
