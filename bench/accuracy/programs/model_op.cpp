// SPDX-License-Identifier: Apache-2.0
// Ops of models that tt-metal's tests hold to a time: which program plays a row, and of the others
// what their rows leave out, or which op is not here.
#include <algorithm>
#include <array>
#include <string>

#include "bench/accuracy/programs/families.hpp"

namespace tessera::score {
namespace {

struct Player {
    std::string_view workload;  ///< begins so
    Predict predict;
};

constexpr std::array<Player, 6> kPlayers{{{"DeepSeek MLA mesh partition", predict_model_moves},
                                          {"DeepSeek MLA slice", predict_model_moves},
                                          {"DeepSeek MLA permute", predict_model_moves},
                                          {"DeepSeek MLA sum", predict_model_sum},
                                          {"embeddings", predict_model_embeddings},
                                          {"paged update cache", predict_model_cache_update}}};

struct Missing {
    std::string_view workload;  ///< begins so
    std::string_view what;
};

constexpr std::string_view kPlacement = "cores and placement of its tensors are not stated";
constexpr std::string_view kChain = "no op hands keys and values on from core to core";

// The first that fits.
constexpr std::array<Missing, 13> kMissing{
    {{"DeepSeek MLA all to all", "which extents it splits and joins is not stated"},
     {"DeepSeek MLA linear", "blocks and placement of the product are not stated"},
     {"DeepSeek MLA rms norm", "no op normalises tensors that are sharded by width"},
     {"DeepSeek MLA", kPlacement},
     {"Llama-3.3-70B prefill op binary_sum",
      "the time stated for 8192 to 131072 tokens is less than DRAM takes for 8192; of how many it "
      "is, is not stated"},
     {"Llama-3.3-70B prefill",
      "the same time is stated for 8192 to 131072 tokens; of how many it is, is not"},
     {"Qwen3-32B decode", "shapes, blocks and placement are not stated"},
     {"SDPA decode", "how far each user's cache is filled is not stated"},
     {"layernorm", "no op normalises tensors that are sharded by width"},
     {"multiply with SiLU", kPlacement},
     {"ring MLA SDPA", kChain},
     {"ring matmul", "no program has weights from cores that prefetch them"},
     {"single chip SDPA", kChain}}};

}  // namespace

Prediction predict_model_op(const Row& row, const Parameters& parameters, const Model& model) {
    const auto* const player = std::ranges::find_if(kPlayers, [&](const Player& candidate) {
        return row.workload.starts_with(candidate.workload);
    });
    if (player != kPlayers.end()) {
        return player->predict(row, parameters, model);
    }
    for (const auto& [workload, what] : kMissing) {
        expressible(!row.workload.starts_with(workload), "{}", what);
    }
    throw NotExpressible(std::string(kPlacement));
}

}  // namespace tessera::score
