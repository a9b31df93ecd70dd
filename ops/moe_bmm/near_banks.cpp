// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_bmm/near_banks.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "emu/base/round_up.hpp"
#include "ops/moe_bmm/kernels/near_args.hpp"
#include "ops/shared/bank_cores.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/core_sharing.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::moe_bmm {
namespace {

constexpr std::uint32_t kBf16Tile = tile_bytes(DataFormat::Float16_b);
// Tiles that are on their way from a bank to all of its cores. With 32 the default layer's products
// took 5 % longer, as rows and sums wait behind weights; with 8 they took 4 % longer.
constexpr std::uint32_t kTilesInFlight = 16;
// Experts whose weights stay in L1, or are on their way: products of one overlap reads of the next.
constexpr std::uint32_t kExpertsHeld = 2;
// Columns that a core holds if an expert is too large to stay.
constexpr std::uint32_t kColumnsHeld = 2;
// Tiles of an expert for each core. With 10 (experts of 1024 x 512, 128 tokens) products take 0.94
// of the time of multi_core; with 2 they take 2.5 times as long, as rows and sums cost more than
// reads from the nearest bank save.
constexpr std::uint32_t kLeastTiles = 10;

std::vector<CbPlan> near_buffers(const ArchSpec& arch, const BmmExtents& extents,
                                 const NearPlan& plan, const MoeBmmSpec& schedule) {
    const auto alignment = static_cast<std::uint32_t>(arch.dram.alignment.value);
    const DataFormat sums = part_format(schedule);
    const std::uint32_t finished = most_finished(plan.columns, plan.members);
    const std::uint32_t exchanged = plan.members == 1 ? 0 : 1;
    return {
        {valid_tiles::Cb::Input, DataFormat::Float16_b, {kRowUnits * extents.k_tiles, kBf16Tile}},
        {NearCb::Gathered,
         sums,
         {std::max(exchanged * kSumSlots * finished * plan.members, 1U), tile_bytes(sums)}},
        // Sums of two units, so that products go on while the ones before are sent.
        {NearCb::Sums, sums, {2 * plan.columns, tile_bytes(sums)}},
        {valid_tiles::Cb::SecondInput,
         DataFormat::Float16_b,
         {plan.weight_pushes * plan.k_push, kBf16Tile}},
        {valid_tiles::Cb::Output, DataFormat::Float16_b, {2 * plan.columns, kBf16Tile}},
        {valid_tiles::Cb::ZeroTile, DataFormat::Float16_b, {1, kBf16Tile}},
        {NearCb::Units, DataFormat::UInt32, {kUnitsAhead, alignment}},
        {valid_tiles::Cb::ReaderCounts, DataFormat::UInt32, {extents.experts, alignment}},
        {valid_tiles::Cb::WriterCounts, DataFormat::UInt32, {extents.experts, alignment}}};
}

/// A program that is being built.
struct Built {
    NearReaderTensors read;
    NearWriterTensors written;
    NearSemaphores semaphores = {};
    NearRectangle rectangle = {};
    std::vector<std::uint32_t> places = {};  ///< of all cores
    KernelHandle reader = {};
    KernelHandle compute = {};
    KernelHandle writer = {};
};

NearArgs near_args(const NearPlan& plan) {
    const std::uint32_t cores = plan.banks * plan.bank_cores;
    return {.banks = plan.banks,
            .column_step = plan.column_step,
            .members = plan.members,
            .bank_members = plan.bank_members,
            .pushes = plan.pushes,
            .columns = plan.columns,
            .weight_pushes = plan.weight_pushes,
            .holds_expert = plan.holds_expert ? 1U : 0U,
            .num_cores = cores,
            .row_parts = std::min(cores, kMostRowParts)};
}

void add_kernels(Program& program, const CoreRangeSet& cores, const BmmCall& call,
                 const NearPlan& plan, Built& built) {
    const NamedCompileArgs args =
        named(tile_args(call.tiles, call.inputs.num_routed_tokens),
              InnerArgs{.k_tiles = call.k_tiles, .k_block = plan.k_push}, near_args(plan));
    built.reader = CreateKernel(program, "ops/moe_bmm/kernels/near_reader.cpp", cores,
                                reader_config(args, built.read));
    ComputeConfig compute = compute_config(args, {.math_fidelity = call.schedule.math_fidelity,
                                                  .fp32_dest_acc_en = call.schedule.fp32_dest_acc});
    if (call.schedule.fp32_dest_acc) {
        // On its way through a source register a sum would be cut to TF32.
        unpack_to_fp32(compute, NearCb::Gathered);
    }
    built.compute = CreateKernel(program, "ops/moe_bmm/kernels/near_compute.cpp", cores, compute);
    built.writer = CreateKernel(program, "ops/moe_bmm/kernels/near_writer.cpp", cores,
                                writer_config(args, built.written));
}

/// The core that is beside a bank, by number.
struct CoreOfBank {
    std::uint32_t bank;
    std::uint32_t number;
};

/// Returns a core's part of the work. The cores beside a bank are numbered group by group.
NearShare share_of(const NearPlan& plan, const BmmExtents& extents, CoreOfBank core) {
    const std::uint32_t group = core.number / plan.bank_members;
    const std::uint32_t in_bank = core.number % plan.bank_members;
    const std::uint32_t in_class = extents.n_tiles / plan.column_step;
    const std::uint32_t first = in_class * group / plan.groups;
    const std::uint32_t end = in_class * (group + 1) / plan.groups;
    return {.bank = core.bank,
            .in_bank = in_bank,
            .member = core.bank / plan.column_step * plan.bank_members + in_bank,
            .number = core.number * plan.banks + core.bank,
            .first_column = core.bank % plan.column_step + first * plan.column_step,
            .num_columns = end - first};
}

/// Returns the numbers of the cores of a core's team, in the order of members.
std::vector<std::uint32_t> team_of(const NearPlan& plan, CoreOfBank core) {
    const std::uint32_t first = core.number / plan.bank_members * plan.bank_members;
    std::vector<std::uint32_t> numbers;
    numbers.reserve(plan.members);
    for (std::uint32_t bank = core.bank % plan.column_step; bank < plan.banks;
         bank += plan.column_step) {
        for (std::uint32_t i = 0; i < plan.bank_members; ++i) {
            numbers.push_back((first + i) * plan.banks + bank);
        }
    }
    return numbers;
}

void set_core_args(Program& program, const Built& built, const NearPlan& plan,
                   const BmmExtents& extents, CoreCoord core, CoreOfBank place) {
    const NearShare share = share_of(plan, extents, place);
    std::vector<std::uint32_t> team;
    for (const std::uint32_t number : team_of(plan, place)) {
        team.insert(team.end(), {built.places[2 * number], built.places[2 * number + 1]});
    }
    set_args(program, built.reader, core, addresses_of(built.read), share);
    set_args(program, built.compute, core, share);
    set_args(program, built.writer, core, addresses_of(built.written), share, built.semaphores,
             built.rectangle, team, built.places);
}

/// Adds the kernel of the cores that are beside no bank.
void add_zeros(Program& program, const BmmCall& call, const std::vector<CoreCoord>& cores) {
    const NearZeroTensors tensors{.output = &call.outputs.output.buffer,
                                  .counts = &call.inputs.num_routed_tokens.device.buffer};
    const KernelHandle kernel =
        CreateKernel(program, "ops/moe_bmm/kernels/near_zeros.cpp", set_of({cores}),
                     writer_config(tile_args(call.tiles, call.inputs.num_routed_tokens), tensors));
    for (std::uint32_t index = 0; index < cores.size(); ++index) {
        set_args(
            program, kernel, cores[index], addresses_of(tensors),
            NearZeroShare{.index = index, .num_cores = static_cast<std::uint32_t>(cores.size())});
    }
}

/// Returns the cores of the grid that are in no range.
std::vector<CoreCoord> idle_cores(GridSize grid, const CoreRangeSet& busy) {
    std::vector<CoreCoord> cores;
    for (std::uint32_t y = 0; y < grid.rows; ++y) {
        for (std::uint32_t x = 0; x < grid.columns; ++x) {
            if (!busy.contains(CoreCoord{x, y})) {
                cores.push_back({x, y});
            }
        }
    }
    return cores;
}

/// Returns whether the parameters of the other schedules have their default values.
bool has_default_blocks(const MoeBmmSpec& schedule) {
    return schedule.distribution == TileDistribution::Block &&
           schedule.split_by == SplitBy::Device && may_choose_sharing(schedule.grid) &&
           schedule.k_block == kDefaultBmmKBlock && schedule.k_split == 1 &&
           schedule.subblock == kDefaultSubblock && schedule.cb_depth == kDefaultBmmDepth;
}

}  // namespace

NearPlan near_plan(const ArchSpec& arch, const BmmExtents& extents, const MoeBmmSpec& schedule) {
    NearPlan plan{.banks = arch.dram.num_banks};
    plan.column_step = std::gcd(extents.n_tiles, plan.banks);
    const std::uint32_t in_class = std::max(extents.n_tiles / plan.column_step, 1U);
    const std::uint32_t most = schedule.bank_cores == 0 ? cores_of_bank(arch) : schedule.bank_cores;
    // More cores than columns share the K tiles of each column, at least one each.
    const std::uint32_t in_bank = extents.k_tiles / (plan.banks / plan.column_step);
    plan.bank_members = std::max(std::min(most / in_class, in_bank), 1U);
    plan.groups = std::min(most / plan.bank_members, in_class);
    plan.bank_cores = plan.groups * plan.bank_members;
    plan.members = plan.banks / plan.column_step * plan.bank_members;
    plan.columns = div_up(in_class, plan.groups);
    const std::uint32_t tiles = std::max(div_up(extents.k_tiles, plan.members), 1U);
    plan.k_push = div_up(tiles, div_up(tiles, tiles_of_push(kTilesInFlight, plan.bank_cores)));
    plan.pushes = div_up(tiles, plan.k_push);
    plan.holds_expert = true;
    plan.weight_pushes = kExpertsHeld * plan.columns * plan.pushes;
    if (bytes_of(near_buffers(arch, extents, plan, schedule)) > buffer_room(arch)) {
        plan.holds_expert = false;
        plan.weight_pushes = kColumnsHeld * plan.pushes;
    }
    return plan;
}

std::string near_banks_fault(const ArchSpec& arch, const BmmExtents& extents,
                             const MoeBmmSpec& schedule) {
    const std::uint32_t cores = arch.workers.compute.columns * arch.workers.compute.rows;
    // One core writes zeros at least.
    const std::uint32_t most = (cores - 1) / arch.dram.num_banks;
    if (most == 0) {
        return fmt::format("has {} cores for {} banks; allowed: one for each and one more", cores,
                           arch.dram.num_banks);
    }
    if (schedule.bank_cores > most) {
        return fmt::format("takes {} cores for each of {} banks; allowed: bank_cores 1 to {}",
                           schedule.bank_cores, arch.dram.num_banks, most);
    }
    const NearPlan plan = near_plan(arch, extents, schedule);
    if (extents.k_tiles < plan.members) {
        return fmt::format(
            "has {} tiles of K for the {} cores that share a column; allowed: at "
            "least one each",
            extents.k_tiles, plan.members);
    }
    const std::uint64_t bytes = bytes_of(near_buffers(arch, extents, plan, schedule));
    if (bytes > buffer_room(arch)) {
        return fmt::format("takes {} B of circular buffers; a core has {} B of L1 for them", bytes,
                           buffer_room(arch));
    }
    return {};
}

MoeBmmSpec chosen_schedule(const ArchSpec& arch, const BmmExtents& extents,
                           const MoeBmmSpec& schedule) {
    MoeBmmSpec chosen = schedule;
    if (schedule.schedule != BmmSchedule::Auto) {
        return chosen;
    }
    chosen.schedule = BmmSchedule::MultiCore;
    if (!has_default_blocks(schedule) || !near_banks_fault(arch, extents, schedule).empty()) {
        return chosen;
    }
    const NearPlan plan = near_plan(arch, extents, schedule);
    const std::uint64_t tiles = std::uint64_t{extents.k_tiles} * extents.n_tiles;
    const bool is_large = tiles >= std::uint64_t{kLeastTiles} * plan.banks * plan.bank_cores;
    if (is_large) {
        chosen.schedule = BmmSchedule::NearBanks;
    }
    return chosen;
}

Program near_banks_program(const BmmCall& call) {
    const ArchSpec& arch = call.arch;
    const BmmExtents extents{call.tiles.num_experts, call.k_tiles, call.tiles.column_tiles};
    const NearPlan plan = near_plan(arch, extents, call.schedule);
    const Buffer* counts = &call.inputs.num_routed_tokens.device.buffer;
    Built built{.read = {.weights = &call.inputs.expert_weights.buffer, .counts = counts},
                .written = {.rows = &call.inputs.input_hidden_state.buffer,
                            .output = &call.outputs.output.buffer,
                            .counts = counts}};
    const std::vector<std::vector<CoreCoord>> cores = cores_beside_banks(arch, plan.bank_cores);
    built.places = places_of(arch, cores);
    // Rows are sent to a rectangle, which has other cores too: their L1 must have room for them.
    const CoreRangeSet all = whole_grid(arch);
    Program program = CreateProgram();
    add_circular_buffers(program, all, near_buffers(arch, extents, plan, call.schedule));
    built.semaphores = near_semaphores(program, all);
    built.rectangle = near_rectangle(arch);
    const CoreRangeSet beside = set_of(cores);
    add_kernels(program, beside, call, plan, built);
    add_zeros(program, call, idle_cores(arch.workers.compute, beside));
    for (std::uint32_t number = 0; number < plan.bank_cores; ++number) {
        for (std::uint32_t bank = 0; bank < plan.banks; ++bank) {
            set_core_args(program, built, plan, extents, cores[number][bank], {bank, number});
        }
    }
    return program;
}

}  // namespace tessera::ops::moe_bmm
