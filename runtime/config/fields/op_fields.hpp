// SPDX-License-Identifier: Apache-2.0
// The keys under `ops`: the schedule of each op.
#pragma once

#include <array>

#include "emu/base/fields/field.hpp"
#include "tessera/run_spec.hpp"

namespace tessera::config {

inline constexpr Limits kDepth{1, 64};
inline constexpr Limits kGridSide{0, 256};
inline constexpr std::string_view kWholeGrid = "[0, 0]";
inline constexpr std::string_view kGridProse = "cores to spread over; [0, 0] is the whole grid";

inline constexpr Limits kTiles{0, 1024};
inline constexpr std::string_view kFidelityProse =
    "mantissa slices multiplied; fewer are faster and coarser";

inline constexpr std::array kCopyFields{
    field<&CopySpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&CopySpec::cb_depth>("cb_depth", "2", "pages in a CB; 2 overlaps reading and writing",
                               kDepth),
};

inline constexpr std::array kMoeBmmFields{
    field<&MoeBmmSpec::schedule>(
        "schedule", "multi_core",
        "single_core: experts in sequence; multi_core: output tiles spread over the grid"),
    field<&MoeBmmSpec::distribution>("distribution", "block",
                                     "output tiles of a core in multi_core: neighbours or every "
                                     "n-th"),
    field<&MoeBmmSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&MoeBmmSpec::k_block>("k_block", "4", "K tiles of one CB push", Limits{1, 1024}),
    field<&MoeBmmSpec::subblock>("subblock", "[1, 1]",
                                 "output tiles held in DST at once; at most half of DST",
                                 Limits{1, 16}),
    field<&MoeBmmSpec::cb_depth>("cb_depth", "2", "K blocks that each input CB holds", kDepth),
    field<&MoeBmmSpec::fp32_dest_acc>(
        "fp32_dest_acc", "true", "32-bit DST; false rounds sums to bf16 and doubles its tiles"),
    field<&MoeBmmSpec::math_fidelity>("math_fidelity", "HiFi4", kFidelityProse),
};

inline constexpr std::array kActivationFields{
    field<&ActivationSpec::schedule>("schedule", "separate",
                                     "silu and mul as two ops, or fused into one"),
    field<&ActivationSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&ActivationSpec::cb_depth>("cb_depth", "2", "tiles in a CB", kDepth),
    field<&ActivationSpec::fp32_dest_acc>("fp32_dest_acc", "true", "32-bit DST"),
};

inline constexpr std::array kLocalReduceFields{
    field<&LocalReduceSpec::accumulator>(
        "accumulator", "fp32",
        "running sum of a token: fp32, or bf16 after each expert, to nearest even or truncated"),
    field<&LocalReduceSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&LocalReduceSpec::cb_depth>("cb_depth", "2", "token rows in a CB", kDepth),
};

inline constexpr std::array kAllReduceFields{
    field<&AllReduceSpec::algorithm>("algorithm", "ring", "reduce-scatter, then all-gather"),
    field<&AllReduceSpec::partial_sums>("partial_sums", "fp32",
                                        "format of partial sums on the links"),
    field<&AllReduceSpec::cb_depth>("cb_depth", "2", "pages in a CB", kDepth),
};

inline constexpr std::array kMatmulOperandFields{
    field<&MatmulOperandSpec::placement>("placement", "dram_interleaved",
                                         "where the tensor's tiles lie"),
    field<&MatmulOperandSpec::format>("format", "bfloat16", "bfloat16, bfp8_b, bfp4_b or float32"),
};

inline constexpr std::array kMatmulFields{
    field<&MatmulSpec::schedule>(
        "schedule", "multicast_2d",
        "single_core; multi_core: output tiles dealt out; multicast_2d: a block of output a core, "
        "operands shared along rows and columns; multicast_1d: one operand shared by all"),
    field<&MatmulSpec::multicast_operand>("multicast_operand", "in1",
                                          "the one that multicast_1d shares"),
    field<&MatmulSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&MatmulSpec::in0_block_w>("in0_block_w", "1", "K tiles of a block; divides K",
                                    Limits{1, 1024}),
    field<&MatmulSpec::per_core_m>(
        "per_core_m", "0", "output rows of a core in tiles; 0: spread over the grid", kTiles),
    field<&MatmulSpec::per_core_n>(
        "per_core_n", "0", "output columns of a core in tiles; 0: spread over the grid", kTiles),
    field<&MatmulSpec::out_block_h>("out_block_h", "0",
                                    "output rows of one pass over K; 0: per_core_m", kTiles),
    field<&MatmulSpec::out_block_w>("out_block_w", "0",
                                    "output columns of one pass over K; 0: per_core_n", kTiles),
    field<&MatmulSpec::out_subblock>("out_subblock", "[1, 1]",
                                     "output tiles held in DST at once; at most half of DST",
                                     Limits{1, 16}),
    field<&MatmulSpec::cb_depth>("cb_depth", "2", "blocks that each input CB holds", kDepth),
    field<&MatmulSpec::fp32_dest_acc>(
        "fp32_dest_acc", "false", "32-bit DST; false rounds sums to bf16 and doubles its tiles"),
    field<&MatmulSpec::packer_l1_acc>("packer_l1_acc", "false",
                                      "the packer adds partial sums in L1; else they are reloaded"),
    field<&MatmulSpec::math_fidelity>("math_fidelity", "HiFi2", kFidelityProse),
    section<&MatmulSpec::in0>("in0", kMatmulOperandFields, "A"),
    section<&MatmulSpec::in1>("in1", kMatmulOperandFields, "B"),
    section<&MatmulSpec::out>("out", kMatmulOperandFields, "C"),
};

inline constexpr std::array kEltwiseFields{
    field<&EltwiseSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&EltwiseSpec::tiles_per_push>(
        "tiles_per_push", "1", "tiles of one CB push, read with one barrier", Limits{1, 64}),
    field<&EltwiseSpec::cb_depth>("cb_depth", "2", "pushes that each CB holds", kDepth),
    field<&EltwiseSpec::fp32_dest_acc>("fp32_dest_acc", "false",
                                       "32-bit DST, which float32 tensors need"),
    field<&EltwiseSpec::approximate>(
        "approximate", "false", "faster forms of functions; values are those of the exact ones"),
    field<&EltwiseSpec::math_fidelity>("math_fidelity", "HiFi4",
                                       "mantissa slices that mul multiplies"),
};

inline constexpr std::array kReshardFields{
    field<&ReshardSpec::movers>(
        "movers", "both",
        "who moves a core's pages: a half each on NoC 0 and NoC 1, or all on one of them"),
};

inline constexpr std::array kOpsFields{
    only_in("moe_v2", section<&OpsSpec::scatter>("scatter", kCopyFields, "scatter_moe_input")),
    only_in("moe_v2",
            section<&OpsSpec::to_layout>("to_layout", kCopyFields, "tilize and untilize")),
    only_in("moe_v2",
            section<&OpsSpec::moe_bmm>("moe_bmm", kMoeBmmFields, "gate, up and down projections")),
    only_in("moe_v2",
            section<&OpsSpec::activation>("activation", kActivationFields, "silu(gate) · up")),
    only_in("moe_v2", section<&OpsSpec::local_reduce>("local_reduce", kLocalReduceFields,
                                                      "local_reduce_moe_output")),
    only_in("moe_v2",
            section<&OpsSpec::all_reduce>("all_reduce", kAllReduceFields, "sum over the mesh")),
    only_in("matmul", section<&OpsSpec::matmul>("matmul", kMatmulFields, "matrix product")),
    only_in("eltwise", section<&OpsSpec::eltwise>("eltwise", kEltwiseFields,
                                                  "a function, element by element")),
    only_in("reshard", section<&OpsSpec::reshard>("reshard", kReshardFields, "pages to shards")),
    only_in("copy", section<&OpsSpec::copy>("copy", kCopyFields, "pages through a CB")),
};

}  // namespace tessera::config
