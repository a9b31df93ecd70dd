// SPDX-License-Identifier: Apache-2.0
// Matrix products on all cores: tuned 2-D multicast with the blocks that a row names, and TTNN's
// default for a height-sharded in0.
// Source   tt-metal tech_reports/GEMM_FLOPS; ttnn matmul_program_config.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/programs/ttnn_blocks.hpp"
#include "bench/accuracy/units.hpp"
#include "emu/base/round_up.hpp"
#include "ops/matmul/matmul.hpp"

namespace tessera::score {
namespace {

using ops::MatmulOperandSpec;
using ops::MatmulSchedule;
using ops::MatmulSpec;
using ops::MulticastOperand;
using ops::TensorPlacement;

DeviceTensor allocate(Bench& bench, const char* name, const ops::TensorPlan& layout) {
    return layout.layout == TensorMemoryLayout::INTERLEAVED
               ? bench.session().allocate(0, name, layout.spec, layout.memory)
               : bench.session().allocate_sharded(0, name, layout.spec, layout.memory,
                                                  layout.layout, *layout.shard);
}

Replays run_matmul(Bench& bench, const ops::matmul::MatmulShape& shape, const MatmulSpec& spec) {
    const auto layouts = ops::matmul::operand_layouts(bench.arch(), shape, spec);
    const DeviceTensor in0 = allocate(bench, "in0", layouts.in0);
    const DeviceTensor in1 = allocate(bench, "in1", layouts.in1);
    const DeviceTensor out = allocate(bench, "out", layouts.out);
    return bench.run(ops::call_program(ops::matmul::op(), bench.arch(), &spec, {in0, in1}, {out}));
}

TensorPlacement placement_of(const Parameters& parameters, std::string_view key,
                             TensorPlacement sharded) {
    const std::string text = parameters.text_or(key, "DRAM");
    if (text == "DRAM") {
        return TensorPlacement::DramInterleaved;
    }
    expressible(text == "L1 sharded" || text == "L1", "{} is {}, not DRAM, L1 or L1 sharded", key,
                text);
    return text == "L1" ? TensorPlacement::L1Interleaved : sharded;
}

/// Parses "4x2": rows and columns in tiles.
Subblock block_of(const Parameters& parameters, std::string_view key) {
    const GridSize rows_by_columns = parameters.grid(key);
    return {rows_by_columns.columns, rows_by_columns.rows};
}

bool config_says(const Parameters& parameters, std::string_view words) {
    return parameters.text_or("config", "").find(words) != std::string::npos;
}

ops::matmul::MatmulShape shape_of(const Parameters& parameters) {
    return {parameters.count("M"), parameters.count("K"), parameters.count("N")};
}

/// Returns the spec of a row that names its blocks. A grid is columns × rows of cores; blocks are
/// rows × columns.
MatmulSpec tuned_spec(const Parameters& parameters) {
    const Subblock out_block = block_of(parameters, "out_block");
    const DataFormat format = parameters.format("dtype");
    const auto operand = [&](std::string_view key) {
        return MatmulOperandSpec{placement_of(parameters, key, TensorPlacement::L1BlockSharded),
                                 format};
    };
    return {.schedule = MatmulSchedule::Multicast2D,
            .grid = parameters.grid("grid"),
            .in0_block_w = parameters.count("in0_block_w"),
            .per_core_m = parameters.count("per_core_M"),
            .per_core_n = parameters.count("per_core_N"),
            .out_block_h = out_block.height,
            .out_block_w = out_block.width,
            .out_subblock = block_of(parameters, "out_subblock"),
            .fp32_dest_acc = config_says(parameters, "fp32_dest_acc=True"),
            .packer_l1_acc = config_says(parameters, "packer_l1_acc=True"),
            .math_fidelity = parameters.fidelity("fidelity_label"),
            .in0 = operand("in0"),
            .in1 = operand("in1"),
            .out = operand("out")};
}

/// Returns the spec with in0 in row shards on `cores` cores, in1 multicast to all cores, and one K
/// block.
MatmulSpec height_sharded_spec(const Parameters& parameters, const ArchSpec& arch) {
    const std::uint32_t cores = parameters.count("cores");
    expressible(cores >= 1, "on {} cores", cores);
    const std::uint32_t k = div_up(parameters.count("K"), kTileSide);
    const std::uint32_t n = div_up(parameters.count("N"), kTileSide);
    const std::uint32_t per_core_m = div_up(div_up(parameters.count("M"), kTileSide), cores);
    const GridSize device = arch.workers.compute;
    const std::uint32_t columns = std::min(cores, device.columns);
    const DataFormat format =
        parameters.has("dtype") ? parameters.format("dtype") : DataFormat::Float16_b;
    const Subblock out_block = ttnn_out_block(arch, {per_core_m, k, n, tile_bytes(format)});
    return {.schedule = MatmulSchedule::Multicast1D,
            .multicast_operand = MulticastOperand::In1,
            .grid = {columns, div_up(cores, columns)},
            .in0_block_w = k,
            .per_core_m = per_core_m,
            .per_core_n = n,
            .out_block_h = out_block.height,
            .out_block_w = out_block.width,
            .out_subblock = ttnn_sharded_subblock(arch, out_block),
            .math_fidelity =
                parameters.has("fidelity") ? parameters.fidelity("fidelity") : MathFidelity::HiFi2,
            .in0 = {TensorPlacement::L1HeightSharded, format},
            .in1 = {TensorPlacement::DramInterleaved, format},
            .out = {TensorPlacement::L1HeightSharded, format}};
}

/// Runs the same blocks with fewer of them per core: `high` by `wide` out blocks.
Replays run_out_blocks(const Model& model, const Parameters& parameters, std::uint32_t high,
                       std::uint32_t wide) {
    MatmulSpec spec = tuned_spec(parameters);
    spec.per_core_m = high * spec.out_block_h;
    spec.per_core_n = wide * spec.out_block_w;
    Bench bench(model);
    return run_matmul(bench,
                      {spec.per_core_m * spec.grid.rows * kTileSide, parameters.count("K"),
                       spec.per_core_n * spec.grid.columns * kTileSide},
                      spec);
}

/// Returns the cycles of the math thread. Cores process their out blocks in sequence, each over all
/// of K, so the time of many blocks is extrapolated from two and four.
Prediction tuned_cycles(const Model& model, const Parameters& parameters) {
    constexpr std::uint32_t kMostBlocks = 4;
    const auto cycles = [](const Replays& replays) {
        return replays.thread_cycles(TimelineThread::Math, Among::Mean);
    };
    const MatmulSpec spec = tuned_spec(parameters);
    const std::uint32_t blocks = div_up(spec.per_core_m, std::max(spec.out_block_h, 1U)) *
                                 div_up(spec.per_core_n, std::max(spec.out_block_w, 1U));
    if (blocks <= kMostBlocks) {
        Bench bench(model);
        return cycles(run_matmul(bench, shape_of(parameters), spec));
    }
    return extended(cycles(run_out_blocks(model, parameters, 1, 2)),
                    cycles(run_out_blocks(model, parameters, 2, 2)), blocks / 2.0);
}

}  // namespace

Prediction predict_gemm(const Row& row, const Parameters& parameters, const Model& model) {
    expressible(config_says(parameters, "2D mcast"), "config {}: only 2D mcast",
                parameters.text_or("config", ""));
    return as_time(row, tuned_cycles(model, parameters), model);
}

Prediction predict_height_sharded_matmul(const Row& row, const Parameters& parameters,
                                         const Model& model) {
    expressible(row.workload.find("height sharded") != std::string::npos,
                "workload {}: in0 is not height sharded", row.workload);
    Bench bench(model);
    const Replays replays =
        run_matmul(bench, shape_of(parameters), height_sharded_spec(parameters, model.arch));
    return as_time(row, replays.kernel_span_cycles(), model);
}

}  // namespace tessera::score
