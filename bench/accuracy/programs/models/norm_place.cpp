// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/models/norm_place.hpp"

#include <algorithm>
#include <array>

#include "bench/accuracy/programs/places.hpp"

namespace tessera::score {
namespace {

// q and kv use the same 8 rows of 2 cores.
// Source   tt-metal
//          models/demos/deepseek_v3/tests/fused_op_unit_tests/mla/test_rmsnorm_deepseek.py.
constexpr NormPlace kDeepSeek{.workload = "DeepSeek MLA rms norm",
                              .is_distributed = false,
                              .first = {0, 0},
                              .grid = {2, 8},
                              .most_subblock = 1,
                              .gamma = NormGamma::Rows,
                              .fidelity = MathFidelity::LoFi};
// The test runs rms_norm_pre_all_gather and rms_norm_post_all_gather as on one device of several.
// The result is on cores from (0,0) on. The time is the sum of both ops:
// models/perf/device_perf_utils.py and tracy's process_model_log.py add all ops of one name.
// Fidelity is TTNN's default.
// Source   tt-metal models/demos/llama3_70b_galaxy/tests/unit_tests/test_llama_ops.py,
//          test_llama_tg_LayerNorm.
constexpr NormPlace kLlama{.workload = "layernorm (RMS)",
                           .is_distributed = true,
                           .first = {1, 0},
                           .grid = {2, 8},
                           .most_subblock = 8,
                           .gamma = NormGamma::Tiles,
                           .fidelity = MathFidelity::HiFi4};
constexpr std::array<NormPlace, 2> kNorms{kDeepSeek, kLlama};

const NormPlace& place_of(const Row& row) {
    const auto* norm = std::ranges::find_if(kNorms, [&](const NormPlace& candidate) {
        return row.workload.starts_with(candidate.workload);
    });
    expressible(norm != kNorms.end(), "where {} runs is not known", row.workload);
    return *norm;
}

}  // namespace

Norm norm_of(const Row& row, const Parameters& parameters) {
    const NormPlace& place = place_of(row);
    const std::vector<std::uint32_t> shape = parameters.shape("shape");
    const std::uint32_t cores = place.grid.columns * place.grid.rows;
    expressible(shape.size() == 2 && shape[0] <= kTileSide, "more than {} rows", kTileSide);
    expressible(shape[1] % (cores * kTileSide) == 0, "{} columns are not whole tiles of {} cores",
                shape[1], cores);
    for (const char* key : {"cores", "placement"}) {
        expressible(parameters.count_or(key, cores) == cores, "on other than {} cores", cores);
    }
    const std::uint32_t tiles = shape[1] / (cores * kTileSide);
    std::uint32_t subblock = std::min(tiles, place.most_subblock);
    while (tiles % subblock != 0) {
        --subblock;
    }
    return {place, tiles, subblock};
}

CoreRangeSet cores_at(CoreCoord first, GridSize grid) {
    return {CoreRange(first, {first.x + grid.columns - 1, first.y + grid.rows - 1})};
}

NormRole role_of(const Norm& norm, CoreCoord core) {
    return core == norm.place.first       ? NormRole::First
           : core.x == norm.place.first.x ? NormRole::Gatherer
                                          : NormRole::Other;
}

}  // namespace tessera::score
