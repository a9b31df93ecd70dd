// SPDX-License-Identifier: Apache-2.0
// Groups of measurements that the score can predict, one file per group.
#pragma once

#include <span>
#include <string_view>

#include "bench/accuracy/model.hpp"
#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/prediction.hpp"
#include "bench/accuracy/row.hpp"

namespace tessera::score {

/// Builds the program that a row describes, runs and replays it, and returns the figure in the
/// row's unit.
/// Errors   NotExpressible if the group's program cannot express the row; errors of Session and
///          replay if the program does not fit the machine.
using Predict = Prediction (*)(const Row& row, const Parameters& parameters, const Model& model);

struct Family {
    std::string_view group;
    Predict predict;
};

/// Returns all families, sorted by group.
[[nodiscard]] std::span<const Family> all_families();

[[nodiscard]] Prediction predict_collective(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_dram_streams(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_dram_saturation(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_eltwise(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_fabric_bandwidth(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_fabric_edm(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_fabric_latency(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_fabric_mux(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_gemm(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_height_sharded_matmul(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_link_stream(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_model_all_to_all(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_model_attention(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_model_cache_update(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_model_embeddings(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_model_matmul(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_model_moves(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_model_op(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_model_prefill_gather(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_model_prefill_matmul(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_model_ring_matmul(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_model_sharded_eltwise(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_noc_flow(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_noc_read_burst(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_noc_single(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_noc_table(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_program_dispatch(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_reshard(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_resident_blocks(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_riscv_instruction(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_sfpu(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_tile_call(const Row&, const Parameters&, const Model&);
[[nodiscard]] Prediction predict_tile_loop(const Row&, const Parameters&, const Model&);

}  // namespace tessera::score
