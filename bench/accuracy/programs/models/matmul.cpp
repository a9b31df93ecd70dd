// SPDX-License-Identifier: Apache-2.0
// Products whose program TTNN selects itself: DeepSeek's linear layers in the decode step on one
// chip of a Galaxy. wo's output is written to L1 at the end here; in the test it stays where it was
// computed.
// Sources
// - tt-metal models/demos/deepseek_v3/tests/fused_op_unit_tests/mla/test_linear_deepseek.py:
//   placement of tensors; no program config, no compute config.
// - ttnn matmul_program_config.cpp (create_simple_matmul_program_config, get_mcast_1d_config,
//   get_matmul_program_config): choice of the program. Without both configs, bfloat16 products use
//   HiFi2 and the packer accumulates partial sums.
#include "ops/matmul/matmul.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/models/shard_matmul.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

using ops::MatmulSpec;
using ops::TensorPlacement;

/// Placement of in0, and whether out is sharded too. Interleaved tensors are in L1.
struct Placement {
    std::string_view name;
    std::uint32_t in0_shards;  ///< 0: interleaved
    GridSize grid;             ///< the bounding box of the shards' cores
    bool is_out_sharded;
};

constexpr std::array<Placement, 5> kPlacements{{{"wq_kv_a", 28, {4, 7}, true},
                                                {"wq_b", 16, {7, 3}, false},
                                                {"wkv_b1", 0, {}, false},
                                                {"wkv_b2", 0, {}, false},
                                                {"wo", 0, {}, true}}};

/// Extents in elements; each batch's rows are padded to whole tiles.
struct Product {
    std::uint32_t batches = 1;
    std::uint32_t m = 0;
    std::uint32_t k = 0;
    std::uint32_t n = 0;
};

std::uint32_t tiles(std::uint32_t extent) {
    return (extent + kTileSide - 1) / kTileSide;
}

std::vector<std::uint32_t> extents(const std::string& text) {
    return Parameters("shape=" + text).shape("shape");
}

/// Parses "1x128x4x512 @ 512x128".
Product product_of(const Parameters& parameters) {
    const std::string& text = parameters.text("shape");
    const std::size_t at = text.find(" @ ");
    expressible(at != std::string::npos, "shape is {}, not IN0 @ IN1", text);
    const auto in0 = extents(text.substr(0, at));
    const auto in1 = extents(text.substr(at + 3));
    expressible(in0.size() >= 2 && in1.size() == 2 && in0.back() == in1.front(),
                "shape is {}: no product of a batch with a matrix", text);
    Product product{.m = in0.at(in0.size() - 2), .k = in1.front(), .n = in1.back()};
    for (std::size_t i = 0; i + 2 < in0.size(); ++i) {
        product.batches *= in0.at(i);
    }
    return product;
}

const Placement& placement_of(const Row& row) {
    const std::string_view name =
        std::string_view(row.workload).substr(row.workload.rfind(' ') + 1);
    const auto* found = std::ranges::find(kPlacements, name, &Placement::name);
    expressible(found != kPlacements.end(), "where {} has its tensors is not known", name);
    return *found;
}

/// Returns the spec with one output block and one column of tiles per core; the first core
/// multicasts in0.
MatmulSpec wide_spec(const Product& product, GridSize grid) {
    const std::uint32_t cores = grid.columns * grid.rows;
    const std::uint32_t columns = tiles((product.n + cores - 1) / cores);
    expressible(columns <= 8, "{} columns of tiles a core", columns);
    return {.schedule = ops::MatmulSchedule::Multicast1D,
            .multicast_operand = ops::MulticastOperand::In0,
            .in0_block_w = tiles(product.k) % 2 == 0 ? 2U : 1U,
            .per_core_m = product.batches,
            .per_core_n = columns,
            .out_block_h = 1,
            .out_subblock = {1, columns}};
}

/// Returns TTNN's choice for tensors in L1. Wide products, and those wider than a block of 16
/// tiles, share in0; each other product distributes its output tiles.
MatmulSpec interleaved_spec(const Product& product, GridSize grid, bool is_out_sharded) {
    constexpr std::uint32_t kNarrow = 8;
    constexpr std::uint32_t kBlock = 16;
    expressible(tiles(product.m) == 1, "{} rows in a batch: more than a tile", product.m);
    const bool is_wide = !is_out_sharded && product.n / kTileSide > kNarrow;
    MatmulSpec spec = is_wide || tiles(product.n) > kBlock
                          ? wide_spec(product, grid)
                          : MatmulSpec{.schedule = ops::MatmulSchedule::MultiCore};
    // One tile at a time needs no partial sums in L1.
    spec.packer_l1_acc = spec.schedule != ops::MatmulSchedule::MultiCore;
    spec.in0.placement = spec.out.placement = TensorPlacement::L1Interleaved;
    return spec;
}

Replays run_interleaved(Bench& bench, const Product& product, bool is_out_sharded) {
    const MatmulSpec spec = interleaved_spec(product, bench.arch().workers.compute, is_out_sharded);
    const ops::matmul::MatmulShape shape{product.batches * tiles(product.m) * kTileSide, product.k,
                                         product.n};
    const auto layouts = ops::matmul::operand_layouts(bench.arch(), shape, spec);
    const auto allocate = [&](const char* name, const ops::TensorPlan& layout) {
        return bench.session().allocate(0, name, layout.spec, layout.memory);
    };
    const DeviceTensor in0 = allocate("in0", layouts.in0);
    const DeviceTensor in1 = allocate("in1", layouts.in1);
    const DeviceTensor out = allocate("out", layouts.out);
    return bench.run(ops::call_program(ops::matmul::op(), bench.arch(), &spec, {in0, in1}, {out}));
}

}  // namespace

Prediction predict_model_matmul(const Row& row, const Parameters& parameters, const Model& model) {
    expressible(parameters.format("dtype") == DataFormat::Float16_b, "dtype is {}: only BFLOAT16",
                parameters.text("dtype"));
    const Placement& placement = placement_of(row);
    const Product product = product_of(parameters);
    Bench bench(model);
    if (placement.in0_shards == 0) {
        return as_time(
            row, run_interleaved(bench, product, placement.is_out_sharded).kernel_span_cycles(),
            model);
    }
    expressible(product.batches * product.m == kTileSide, "in0 has {} rows, not those of one tile",
                product.batches * product.m);
    const ShardProduct shards{.k = tiles(product.k),
                              .n = tiles(product.n),
                              .holders = placement.in0_shards,
                              .grid = placement.grid,
                              .is_out_sharded = placement.is_out_sharded};
    return as_time(row, run_shard_product(bench, shards).kernel_span_cycles(), model);
}

}  // namespace tessera::score
