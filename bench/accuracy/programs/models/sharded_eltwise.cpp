// SPDX-License-Identifier: Apache-2.0
// Sums and products of tensors sharded in L1, as models on a Galaxy use them between matmuls. Each
// core works on its own shard; nothing crosses the NoC.
// Source   tt-metal ttnn/cpp/ttnn/operations/eltwise/binary:
//          element_wise_multi_core_program_factory.cpp (CBs over shards; blocks of up to 8 tiles;
//          all cores of the device or sub-device run the kernels, cores without a shard with zero
//          tiles), device/binary_device_operation.cpp (worker_grid),
//          kernels/compute/eltwise_binary_kernel.cpp (silu in a separate pass).
#include <algorithm>
#include <array>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/kernels/models/args.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/models/shards.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::score {
namespace {

constexpr std::uint8_t kEltwiseIn0 = 0;
constexpr std::uint8_t kEltwiseIn1 = 1;
constexpr std::uint8_t kEltwiseOut = 2;
constexpr std::uint8_t kActivated = 3;

enum class Function : std::uint8_t { Add, MultiplyWithSilu };
enum class Workers : std::uint8_t { Device, SubDevice };

/// Placement of shards, and tiles per shard.
struct ShardPlace {
    CoreCoord first;
    CoreCoord last;
    std::uint32_t tiles;
};

/// Properties of an op that its row does not state. The first match counts.
struct ShardedOp {
    std::string_view workload;  ///< end of the row's workload
    Function function;
    Workers workers;
    ShardPlace place;
    DataFormat in0;
    DataFormat in1;
    DataFormat out;
};

using enum DataFormat;
using enum Function;
using enum Workers;

// Source   tt-metal tests/ttnn/unit_tests/operations/ccl/test_new_all_reduce.py, FF1_CRS_RS_OUT (30
// cores, the sub-device's first rectangle), NORM_CRS and NORM_CRS_QWEN.
constexpr ShardPlace kReduceScatterOut{{1, 0}, {3, 9}, 1};
constexpr ShardPlace kResidual{{1, 0}, {2, 7}, 4};      // 8192 / 4 columns
constexpr ShardPlace kQwenResidual{{1, 0}, {2, 4}, 4};  // 5120 / 4 columns

// Sources, in tt-metal models/demos/llama3_70b_galaxy:
// - the first op: tests/unit_tests/test_llama_ops.py;
// - the second: tt/llama_mlp.py with REDUCE_SCATTER_OUT_MEMCFG in tt/model_config.py and
//   qwen_model_config.py;
// - each other op: tt/llama_decoder.py with DECODE_RESIDUAL_MEMCFG. They add the bfp8 output of
//   FF2's all-reduce to the bfloat16 residual after the last layer.
constexpr std::array<ShardedOp, 4> kOps{
    {{"multiply with SiLU", MultiplyWithSilu, Device, kReduceScatterOut, Bfp8_b, Bfp8_b, Bfp8_b},
     {"decode op Binary_Mult_Silu", MultiplyWithSilu, SubDevice, kReduceScatterOut, Bfp8_b, Bfp8_b,
      Bfp8_b},
     {"Qwen3-32B decode op BinaryDeviceOperation_Last_Residual", Add, SubDevice, kQwenResidual,
      Bfp8_b, Float16_b, Bfp8_b},
     {"Llama-3.3-70B decode op BinaryDeviceOperation_Last_Residual", Add, SubDevice, kResidual,
      Bfp8_b, Float16_b, Bfp8_b}}};

CoreRangeSet shard_cores_of(const ShardedOp& op) {
    return {CoreRange(op.place.first, op.place.last)};
}

const ShardedOp& known_op(const Row& row) {
    const auto* op = std::ranges::find_if(kOps, [&](const ShardedOp& candidate) {
        return row.workload.ends_with(candidate.workload);
    });
    expressible(op != kOps.end(), "where {} has its shards is not known", row.workload);
    return *op;
}

/// Replaces values of the table by values that the row states.
ShardedOp stated(const Parameters& parameters, ShardedOp op) {
    if (parameters.has("dtype")) {
        op.in0 = op.in1 = op.out = parameters.format("dtype");
    }
    if (parameters.has("shape")) {
        const std::vector<std::uint32_t> shape = parameters.shape("shape");
        const std::uint32_t columns = (shape.back() + kTileSide - 1) / kTileSide;
        const auto cores = shard_cores_of(op).num_cores();
        expressible(std::ranges::count_if(shape, [](auto extent) { return extent > 1; }) <= 2 &&
                        shape.size() >= 2 && shape[shape.size() - 2] <= kTileSide,
                    "of more than one row of tiles");
        expressible(columns <= cores * op.place.tiles, "{} tiles on {} cores with {} each", columns,
                    cores, op.place.tiles);
    }
    return op;
}

/// Returns the cores of a decoder that shares the device with prefetcher cores.
CoreRangeSet workers_of(const ShardedOp& op, const ArchSpec& arch) {
    if (op.workers == SubDevice) {
        return CoreRangeSet({CoreRange({1, 0}, {3, 9}), CoreRange({5, 0}, {6, 9})});
    }
    const GridSize grid = arch.workers.compute;
    return {CoreRange({0, 0}, {grid.columns - 1, grid.rows - 1})};
}

/// Returns the largest divisor, at most 8, of a shard's tiles.
std::uint32_t block_tiles(std::uint32_t tiles) {
    std::uint32_t block = std::min(tiles, 8U);
    while (tiles % block != 0) {
        --block;
    }
    return block;
}

struct ShardedTensors {
    DeviceTensor in0;
    DeviceTensor in1;
    DeviceTensor out;
};

ShardedTensors allocate(Bench& bench, const ShardedOp& op) {
    const auto shards = [&](const char* name, DataFormat format) {
        return allocate_shards(bench, name, {shard_cores_of(op), op.place.tiles, format});
    };
    return {shards("in0", op.in0), shards("in1", op.in1), shards("out", op.out)};
}

void add_buffers(Program& program, const CoreRangeSet& workers, const ShardedOp& op,
                 const ShardedTensors& tensors) {
    add_cb_over(program, workers, kEltwiseIn0, op.place.tiles, tensors.in0);
    add_cb_over(program, workers, kEltwiseIn1, op.place.tiles, tensors.in1);
    add_cb_over(program, workers, kEltwiseOut, op.place.tiles, tensors.out);
    if (op.function == MultiplyWithSilu) {
        add_cb(program, workers, kActivated, block_tiles(op.place.tiles), op.in0);
    }
}

Program program_of(const ArchSpec& arch, const ShardedOp& op, const ShardedTensors& tensors) {
    const CoreRangeSet workers = workers_of(op, arch);
    const bool multiplies = op.function == MultiplyWithSilu;
    const std::uint32_t block = block_tiles(op.place.tiles);
    Program program = CreateProgram();
    add_buffers(program, workers, op, tensors);
    const KernelHandle feed = CreateKernel(program, "bench/accuracy/kernels/models/shard_feed.cpp",
                                           workers, ReaderDataMovementConfig());
    const KernelHandle done = CreateKernel(program, "bench/accuracy/kernels/models/shard_done.cpp",
                                           workers, WriterDataMovementConfig());
    const KernelHandle compute =
        CreateKernel(program, "bench/accuracy/kernels/models/shard_binary.cpp", workers,
                     ops::compute_config(ShardBinaryArgs{.multiplies = multiplies ? 1U : 0U,
                                                         .silu = multiplies ? 1U : 0U}));
    for (const CoreCoord core : workers.cores()) {
        const std::uint32_t tiles = shard_cores_of(op).contains(core) ? op.place.tiles : 0;
        ops::set_args(program, feed, core, ShardTiles{.tiles = tiles});
        ops::set_args(program, done, core, ShardTiles{.tiles = tiles});
        ops::set_args(program, compute, core,
                      ShardBlocks{.blocks = tiles / block, .block_tiles = block});
    }
    return program;
}

}  // namespace

Prediction predict_model_sharded_eltwise(const Row& row, const Parameters& parameters,
                                         const Model& model) {
    const ShardedOp op = stated(parameters, known_op(row));
    Bench bench(model);
    const ShardedTensors tensors = allocate(bench, op);
    return as_time(row, bench.run(program_of(model.arch, op, tensors)).kernel_span_cycles(), model);
}

}  // namespace tessera::score
