// SPDX-License-Identifier: Apache-2.0
// The keys under `workload`: shapes and contents of a generated MoE layer, or of one op's tensors.
#pragma once

#include <array>

#include "emu/base/fields/field.hpp"
#include "runtime/config/fields/op_fields.hpp"
#include "tessera/run_spec.hpp"

namespace tessera::config {

inline constexpr Limits kDimension{1, 1048576};

inline constexpr std::array kRoutingFields{
    field<&RoutingSpec::kind>(
        "kind", "zipf",
        "experts that tokens select: uniform; zipf, some experts popular; one_expert, expert 0 "
        "first in every token; hot_and_empty, a few take most tokens and some none"),
    field<&RoutingSpec::zipf_exponent>(
        "zipf_exponent", "1.0", "skew of zipf: rank r has weight 1/(r+1)^exponent", Limits{0, 8}),
    field<&RoutingSpec::weights>("weights", "softmax", "how routing weights follow from scores"),
};

inline constexpr std::array kMatmulWorkloadFields{
    field<&MatmulWorkload::m>("m", kRequired, "rows of A and C", kDimension),
    field<&MatmulWorkload::k>("k", kRequired, "columns of A, rows of B", kDimension),
    field<&MatmulWorkload::n>("n", kRequired, "columns of B and C", kDimension),
};

inline constexpr std::string_view kShapeProse =
    "extents, the last two being rows and columns of matrices";
inline constexpr std::string_view kFormatProse = "of the elements";
inline constexpr std::string_view kPlaceProse = "memory over whose banks tiles are interleaved";

inline constexpr std::array kEltwiseWorkloadFields{
    field<&EltwiseWorkload::function>("function", kRequired,
                                      "of pairs of elements (add to min), or of single ones"),
    field<&EltwiseWorkload::shape>("shape", kRequired, kShapeProse, kDimension),
    field<&EltwiseWorkload::input_format>("input_format", "bfloat16",
                                          "bfloat16, bfp8_b or float32, of every input"),
    field<&EltwiseWorkload::output_format>("output_format", "bfloat16", "one of the same"),
    field<&EltwiseWorkload::input_memory>("input_memory", "dram", kPlaceProse),
    field<&EltwiseWorkload::output_memory>("output_memory", "dram", kPlaceProse),
};

inline constexpr std::array kMemoryFields{
    field<&MemoryConfig::memory>("memory", "dram", "of interleaved pages; shards are in l1"),
    field<&MemoryConfig::layout>(
        "layout", "interleaved",
        "interleaved over banks, or in shards: rows and columns of pages over the grid (block), "
        "rows (height) or columns (width) over all its cores"),
    field<&MemoryConfig::grid>("grid", kWholeGrid, "cores with shards; [0, 0] if interleaved",
                               kGridSide),
    field<&MemoryConfig::orientation>(
        "orientation", "row_major", "order of shards: along the rows of the grid or down columns"),
};

inline constexpr std::array kReshardWorkloadFields{
    field<&ReshardWorkload::shape>("shape", kRequired, kShapeProse, kDimension),
    field<&ReshardWorkload::format>("format", "bfloat16", kFormatProse),
    field<&ReshardWorkload::layout>("layout", "tile", "pages are tiles or rows"),
    section<&ReshardWorkload::from>("from", kMemoryFields, "where the pages lie"),
    section<&ReshardWorkload::to>("to", kMemoryFields, "where they go"),
};

inline constexpr std::array kCopyWorkloadFields{
    field<&CopyWorkload::shape>("shape", kRequired, kShapeProse, kDimension),
    field<&CopyWorkload::format>("format", "bfloat16", kFormatProse),
    field<&CopyWorkload::layout>("layout", "tile", "pages are tiles or rows"),
    field<&CopyWorkload::from>("from", "dram", "memory over whose banks pages are interleaved"),
    field<&CopyWorkload::to>("to", "dram", "the same, of the copy"),
};

inline constexpr std::array kWorkloadFields{
    field<&WorkloadSpec::pipeline>(
        "pipeline", "moe_v2",
        "the ops to run: a MoE layer's, or one; keys of another pipeline are refused"),
    only_in("moe_v2", field<&WorkloadSpec::tokens>("tokens", kRequired, "T, tokens of the batch",
                                                   kDimension)),
    only_in("moe_v2",
            field<&WorkloadSpec::hidden>("hidden", kRequired, "H, hidden size", kDimension)),
    only_in("moe_v2",
            field<&WorkloadSpec::intermediate>("intermediate", kRequired,
                                               "H', intermediate size of an expert", kDimension)),
    only_in("moe_v2", field<&WorkloadSpec::experts>(
                          "experts", kRequired, "E, experts over all devices", Limits{1, 65536})),
    only_in("moe_v2", field<&WorkloadSpec::top_k>("top_k", kRequired,
                                                  "K, experts each token selects", Limits{1, 64})),
    only_in("moe_v2", section<&WorkloadSpec::routing>("routing", kRoutingFields,
                                                      "which experts tokens select")),
    only_in("moe_v2",
            field<&WorkloadSpec::device_expert_mapping>(
                "device_expert_mapping", "contiguous",
                "experts of device d of D: contiguous, d·E/D on; round_robin, every D-th from d; "
                "permuted, drawn from the seed")),
    only_in("matmul", section<&WorkloadSpec::matmul>("matmul", kMatmulWorkloadFields, "C = A·B")),
    only_in("eltwise", section<&WorkloadSpec::eltwise>("eltwise", kEltwiseWorkloadFields,
                                                       "a function of one or two tensors")),
    only_in("reshard", section<&WorkloadSpec::reshard>("reshard", kReshardWorkloadFields,
                                                       "pages from one memory to another")),
    only_in("copy", section<&WorkloadSpec::copy>("copy", kCopyWorkloadFields,
                                                 "pages of an interleaved tensor")),
    field<&WorkloadSpec::seed>("seed", "1", "of all random values"),
};

}  // namespace tessera::config
