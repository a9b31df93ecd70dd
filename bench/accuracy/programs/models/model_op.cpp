// SPDX-License-Identifier: Apache-2.0
// Ops of models that tt-metal's tests hold to a time. Their rows leave out cores, blocks and
// placement, on which the time depends. The programs here take them from the sources of models and
// tests. This file maps rows to programs, and lists what is missing for rows without one.
#include <algorithm>
#include <array>
#include <string>

#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/models/galaxy_chip.hpp"

namespace tessera::score {
namespace {

struct Player {
    std::string_view workload;  ///< words in the row's workload
    Predict predict;
    DispatchTakes dispatch = DispatchTakes::Column;
};

// The first match counts.
constexpr std::array kPlayers{
    Player{"DeepSeek MLA all to all", predict_model_all_to_all, DispatchTakes::Row},
    Player{"DeepSeek MLA linear", predict_model_matmul},
    Player{"DeepSeek MLA mesh partition", predict_model_moves},
    Player{"DeepSeek MLA permute", predict_model_moves},
    Player{"DeepSeek MLA slice", predict_model_moves},
    Player{"SDPA decode", predict_model_attention},
    Player{"decode op BinaryDeviceOperation_Last_Residual", predict_model_sharded_eltwise},
    Player{"decode op Binary_Mult_Silu", predict_model_sharded_eltwise},
    Player{"decode op DO_MM", predict_model_ring_matmul},
    Player{"decode op QKV_MM", predict_model_ring_matmul},
    Player{"embeddings", predict_model_embeddings},
    Player{"multiply with SiLU", predict_model_sharded_eltwise},
    Player{"paged update cache", predict_model_cache_update},
    Player{"prefill op AllGatherAsync", predict_model_prefill_gather},
    Player{"prefill op all_gather_ffn_2", predict_model_prefill_gather},
    Player{"prefill op matmul_ffn_1", predict_model_prefill_matmul},
    Player{"prefill op matmul_ffn_3", predict_model_prefill_matmul},
    Player{"ring matmul", predict_model_ring_matmul},
};

struct Missing {
    std::string_view workload;  ///< words in the row's workload
    std::string_view what;
};

constexpr std::string_view kPlacement = "cores and placement of its tensors are not stated";
constexpr std::string_view kNorm =
    "no op norms rows that are sharded over cores; a program of the score was 16 % and 22 % too "
    "fast";
constexpr std::string_view kRotary =
    "no op turns heads in shards of L1; a program of the score was 29 % too fast";

// The first match counts. A program of the score that was more than 15 % off was removed, unless an
// op could take its place.
constexpr std::array kMissing{
    Missing{"DeepSeek MLA rms norm", kNorm},
    Missing{"layernorm (RMS)", kNorm},
    Missing{"DeepSeek MLA sum",
            "no op sums tiles over an outer dimension; a program of the score was 22 % too fast"},
    Missing{"decode op AllReduceAsync_0",
            "all_reduce sums bfloat16, not BFP8 in shards of L1; a program of the score was 31 % "
            "and 55 % too slow"},
    Missing{"rotary fused QK", kRotary},
    Missing{"decode op RotaryEmbeddingLlamaFusedQK", kRotary},
    Missing{"DeepSeek MLA", kPlacement},
    Missing{"prefill op",
            "files for 8192 to 131072 tokens state the same time; the tokens and the format that "
            "it belongs to are not stated"},
    Missing{"decode op", "shapes, blocks and placement are not stated"},
    Missing{"SDPA", "no op passes keys and values from core to core"},
};

}  // namespace

Prediction predict_model_op(const Row& row, const Parameters& parameters, const Model& model) {
    const auto is_of = [&](std::string_view words) {
        return row.workload.find(words) != std::string::npos;
    };
    const auto player = std::ranges::find_if(kPlayers, is_of, &Player::workload);
    if (player != kPlayers.end()) {
        return player->predict(row, parameters,
                               on_galaxy_chip(model, parameters, player->dispatch));
    }
    const auto missing = std::ranges::find_if(kMissing, is_of, &Missing::workload);
    throw NotExpressible(std::string(missing != kMissing.end() ? missing->what : kPlacement));
}

}  // namespace tessera::score
