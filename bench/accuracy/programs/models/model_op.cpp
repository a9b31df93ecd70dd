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
    Player{"DeepSeek MLA rms norm", predict_model_norm},
    Player{"DeepSeek MLA slice", predict_model_moves},
    Player{"DeepSeek MLA sum", predict_model_sum},
    Player{"SDPA decode", predict_model_attention},
    Player{"decode op AllReduceAsync", predict_model_all_reduce},
    Player{"decode op BinaryDeviceOperation_Last_Residual", predict_model_sharded_eltwise},
    Player{"decode op Binary_Mult_Silu", predict_model_sharded_eltwise},
    Player{"decode op DO_MM", predict_model_ring_matmul},
    Player{"decode op QKV_MM", predict_model_ring_matmul},
    Player{"decode op RotaryEmbeddingLlamaFusedQK", predict_model_rotary},
    Player{"embeddings", predict_model_embeddings},
    Player{"layernorm (RMS)", predict_model_norm},
    Player{"multiply with SiLU", predict_model_sharded_eltwise},
    Player{"paged update cache", predict_model_cache_update},
    Player{"prefill op AllGatherAsync", predict_model_prefill_gather},
    Player{"prefill op all_gather_ffn_2", predict_model_prefill_gather},
    Player{"prefill op matmul_ffn_1", predict_model_prefill_matmul},
    Player{"prefill op matmul_ffn_3", predict_model_prefill_matmul},
    Player{"ring matmul", predict_model_ring_matmul},
    Player{"rotary fused QK", predict_model_rotary, DispatchTakes::Row},
};

struct Missing {
    std::string_view workload;  ///< words in the row's workload
    std::string_view what;
};

constexpr std::string_view kPlacement = "cores and placement of its tensors are not stated";

// The first match counts.
constexpr std::array kMissing{
    Missing{"DeepSeek MLA", kPlacement},
    Missing{"prefill op",
            "the same time is stated for 8192 to 131072 tokens; what this op has of "
            "them, in which format, is not"},
    Missing{"decode op", "shapes, blocks and placement are not stated"},
    Missing{"SDPA", "no op hands keys and values on from core to core"},
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
