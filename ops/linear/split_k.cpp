// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/split_k.hpp"

#include <algorithm>
#include <vector>

#include "emu/base/round_up.hpp"
#include "ops/linear/kernels/args.hpp"
#include "ops/shared/bank_nocs.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/core_sharing.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::linear {
namespace {

constexpr std::uint32_t kDstTiles = 4;    // fp32, half of DST
constexpr std::uint32_t kPushTiles = 32;  // weights of a push: 64 KiB hide the latency of DRAM
constexpr std::uint32_t kChunkTiles = 8;  // K tiles of rows that are tilized together
constexpr std::uint32_t kPushes = 2;      // that a circular buffer of weights holds
constexpr std::uint32_t kBf16Tile = tile_bytes(DataFormat::Float16_b);
constexpr std::uint32_t kFloatTile = tile_bytes(DataFormat::Float32);

/// Lengths of one core's part.
struct Part {
    std::uint32_t block_tiles;  ///< tile rows of a block
    std::uint32_t num_k;        ///< K tiles, at the most
    std::uint32_t num_columns;  ///< column tiles, at the most
    std::uint32_t members;

    // A strip fills DST, so that each weight is used for all rows of a block at once.
    [[nodiscard]] std::uint32_t strip() const {
        return std::min(kDstTiles / block_tiles, num_columns);
    }
    [[nodiscard]] std::uint32_t k_block() const {
        return std::clamp(div_up(num_k, 2U), 1U, kPushTiles / strip());
    }
    [[nodiscard]] std::uint32_t k_chunk() const { return std::min(num_k, kChunkTiles); }
    [[nodiscard]] std::uint32_t row_stride() const { return round_up(num_k, k_chunk()); }
    [[nodiscard]] std::uint32_t num_tiles() const { return num_columns * block_tiles; }
    [[nodiscard]] std::uint32_t most_owned() const { return div_up(num_tiles(), members); }
};

std::uint32_t tile_rows_of(const ProductShape& shape) {
    return div_up(shape.rows, kTileRows);
}
std::uint32_t column_tiles_of(const ProductShape& shape) {
    return div_up(shape.columns, kTileColumns);
}
std::uint32_t k_tiles_of(const ProductShape& shape) {
    return div_up(shape.inner, kTileColumns);
}

Part part_of(const ProductShape& shape, SplitK split) {
    return {.block_tiles = std::min(tile_rows_of(shape), kDstTiles),
            .num_k = div_up(k_tiles_of(shape), split.members),
            .num_columns = div_up(column_tiles_of(shape), split.teams),
            .members = split.members};
}

std::vector<CbPlan> buffers_of(const ProductShape& shape, const Part& part) {
    constexpr auto kBf16 = DataFormat::Float16_b;
    constexpr auto kFloat = DataFormat::Float32;
    const std::uint32_t push = part.k_block() * part.strip();
    std::vector<CbPlan> buffers{{Cb::Rows, kBf16, 2 * part.k_chunk()},
                                {Cb::Tiles, kBf16, part.block_tiles * part.row_stride()},
                                {Cb::Weights, shape.weights, kPushes * push},
                                {Cb::Partial, kFloat, 2 * part.strip() * part.block_tiles},
                                {Cb::Gathered, kFloat, part.most_owned() * part.members},
                                {Cb::Asked, DataFormat::UInt32, CbSize{1, 32}},
                                {Cb::Output, kBf16, 4}};
    if (shape.has_bias) {
        buffers.push_back({Cb::Bias, kBf16, part.num_columns});
    }
    return buffers;
}

/// Returns about how many cycles the slowest core takes. The numbers are those of a Wormhole core;
/// they only have to put distributions in order.
double cycles_of(const ProductShape& shape, SplitK split) {
    constexpr double kCoreRate = 4;  // bytes a cycle that a core reads: links of the NoC limit it
    constexpr double kProduct = 64;  // HiFi4
    constexpr double kTilize = 50;   // a tile of rows
    constexpr double kAdd = 250;     // a tile of partial sums
    constexpr double kSend = 200;    // a tile of partial sums
    constexpr double kExchange = 2500;  // semaphores and latencies
    const Part part = part_of(shape, split);
    const double weights = double{1} * part.num_k * part.num_columns;
    const double rows = double{1} * part.block_tiles * part.num_k;
    const double bytes = weights * tile_bytes(shape.weights) + rows * kBf16Tile;
    const double read = bytes / kCoreRate;
    const double compute = weights * part.block_tiles * kProduct + rows * kTilize;
    const double merge =
        double{1} * part.most_owned() * part.members * kAdd + part.num_tiles() * kSend + kExchange;
    const double blocks = div_up(tile_rows_of(shape), part.block_tiles);
    return blocks * (std::max(read, compute) + merge);
}

/// Returns whether the writer has time to read weights: the sums that it sends over NoC 1 must have
/// fewer bytes. With 1.3 times as many (K of 1536 on 8 cores, 128 rows) a product took 1.16 times as
/// long as with one reader, with 0.5 to 0.7 times as many 0.94.
bool has_few_sums(const ProductShape& shape, const Part& part) {
    return part.block_tiles * kFloatTile < part.num_k * tile_bytes(shape.weights);
}

/// A program that is being built.
struct Built {
    const ProductShape& shape;
    SplitK split;
    Part part;
    ReaderTensors read;
    WriterTensors written;
    std::uint32_t num_banks;
    std::vector<std::uint32_t> over_noc1;  ///< banks that a core reads by its writer, by place
    Semaphores semaphores = {};
    KernelHandle reader = {};
    KernelHandle compute = {};
    KernelHandle writer = {};
};

LinearArgs args_of(const Built& built) {
    return {.rows = built.shape.rows,
            .row_bytes = 2 * built.shape.inner,
            .columns = built.shape.columns,
            .k_tiles = k_tiles_of(built.shape),
            .block_tiles = built.part.block_tiles,
            .strip = built.part.strip(),
            .k_block = built.part.k_block(),
            .k_chunk = built.part.k_chunk(),
            .members = built.split.members,
            .most_owned = built.part.most_owned(),
            .has_bias = built.shape.has_bias ? 1U : 0U,
            .banks = built.num_banks,
            .bank_step = k_tiles_of(built.shape) % built.num_banks};
}

void add_kernels(Program& program, const CoreRangeSet& cores, MathFidelity fidelity, Built& built) {
    const LinearArgs args = args_of(built);
    built.reader = CreateKernel(program, "ops/linear/kernels/reader.cpp", cores,
                                reader_config(args, built.read));
    ComputeConfig config{.math_fidelity = fidelity, .fp32_dest_acc_en = true};
    config.named_compile_args = named(args);
    // Partial sums keep their bits; through a source register they would lose 13.
    unpack_to_fp32(config, Cb::Gathered);
    built.compute = CreateKernel(program, "ops/linear/kernels/compute.cpp", cores, config);
    built.writer = CreateKernel(program, "ops/linear/kernels/writer.cpp", cores,
                                writer_config(args, built.written));
}

/// Part `number` of `parts` of `all` tiles: their first, and how many.
std::pair<std::uint32_t, std::uint32_t> even_part(std::uint32_t all, std::uint32_t parts,
                                                  std::uint32_t number) {
    const std::uint32_t first = first_owned(all, parts, number);
    return {first, first_owned(all, parts, number + 1) - first};
}

void set_team_args(Program& program, const ArchSpec& arch, const Built& built, std::uint32_t team,
                   const std::vector<CoreCoord>& cores) {
    std::vector<std::uint32_t> places;
    for (const CoreCoord core : cores) {
        const CoreCoord place = on_noc(arch, core);
        places.push_back(static_cast<std::uint32_t>(place.x));
        places.push_back(static_cast<std::uint32_t>(place.y));
    }
    const auto [first_column, num_columns] =
        even_part(column_tiles_of(built.shape), built.split.teams, team);
    for (std::uint32_t member = 0; member < built.split.members; ++member) {
        const auto [first_k, num_k] =
            even_part(k_tiles_of(built.shape), built.split.members, member);
        const CoreCoord core = cores[member];
        const Share share{
            .first_k = first_k,
            .num_k = num_k,
            .first_column = first_column,
            .num_columns = num_columns,
            .member = member,
            .writer_banks = built.over_noc1[core.y * arch.workers.compute.columns + core.x]};
        set_args(program, built.reader, core, share, addresses_of(built.read));
        set_args(program, built.compute, core, share);
        set_args(program, built.writer, core, share, built.semaphores, addresses_of(built.written),
                 places);
    }
}

}  // namespace

ProductShape shape_of(const TensorSpec& rows, const TensorSpec& weights, bool has_bias) {
    return {.rows = num_rows(rows.shape),
            .columns = weights.shape[weights.shape.size() - 2],
            .inner = row_length(rows.shape),
            .weights = weights.format,
            .has_bias = has_bias};
}

std::optional<SplitK> split_k_of(const ArchSpec& arch, GridSize grid, const ProductShape& shape,
                                 std::uint32_t members) {
    const CoreCoord size = schedule_grid("linear", arch, grid);
    const auto cores = static_cast<std::uint32_t>(size.x * size.y);
    const std::uint32_t most = std::min({kMostMembers, k_tiles_of(shape), cores});
    std::optional<SplitK> best;
    double least = 0;
    for (std::uint32_t number = 2; number <= most; ++number) {
        for (std::uint32_t teams = 1; teams <= std::min(cores / number, column_tiles_of(shape));
             ++teams) {
            const SplitK split{number, teams};
            const bool is_stated = members == 0 || members == number;
            if (!is_stated ||
                bytes_of(buffers_of(shape, part_of(shape, split))) > buffer_room(arch)) {
                continue;
            }
            const double cycles = cycles_of(shape, split);
            if (!best || cycles < least) {
                best = split;
                least = cycles;
            }
        }
    }
    return best;
}

Program split_k_program(const ArchSpec& arch, GridSize grid, const SplitTensors& tensors,
                        SplitK split, const SplitOptions& options) {
    const ProductShape shape =
        shape_of(tensors.rows.spec, tensors.weights.spec, tensors.bias != nullptr);
    const CoreCoord size = schedule_grid("linear", arch, grid);
    std::vector<std::vector<CoreCoord>> teams(split.teams);
    const std::uint32_t used = split.teams * split.members;
    for (std::uint32_t i = 0; i < used; ++i) {
        // Spread over the grid, so that reads do not share a few links of the NoC.
        const auto place = static_cast<std::uint32_t>(size.x * size.y * i / used);
        const CoreCoord core{place % size.x, place / size.x};
        teams[i / split.members].push_back(core);
    }
    const CoreRangeSet cores = set_of(teams);
    const Buffer* bias = tensors.bias == nullptr ? nullptr : &tensors.bias->buffer;
    const Part part = part_of(shape, split);
    // A step with a stated grid may be moved to cores for which other banks would be the right ones.
    const bool is_shared =
        options.both_nocs && may_choose_sharing(grid) && has_few_sums(shape, part);
    Built built{
        .shape = shape,
        .split = split,
        .part = part,
        .read = {.rows = &tensors.rows.buffer, .weights = &tensors.weights.buffer, .bias = bias},
        .written = {.output = &tensors.output.buffer, .weights = &tensors.weights.buffer},
        .num_banks = arch.dram.num_banks,
        .over_noc1 = is_shared
                         ? banks_over_noc1(arch)
                         : std::vector<std::uint32_t>(std::size_t{arch.workers.compute.columns} *
                                                      arch.workers.compute.rows)};

    Program program = CreateProgram();
    add_circular_buffers(program, cores, buffers_of(shape, built.part));
    built.semaphores = {.arrived = CreateSemaphore(program, cores, 0),
                        .finished = CreateSemaphore(program, cores, 0)};
    add_kernels(program, cores, options.fidelity, built);
    for (std::uint32_t team = 0; team < split.teams; ++team) {
        set_team_args(program, arch, built, team, teams[team]);
    }
    return program;
}

}  // namespace tessera::ops::linear
