// SPDX-License-Identifier: Apache-2.0
// The keys under `ops`: the schedule of each op.
#pragma once

#include <array>

#include "runtime/config/field.hpp"
#include "tessera/run_spec.hpp"

namespace tessera::config {

inline constexpr Limits kDepth{1, 64};
inline constexpr Limits kGridSide{0, 256};
inline constexpr std::string_view kWholeGrid = "[0, 0]";
inline constexpr std::string_view kGridProse = "cores to spread over; [0, 0] is the whole grid";

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
    field<&MoeBmmSpec::math_fidelity>("math_fidelity", "HiFi4",
                                      "mantissa slices multiplied; fewer are faster and coarser"),
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

inline constexpr std::array kOpsFields{
    section<&OpsSpec::scatter>("scatter", kCopyFields, "scatter_moe_input"),
    section<&OpsSpec::to_layout>("to_layout", kCopyFields, "tilize and untilize"),
    section<&OpsSpec::moe_bmm>("moe_bmm", kMoeBmmFields, "gate, up and down projections"),
    section<&OpsSpec::activation>("activation", kActivationFields, "silu(gate) · up"),
    section<&OpsSpec::local_reduce>("local_reduce", kLocalReduceFields, "local_reduce_moe_output"),
    section<&OpsSpec::all_reduce>("all_reduce", kAllReduceFields, "sum over the mesh"),
};

}  // namespace tessera::config
