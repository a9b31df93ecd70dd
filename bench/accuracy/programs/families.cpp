// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/families.hpp"

#include <algorithm>
#include <array>

namespace tessera::score {
namespace {

constexpr std::array kFamilies{
    Family{"ccl", predict_collective},
    Family{"dram_epcc", predict_dram_streams},
    Family{"dram_sat", predict_dram_saturation},
    Family{"eth_link", predict_link_stream},
    Family{"exp", predict_eltwise},
    Family{"fabric_bw", predict_fabric_bandwidth},
    Family{"fabric_edm", predict_fabric_edm},
    Family{"fabric_lat", predict_fabric_latency},
    Family{"fabric_mux", predict_fabric_mux},
    Family{"gemm", predict_gemm},
    Family{"matmul_core", predict_resident_blocks},
    Family{"matmul_hs", predict_height_sharded_matmul},
    Family{"noc_epcc", predict_noc_flow},
    Family{"noc_table", predict_noc_table},
    Family{"nocev_epcc", predict_noc_single},
    Family{"nocread_epcc", predict_noc_read_burst},
    Family{"npe", predict_reshard},
    Family{"op_deepseek", predict_model_op},
    Family{"op_eltwise", predict_eltwise},
    Family{"op_llama", predict_model_op},
    Family{"op_sdpa", predict_model_op},
    Family{"op_targets", predict_model_op},
    Family{"pgm_dispatch", predict_program_dispatch},
    Family{"riscv_epcc", predict_riscv_instruction},
    Family{"sfpu", predict_sfpu},
    Family{"tensix_epcc", predict_tile_loop},
    Family{"tile_calls", predict_tile_call},
};
static_assert(std::ranges::is_sorted(kFamilies, {}, &Family::group), "keep kFamilies sorted");

}  // namespace

std::span<const Family> all_families() {
    return kFamilies;
}

}  // namespace tessera::score
