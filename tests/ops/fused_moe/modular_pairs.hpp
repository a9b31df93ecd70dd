// SPDX-License-Identifier: Apache-2.0
// Pairs of a prepare/finalize and experts, and the layer that tests run with each pair.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "ops/fused_moe/modular_kernel.hpp"
#include "runtime/config/load.hpp"

namespace tessera::ops::fused_moe {

struct Pair {
    const PrepareAndFinalize* prepare_finalize;
    const Experts* experts;
    std::uint32_t ranks;
    std::uint32_t hidden = 72;

    [[nodiscard]] std::string name() const {
        return std::string(prepare_finalize->name) + "_" + std::string(experts->name) + "_on_" +
               std::to_string(ranks);
    }
    friend void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name(); }
};

enum class Chunks { Whole, Several };

inline std::optional<std::string> refusal_of(const Pair& pair, Chunks chunks) {
    return refusal(*pair.prepare_finalize, *pair.experts,
                   {.ranks = pair.ranks, .is_chunked = chunks == Chunks::Several});
}

/// All pairs on 1, 2 and 4 devices, separated by whether they run with the tokens in so many
/// chunks.
struct SplitPairs {
    std::vector<Pair> run;
    std::vector<Pair> refused;
};

inline SplitPairs split_pairs(Chunks chunks) {
    SplitPairs pairs;
    for (const PrepareAndFinalize& prepare_finalize : all_prepare_finalize()) {
        for (const Experts& experts : all_experts()) {
            for (const std::uint32_t ranks : {1U, 2U, 4U}) {
                const Pair pair{&prepare_finalize, &experts, ranks};
                (refusal_of(pair, chunks) ? pairs.refused : pairs.run).push_back(pair);
            }
        }
    }
    return pairs;
}

/// Loads a layer whose extents are not multiples of a tile and whose tokens are not a multiple of
/// the devices.
inline config::LoadedRun load(const Pair& pair, std::vector<std::string> sets = {}) {
    const std::filesystem::path configs = std::filesystem::path(TESSERA_SOURCE_DIR) / "configs";
    const std::array folders{configs};
    for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
             {"M", "19"},
             {"H", std::to_string(pair.hidden)},
             {"N", "40"},
             {"E", "8"},
             {"topk", "3"},
             {"ranks", std::to_string(pair.ranks)},
             {"pf", std::string(pair.prepare_finalize->name)},
             {"experts", std::string(pair.experts->name)}}) {
        std::string set("params.");
        set.append(key).append("=").append(value);
        sets.insert(sets.begin(), std::move(set));
    }
    return config::load_run(configs / "runs" / "moe_modular.yaml", sets, folders);
}

/// Returns the pair of that name on two devices.
inline Pair pair_of(std::string_view prepare_finalize, std::string_view experts) {
    return {find_prepare_finalize(prepare_finalize), find_experts(experts), 2};
}

/// Splits the 19 tokens of the layer.
inline const std::vector<std::string> kInChunks{"params.chunk_tokens=7"};

}  // namespace tessera::ops::fused_moe
