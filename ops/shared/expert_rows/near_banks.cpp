// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/expert_rows/near_banks.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "emu/base/round_up.hpp"
#include "ops/shared/bank_cores.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/core_sharing.hpp"
#include "ops/shared/expert_rows/kernels/near_args.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops {
namespace {

// In batches, other files of the folder have a Cb of their own.
using NearCb = row_products::Cb;

constexpr std::uint32_t kRowTile = tile_bytes(DataFormat::Float16_b);
constexpr std::uint32_t kSumTile = tile_bytes(DataFormat::Float32);
constexpr std::uint32_t kOutputRowBytes = 2 * kTileColumns;
// Tiles that are on their way from a bank to all of its cores. On a Wormhole 32 are the fastest:
// fewer leave the bank idle, more fill the buffers of the NoC and delay other banks.
constexpr std::uint32_t kTilesInFlight = 32;
// Pushes that a core holds beyond a column, which it reads before its rows arrive.
constexpr std::uint32_t kSparePushes = 4;
// Smaller matrices gain less than it costs to bring all rows to all cores, and to add the sums of
// the banks for a team's last columns.
constexpr std::uint64_t kLeastBytes = 4 << 20;
constexpr std::uint32_t kLeastColumns = 8;  // tiles of each team
// K tiles of a column in each bank. With fewer the sums of a column take as long as its reads, and
// reads by all cores are as fast.
constexpr std::uint32_t kLeastInBank = 5;
// Each tile row costs a round of sums over all banks, which is short only beside a long K. So rows
// of all experts times banks are limited to this many times the K tiles. The number was fitted on a
// Wormhole and a Blackhole on 2026-11-28: of 72 products with 768 to 4096 columns in K and 4 or 12
// experts of 21 to 256 rows, the slowest takes 1.24 times as long as with the other schedule.
constexpr std::uint64_t kRowsOfKTiles = 64;
// Tile rows of all of K that a core must have room for, so that reads by all cores are as fast.
constexpr std::uint32_t kSharedTileRows = 3;
// K tiles of rows that are tilized together. Shorter pieces of rows cost more to read and to send.
constexpr std::uint32_t kMostChunk = 32;
constexpr std::uint32_t kLeastChunk = 8;

/// Returns how many K tiles of rows are tilized together: a part of K that begins with the same one
/// of `step` tiles as all of K.
std::uint32_t chunk_of(std::uint32_t k_tiles, std::uint32_t step) {
    std::uint32_t chunk = 0;
    for (std::uint32_t tiles = step; tiles <= std::max(kMostChunk, step); tiles += step) {
        chunk = k_tiles % tiles == 0 ? tiles : chunk;
    }
    return chunk;
}

NearBanks plan_of_shape(const ArchSpec& arch, const NearOperands& operands,
                        const ProductSchedule& schedule) {
    const Shape& weights = operands.weights.shape;
    const std::uint32_t banks = arch.dram.num_banks;
    const std::uint32_t k_tiles = div_up(weights[2], kTileColumns);
    const std::uint32_t n_tiles = std::max(div_up(weights[1], kTileColumns), 1U);
    const std::uint32_t in_bank = div_up(k_tiles, banks);
    const std::uint32_t teams =
        std::min(schedule.bank_cores == 0 ? cores_of_bank(arch) : schedule.bank_cores, n_tiles);
    const std::uint32_t k_push =
        div_up(in_bank, div_up(in_bank, tiles_of_push(kTilesInFlight, teams)));
    // The first tiles of columns are a multiple of k_tiles apart.
    std::uint32_t step = std::gcd(k_tiles, banks);
    if (chunk_of(k_tiles, step) < kLeastChunk) {
        step = 1;
    }
    std::uint32_t chunk = chunk_of(k_tiles, step);
    chunk = chunk < kLeastChunk ? k_tiles : chunk;
    return {.banks = banks,
            .teams = teams,
            .k_tiles = k_tiles,
            .n_tiles = n_tiles,
            .k_push = k_push,
            .pushes = div_up(in_bank, k_push) + kSparePushes,
            .tile_rows = 1,
            .units = 1,
            .chunk = chunk,
            .kept_step = step,
            .row_parts = std::min({row_products::kNearRowParts, teams * banks, k_tiles / chunk})};
}

std::vector<CbPlan> near_buffers(const ArchSpec& arch, const NearBanks& near, DataFormat weights,
                                 std::uint64_t table_bytes) {
    const auto alignment = static_cast<std::uint32_t>(arch.dram.alignment.value);
    const std::uint32_t columns = div_up(near.n_tiles, near.teams);
    const auto tables = static_cast<std::uint32_t>(round_up(table_bytes, std::uint64_t{64}));
    return {
        {NearCb::Rows, DataFormat::Float16_b, {near.k_tiles, kRowTile}},
        {NearCb::Tiles,
         DataFormat::Float16_b,
         {near.units * near.tile_rows * (near.k_tiles / near.kept_step), kRowTile}},
        {NearCb::Chunk, DataFormat::Float16_b, {near.kept_step == 1 ? 1 : near.chunk, kRowTile}},
        {NearCb::Weights, weights, {near.pushes * near.k_push, tile_bytes(weights)}},
        {NearCb::Scales, DataFormat::Float32, {2 * near.tile_rows, kSumTile}},
        {NearCb::ComputeUnits, DataFormat::UInt32, {2, alignment}},
        // A round of sums, so that a member that waits for its team does not stop its products.
        {NearCb::Partial, DataFormat::Float32, {near.banks, kSumTile}},
        {NearCb::Gathered, DataFormat::Float32, {row_products::kNearRounds * near.banks, kSumTile}},
        {NearCb::Output, DataFormat::Float16_b, {2, kRowTile}},
        {NearCb::Tables, DataFormat::UInt32, {1, tables}},
        {NearCb::WriterTables, DataFormat::UInt32, {1, tables}},
        {NearCb::WriterZeros, DataFormat::UInt32, {1, columns * kOutputRowBytes}},
        {NearCb::Words, DataFormat::UInt32, {1, 64}}};
}

// Counts of experts and pieces of lists: as in the other schedule, at the most.
std::uint64_t most_table_bytes(const NearOperands& operands) {
    return std::max<std::uint64_t>(2048, 64 + std::uint64_t{64} * operands.weights.shape[0]);
}

std::uint64_t bytes_of_plan(const ArchSpec& arch, const NearBanks& near,
                            const NearOperands& operands) {
    return bytes_of(near_buffers(arch, near, operands.weights.format, most_table_bytes(operands)));
}

/// Returns the plan with as many tile rows of a unit as fit beside those of the next unit, or as
/// many as the schedule states.
NearBanks plan_of(const ArchSpec& arch, const NearOperands& operands,
                  const ProductSchedule& schedule) {
    NearBanks near = plan_of_shape(arch, operands, schedule);
    const std::uint32_t half = arch.dst.tiles_32bit / 2;
    const std::uint32_t most = operands.tile_rows == 0 ? half : std::min(half, operands.tile_rows);
    for (std::uint32_t rows = most; rows > 0; --rows) {
        NearBanks larger = near;
        larger.tile_rows = schedule.tile_rows == 0 ? rows : schedule.tile_rows;
        larger.units = operands.tile_rows != 0 && operands.tile_rows <= larger.tile_rows ? 1 : 2;
        if (bytes_of_plan(arch, larger, operands) <= buffer_room(arch)) {
            return larger;
        }
    }
    near.tile_rows = std::max(schedule.tile_rows, 1U);
    return near;
}

/// A program that is being built.
struct Built {
    const ArchSpec& arch;
    const ExpertProduct& product;
    const NearBanks& near;
    row_products::ReaderTensors read;
    row_products::NearWriterTensors written;
    row_products::NearSemaphores semaphores = {};
    std::vector<std::uint32_t> places = {};
    KernelHandle reader = {};
    KernelHandle compute = {};
    KernelHandle writer = {};
};

void add_kernels(Program& program, const CoreRangeSet& cores, MathFidelity fidelity, Built& built) {
    const row_products::ReaderArgs args = product_reader_args(built.product);
    const row_products::NearArgs near{.banks = built.near.banks,
                                      .k_push = built.near.k_push,
                                      .pushes = built.near.pushes,
                                      .tile_rows = built.near.tile_rows,
                                      .is_ahead = built.near.units - 1,
                                      .chunk = built.near.chunk,
                                      .kept_step = built.near.kept_step,
                                      .row_parts = built.near.row_parts};
    DataMovementConfig reader = reader_config(args, built.read);
    reader.named_compile_args = named(args, near);
    built.reader =
        CreateKernel(program, "ops/shared/expert_rows/kernels/near_reader.cpp", cores, reader);
    ComputeConfig compute{.math_fidelity = fidelity, .fp32_dest_acc_en = true};
    compute.named_compile_args =
        named(near, row_products::NearComputeArgs{
                        .k_tiles = built.near.k_tiles,
                        .is_scaled = built.product.topk_weights != nullptr ? 1U : 0U});
    // Sums keep their bits; through a source register they would lose 13.
    unpack_to_fp32(compute, NearCb::Gathered);
    built.compute =
        CreateKernel(program, "ops/shared/expert_rows/kernels/near_compute.cpp", cores, compute);
    DataMovementConfig writer = writer_config(args, built.written);
    writer.named_compile_args = named(args, near);
    built.writer =
        CreateKernel(program, "ops/shared/expert_rows/kernels/near_writer.cpp", cores, writer);
}

void set_team_args(Program& program, const Built& built, std::uint32_t team,
                   const std::vector<CoreCoord>& cores) {
    const NearBanks& near = built.near;
    const std::uint32_t first = near.n_tiles * team / near.teams;
    const std::uint32_t end = near.n_tiles * (team + 1) / near.teams;
    for (std::uint32_t bank = 0; bank < near.banks; ++bank) {
        const row_products::NearShare share{.bank = bank,
                                            .number = team * near.banks + bank,
                                            .num_cores = near.teams * near.banks,
                                            .first_column = first,
                                            .num_columns = end - first};
        set_args(program, built.reader, cores[bank], addresses_of(built.read), share);
        set_args(program, built.compute, cores[bank], share);
        set_args(program, built.writer, cores[bank], addresses_of(built.written), share,
                 built.semaphores, near_rectangle(built.arch), built.places);
    }
}

/// Returns whether keys of the other schedule have their default values.
bool has_default_strips(const ProductSchedule& schedule) {
    return schedule.strip == kDefaultStrip && schedule.k_block == kDefaultKBlock &&
           schedule.k_chunk == kDefaultKBlock && schedule.cb_depth == kDefaultDepth;
}

}  // namespace

std::string near_banks_fault(const ArchSpec& arch, const NearOperands& operands,
                             const ProductSchedule& schedule) {
    if (!operands.is_plain || operands.rows.format != DataFormat::Float16_b) {
        return "takes rows in bfloat16, without scales, zero points and bias";
    }
    if (!may_choose_sharing(schedule.grid)) {
        return "takes the whole grid; allowed: grid [0, 0]";
    }
    const NearBanks near = plan_of(arch, operands, schedule);
    const std::uint32_t cores = arch.workers.compute.columns * arch.workers.compute.rows;
    if (near.teams * near.banks > cores) {
        return fmt::format("takes {} cores for each of {} banks; allowed: bank_cores 1 to {}",
                           near.teams, near.banks, cores / near.banks);
    }
    const std::uint32_t half = arch.dst.tiles_32bit / 2;
    if (near.tile_rows > half) {
        return fmt::format("takes {} tile rows together; allowed: tile_rows 0 to {}",
                           near.tile_rows, half);
    }
    if (row_length(operands.rows.shape) % kTileColumns != 0 || near.k_tiles < near.banks) {
        return fmt::format(
            "has rows of {}; allowed: whole tiles of {}, at least one for each of "
            "{} banks",
            row_length(operands.rows.shape), kTileColumns, near.banks);
    }
    const std::uint64_t bytes = bytes_of_plan(arch, near, operands);
    if (near.teams == 0 || bytes > buffer_room(arch)) {
        return fmt::format("takes {} B of circular buffers; a core has {} B of L1 for them", bytes,
                           buffer_room(arch));
    }
    return {};
}

std::optional<NearBanks> near_banks_of(const ArchSpec& arch, const NearOperands& operands,
                                       const ProductSchedule& schedule) {
    if (schedule.weight_reads == WeightReads::AllBanks ||
        !near_banks_fault(arch, operands, schedule).empty()) {
        return std::nullopt;
    }
    const NearBanks near = plan_of(arch, operands, schedule);
    const std::uint64_t bytes =
        std::uint64_t{near.k_tiles} * near.n_tiles * tile_bytes(operands.weights.format);
    const bool is_large = bytes >= kLeastBytes && near.k_tiles >= kLeastInBank * near.banks &&
                          near.n_tiles >= kLeastColumns * near.teams;
    const std::uint64_t rows = std::uint64_t{operands.rows_each} * operands.weights.shape[0];
    const bool has_few_rows = rows * near.banks <= kRowsOfKTiles * near.k_tiles;
    const bool is_long =
        std::uint64_t{kSharedTileRows} * near.k_tiles * kRowTile >= buffer_room(arch);
    const bool is_chosen = has_default_strips(schedule) && is_large && (has_few_rows || is_long);
    if (schedule.weight_reads == WeightReads::Auto && !is_chosen) {
        return std::nullopt;
    }
    return near;
}

Program near_banks_program(const ArchSpec& arch, const ExpertProduct& product,
                           const NearBanks& near, MathFidelity fidelity) {
    const row_products::ReaderTensors read = product_reader_tensors(product);
    Built built{.arch = arch,
                .product = product,
                .near = near,
                .read = read,
                .written = {.ids = read.ids,
                            .experts = read.experts,
                            .num_listed = read.num_listed,
                            .topk_weights = read.topk_weights,
                            .output = &product.output.buffer,
                            .rows = read.rows}};
    const std::vector<std::vector<CoreCoord>> teams = cores_beside_banks(arch, near.teams);
    built.places = places_of(arch, teams);
    const CoreRangeSet cores = set_of(teams);
    // Rows are sent to a rectangle, which has other cores too: their L1 must have room for them.
    const CoreRangeSet all = whole_grid(arch);
    Program program = CreateProgram();
    const DataFormat weights = product.weights.spec.format;
    add_circular_buffers(program, all,
                         near_buffers(arch, near, weights,
                                      most_table_bytes({product.rows.spec, product.weights.spec})));
    built.semaphores = near_semaphores(program, all);
    add_kernels(program, cores, fidelity, built);
    for (std::uint32_t team = 0; team < near.teams; ++team) {
        set_team_args(program, built, team, teams[team]);
    }
    return program;
}

}  // namespace tessera::ops
