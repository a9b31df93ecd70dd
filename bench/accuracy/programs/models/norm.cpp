// SPDX-License-Identifier: Apache-2.0
// RMS norms of 32 rows that are sharded over the columns of a grid of cores. Each core squares and
// sums its shard. Two stages of reads gather the sums: along rows of cores, then down the first
// column. A multicast distributes the scale, and each core scales its shard.
// Source   tt-metal ttnn/cpp/ttnn/operations/normalization/layernorm/device:
//          sharded_layernorm_factory_helpers.cpp (two stages if the grid has several columns and
//          rows; CBs; readers on RISC 0 and NoC 0). The functions below name the kernels that they
//          model.
#include <array>
#include <functional>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/models/norm_place.hpp"
#include "bench/accuracy/programs/models/shards.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

enum class NormStage : std::uint8_t { Whole, BeforeGather };

std::uint32_t num_cores(const GridSize& grid) {
    return grid.columns * grid.rows;
}

CoreRangeSet cores_of(const Norm& norm) {
    return cores_at(norm.place.first, norm.place.grid);
}

std::uint32_t role_word(const Norm& norm, CoreCoord core) {
    return static_cast<std::uint32_t>(role_of(norm, core));
}

constexpr DataFormat kNormFormat = DataFormat::Float16_b;

// Indices of kernels/models/norm_cbs.hpp.
constexpr std::uint8_t kNormIn = 0;
constexpr std::uint8_t kNormStatistics = 7;
constexpr std::uint8_t kNormGathered = 13;
constexpr std::uint8_t kNormOut = 16;
constexpr std::uint8_t kNormResharded = 17;
constexpr std::array<std::uint8_t, 7> kOneTile{2, 3, 4, 11, 12, 15, 20};
constexpr std::array<std::uint8_t, 2> kShardTiles{5, 24};  // gamma, work

void add_norm_buffers(Program& program, const Norm& norm, const DeviceTensor& in) {
    const CoreRangeSet cores = cores_of(norm);
    add_cb_over(program, cores, kNormIn, norm.tiles, in);
    for (const std::uint8_t index : kOneTile) {
        add_cb(program, cores, index, 1, kNormFormat);
    }
    for (const std::uint8_t index : kShardTiles) {
        add_cb(program, cores, index, norm.tiles, kNormFormat);
    }
    add_cb(program, cores, kNormGathered, norm.place.grid.columns + norm.place.grid.rows - 1,
           kNormFormat);
}

DataMovementConfig reader_of(std::vector<std::uint32_t> args) {
    return {.processor = DataMovementProcessor::RISCV_0,
            .noc = NOC::NOC_0,
            .compile_args = std::move(args)};
}

DataMovementConfig writer_of(std::vector<std::uint32_t> args) {
    return {.processor = DataMovementProcessor::RISCV_1,
            .noc = NOC::NOC_1,
            .compile_args = std::move(args)};
}

/// Appends the NoC coordinates of the first core and of the last.
void append_corners(const ArchSpec& arch, const Norm& norm, std::vector<std::uint32_t>& args) {
    for (const CoreCoord core : {cores_of(norm).cores().front(), cores_of(norm).cores().back()}) {
        const CoreCoord noc = noc_coordinate(arch, core);
        args.insert(args.end(), {noc.x, noc.y});
    }
}

/// Source   reader_mcast_sender_unary_sharded_ln.cpp, reader_mcast_receiver_unary_sharded_ln.cpp,
///          and both kernels of the stage before the gather (…_pre_allgather.cpp).
void add_gather(Program& program, const ArchSpec& arch, const Norm& norm, NormStage stage) {
    const CoreRangeSet cores = cores_of(norm);
    std::vector<std::uint32_t> args{static_cast<std::uint32_t>(stage), norm.place.grid.columns,
                                    norm.place.grid.rows};
    for (int i = 0; i < 3; ++i) {
        args.push_back(CreateSemaphore(program, cores, 0));
    }
    append_corners(arch, norm, args);
    const KernelHandle kernel =
        CreateKernel(program, "bench/accuracy/kernels/models/norm_gather.cpp", cores,
                     reader_of(std::move(args)));
    for (const CoreCoord core : cores.cores()) {
        SetRuntimeArgs(program, kernel, core, {role_word(norm, core), norm.tiles});
    }
}

/// Source   reader_mcast_sender_unary_sharded_ln_post_allgather.cpp and its receiver.
void add_spread(Program& program, const ArchSpec& arch, const Norm& norm) {
    const CoreRangeSet cores = cores_of(norm);
    std::vector<std::uint32_t> args{num_cores(norm.place.grid), CreateSemaphore(program, cores, 0)};
    append_corners(arch, norm, args);
    const KernelHandle kernel =
        CreateKernel(program, "bench/accuracy/kernels/models/norm_spread.cpp", cores,
                     reader_of(std::move(args)));
    for (const CoreCoord core : cores.cores()) {
        SetRuntimeArgs(program, kernel, core, {role_word(norm, core), norm.tiles});
    }
}

/// Allocates gamma, one row: in tiles, or in rows of a tile's width.
DeviceTensor allocate_gamma(Bench& bench, const Norm& norm) {
    const std::uint32_t columns = norm.tiles * num_cores(norm.place.grid) * kTileSide;
    const bool in_rows = norm.place.gamma == NormGamma::Rows;
    const TensorSpec spec =
        in_rows ? TensorSpec{{columns / kTileSide, kTileSide}, kNormFormat, Layout::ROW_MAJOR}
                : TensorSpec{{kTileSide, columns}, kNormFormat, Layout::TILE};
    return bench.session().allocate(0, "gamma", spec, BufferType::DRAM);
}

/// Destination core of each core's shard of the result, if the result moves.
using Destination = std::function<CoreCoord(std::size_t)>;

/// Source   writer_unary_sharded_ln.cpp, writer_unary_sharded_ln_rm_gb.cpp, reshard_writer.hpp.
void add_constants(Program& program, const ArchSpec& arch, const Norm& norm,
                   const DeviceTensor* gamma, const Destination& destination) {
    const CoreRangeSet cores = cores_of(norm);
    std::vector<std::uint32_t> args{
        static_cast<std::uint32_t>(arch.l1.zeros.value),
        static_cast<std::uint32_t>(arch.l1.zeros_size.value), gamma == nullptr ? 0U : 1U,
        static_cast<std::uint32_t>(gamma == nullptr ? NormGamma::None : norm.place.gamma)};
    if (gamma != nullptr) {
        TensorAccessorArgs(gamma->buffer).append_to(args);
    }
    const KernelHandle kernel =
        CreateKernel(program, "bench/accuracy/kernels/models/norm_constants.cpp", cores,
                     writer_of(std::move(args)));
    const std::vector<CoreCoord> all = cores.cores();
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        const CoreCoord to = destination ? noc_coordinate(arch, destination(i)) : CoreCoord{};
        SetRuntimeArgs(program, kernel, all[i],
                       {role_word(norm, all[i]), norm.tiles, i * norm.tiles,
                        gamma == nullptr ? 0 : gamma->buffer.address, to.x, to.y});
    }
}

void add_norm_compute(Program& program, const Norm& norm, const char* source,
                      std::vector<std::uint32_t> args) {
    const CoreRangeSet cores = cores_of(norm);
    const KernelHandle kernel = CreateKernel(program, source, cores,
                                             ComputeConfig{.math_fidelity = norm.place.fidelity,
                                                           .math_approx_mode = true,
                                                           .compile_args = std::move(args)});
    for (const CoreCoord core : cores.cores()) {
        SetRuntimeArgs(program, kernel, core, {role_word(norm, core)});
    }
}

/// Source   compute/layernorm_sharded.cpp, compute/layernorm_sharded_pre_allgather.cpp.
void add_sum(Program& program, const Norm& norm, NormStage stage) {
    add_norm_compute(program, norm, "bench/accuracy/kernels/models/norm_sum.cpp",
                     {static_cast<std::uint32_t>(stage), norm.tiles, norm.subblock,
                      norm.place.grid.columns, norm.place.grid.rows});
}

Shards shards_of(const Norm& norm) {
    return {cores_of(norm), norm.tiles, kNormFormat};
}

Prediction whole_norm(const Model& model, const Norm& norm) {
    Bench bench(model);
    const DeviceTensor in = allocate_shards(bench, "in", shards_of(norm));
    const DeviceTensor out = allocate_shards(bench, "out", shards_of(norm));
    const DeviceTensor gamma = allocate_gamma(bench, norm);
    Program program = CreateProgram();
    add_norm_buffers(program, norm, in);
    add_cb_over(program, cores_of(norm), kNormOut, norm.tiles, out);
    add_gather(program, model.arch, norm, NormStage::Whole);
    add_constants(program, model.arch, norm, &gamma, {});
    add_sum(program, norm, NormStage::Whole);
    return bench.run(std::move(program)).kernel_span_cycles();
}

Prediction before_gather(const Model& model, const Norm& norm) {
    Bench bench(model);
    const DeviceTensor in = allocate_shards(bench, "in", shards_of(norm));
    Program program = CreateProgram();
    add_norm_buffers(program, norm, in);
    add_cb(program, cores_of(norm), kNormOut, 1, kNormFormat);
    add_gather(program, model.arch, norm, NormStage::BeforeGather);
    add_constants(program, model.arch, norm, nullptr, {});
    add_sum(program, norm, NormStage::BeforeGather);
    return bench.run(std::move(program)).kernel_span_cycles();
}

/// Returns the cycles of the part after the gather. The result has as many cores, from (0,0) on, so
/// each core writes its shard to another one.
/// Source   compute/layernorm_sharded_post_allgather.cpp.
Prediction behind_gather(const Model& model, const Norm& norm) {
    Bench bench(model);
    const CoreRangeSet storage = cores_at({0, 0}, norm.place.grid);
    const DeviceTensor in = allocate_shards(bench, "in", shards_of(norm));
    const DeviceTensor out = allocate_shards(bench, "out", {storage, norm.tiles, kNormFormat});
    const DeviceTensor statistics =
        allocate_shards(bench, "statistics", {norm.place.first, 1, kNormFormat});
    const DeviceTensor gamma = allocate_gamma(bench, norm);
    Program program = CreateProgram();
    add_norm_buffers(program, norm, in);
    add_cb_over(program, cores_of(norm), kNormStatistics, 1, statistics);
    add_cb(program, cores_of(norm), kNormOut, norm.tiles, kNormFormat);
    add_cb_over(program, cores_of(norm), kNormResharded, norm.tiles, out);
    add_spread(program, model.arch, norm);
    add_constants(program, model.arch, norm, &gamma,
                  [&](std::size_t i) { return storage.cores()[i]; });
    add_norm_compute(program, norm, "bench/accuracy/kernels/models/norm_scale.cpp",
                     {norm.tiles, norm.subblock});
    return bench.run(std::move(program)).kernel_span_cycles();
}

}  // namespace

Prediction predict_model_norm(const Row& row, const Parameters& parameters, const Model& model) {
    const Norm norm = norm_of(row, parameters);
    if (!norm.place.is_distributed) {
        return as_time(row, whole_norm(model, norm), model);
    }
    return as_time(
        row,
        Prediction::combined(before_gather(model, norm), behind_gather(model, norm), std::plus<>()),
        model);
}

}  // namespace tessera::score
