// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/row_strips/split_strips.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/core_sharing.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "ops/shared/kernels/block_handshake_args.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/row_strips/kernels/args.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops {
namespace {

using SplitCb = row_strips::Cb;

constexpr std::uint32_t kMostMembers = 2 * kTileColumns;  // columns of the tiles of parts

std::uint32_t all_strips(const TensorSpec& input) {
    return div_up(row_length(input.shape), kStripColumns);
}

std::uint32_t all_units(const TensorSpec& input) {
    return div_up(num_rows(input.shape), kTileRows);
}

std::span<const SplitCb> statistics_of(const RowOperands& operands) {
    static constexpr std::array kStatistics{SplitCb::FirstStatistic, SplitCb::SecondStatistic,
                                            SplitCb::ThirdStatistic};
    return std::span(kStatistics).first(operands.statistics);
}

/// Returns the buffers of a core that has `strips` strips of a unit.
std::vector<CbPlan> tile_buffers(std::uint32_t strips, const RowOperands& operands,
                                 DataFormat output, std::uint32_t members) {
    constexpr auto kBf16 = DataFormat::Float16_b;
    constexpr auto kFloat = DataFormat::Float32;
    const std::uint32_t tiles = strips * kStripTiles;
    // Two strips of rows: one arrives while the other is tilized.
    std::vector<CbPlan> buffers{{SplitCb::Rows, kBf16, 2 * kStripTiles},
                                {SplitCb::Tiles, kBf16, tiles},
                                {SplitCb::Vectors, kBf16, tiles},
                                {SplitCb::Ones, kBf16, 1},
                                {SplitCb::High, kBf16, 1},
                                {SplitCb::Low, kBf16, 1},
                                // Statistics are fp32: a sum of a row has thousands of terms.
                                {SplitCb::Sums, kFloat, 1},
                                {SplitCb::Output, output, 2 * kStripTiles}};
    for (const SplitCb cb : statistics_of(operands)) {
        buffers.push_back({cb, kFloat, 1});
    }
    if (operands.vectors > 1) {
        buffers.push_back({SplitCb::SecondVector, kBf16, tiles});
    }
    if (members > 1) {
        buffers.push_back({SplitCb::Part, kFloat, 1});
        buffers.push_back({SplitCb::Gathered, kFloat, div_up(members, kTileColumns)});
        buffers.push_back({SplitCb::Merged, kFloat, 1});
    }
    return buffers;
}

std::uint32_t vector_row_bytes(std::uint32_t strips) {
    return fp8::aligned(strips * kStripColumns * 2);
}

std::uint64_t buffer_bytes(const TensorSpec& input, ColumnSplit split,
                           const RowOperands& operands) {
    const std::uint32_t strips = div_up(all_strips(input), split.members());
    // Outputs may be float32, which the widest case covers.
    return vector_row_bytes(strips) +
           bytes_of(tile_buffers(strips, operands, DataFormat::Float32, split.members()));
}

/// Returns how many rectangles the grid holds, side by side and one above the other.
std::uint32_t capacity(CoreCoord grid, ColumnSplit split) {
    return static_cast<std::uint32_t>(grid.x / split.columns * (grid.y / split.rows));
}

/// Returns the work of the slowest core, in strips: those that it computes one after the other, and
/// the exchange of statistics, which takes about as long as a strip.
std::uint64_t work_of(CoreCoord grid, ColumnSplit split, const TensorSpec& input) {
    const std::uint32_t rounds = div_up(all_units(input), capacity(grid, split));
    const std::uint32_t strips = div_up(all_strips(input), split.members());
    return std::uint64_t{rounds} * (strips + (split.members() > 1 ? 1 : 0));
}

std::vector<ColumnSplit> splits_of(CoreCoord grid, std::uint32_t most) {
    std::vector<ColumnSplit> splits;
    for (std::uint32_t rows = 1; rows <= grid.y; ++rows) {
        for (std::uint32_t columns = 1; columns <= grid.x && columns * rows <= most; ++columns) {
            splits.push_back({columns, rows});
        }
    }
    return splits;
}

/// Semaphores of a split.
struct SplitSemaphores {
    std::uint32_t parts = 0;
    std::uint32_t replies = 0;
    std::uint32_t flag = 0;
};

/// One rectangle of cores, and the units that it takes.
struct Rectangle {
    CoreCoord first;
    std::uint32_t first_unit = 0;
    std::uint32_t num_units = 0;
};

/// A program that is being built.
struct SplitProgram {
    const ArchSpec& arch;
    const SplitStrips& strips;
    ColumnSplit split;
    std::uint32_t num_rectangles = 0;
    SplitSemaphores semaphores = {};
    KernelHandle reader = {};
    KernelHandle compute = {};
    KernelHandle writer = {};
};

row_strips::ReaderTensors reader_tensors(const SplitStrips& strips) {
    return {.input = &strips.input.buffer,
            .first_operand = &strips.vectors.at(0)->buffer,
            .second_operand = strips.vectors.size() > 1 ? &strips.vectors[1]->buffer : nullptr};
}

row_strips::SplitWriterTensors writer_tensors(const SplitStrips& strips) {
    return {.output = &strips.output.buffer};
}

NamedCompileArgs split_reader_args(const SplitStrips& strips) {
    const TensorSpec& in = strips.input.spec;
    return named(
        // All columns of a row count.
        row_strips::RowsArgs{.count = num_rows(in.shape),
                             .columns = row_length(in.shape),
                             .element = element_bytes(in.format),
                             .fill = 0,
                             .visible_rows = 0,
                             .visible_period = 1,
                             .first_visible = 1},
        row_strips::SplitArgs{.num_vectors = strips.operands().vectors,
                              .num_statistics = strips.operands().statistics});
}

ComputeConfig split_compute_config(const SplitStrips& strips, ColumnSplit split) {
    ComputeConfig config{.fp32_dest_acc_en = true};
    config.named_compile_args = strips.compute_args;
    // Float32 that the vector unit works on; through a source register it would lose 13 bits.
    unpack_to_fp32(config, SplitCb::Sums);
    for (const SplitCb cb : statistics_of(strips.operands())) {
        unpack_to_fp32(config, cb);
    }
    if (split.members() > 1) {
        unpack_to_fp32(config, SplitCb::Gathered);
    }
    return config;
}

void add_kernels(Program& program, const CoreRangeSet& cores, SplitProgram& built) {
    const SplitStrips& strips = built.strips;
    const row_strips::SplitWriterArgs writing{
        .rows = num_rows(strips.input.spec.shape),
        .columns = row_length(strips.input.spec.shape),
        .element_bytes = element_bytes(strips.output.spec.format)};
    built.reader = CreateKernel(program, "ops/shared/row_strips/kernels/split_reader.cpp", cores,
                                reader_config(split_reader_args(strips), reader_tensors(strips)));
    built.compute =
        CreateKernel(program, strips.compute, cores, split_compute_config(strips, built.split));
    built.writer = CreateKernel(program, "ops/shared/row_strips/kernels/split_writer.cpp", cores,
                                writer_config(writing, writer_tensors(strips)));
}

/// Returns the arguments of a member's end of the handshake of statistics. The reader's NoC routes
/// from the first corner of a rectangle on.
std::vector<std::uint32_t> handshake_of(const SplitProgram& built, CoreCoord leader,
                                        std::uint32_t member) {
    const CoreCoord start = on_noc(built.arch, leader);
    if (member != 0) {
        return words_of(BlockReceiverArgs{.sender_x = static_cast<std::uint32_t>(start.x),
                                          .sender_y = static_cast<std::uint32_t>(start.y),
                                          .replies_semaphore = built.semaphores.replies,
                                          .flag_semaphore = built.semaphores.flag});
    }
    const CoreCoord end =
        on_noc(built.arch, {leader.x + built.split.columns - 1, leader.y + built.split.rows - 1});
    const std::uint32_t others = built.split.members() - 1;
    return words_of(BlockSenderArgs{.start_x = static_cast<std::uint32_t>(start.x),
                                    .start_y = static_cast<std::uint32_t>(start.y),
                                    .end_x = static_cast<std::uint32_t>(end.x),
                                    .end_y = static_cast<std::uint32_t>(end.y),
                                    .num_receivers = others,
                                    .num_replies = others,
                                    .replies_semaphore = built.semaphores.replies,
                                    .flag_semaphore = built.semaphores.flag,
                                    .flushes = 1});
}

void set_rectangle_args(Program& program, const SplitProgram& built, const Rectangle& rectangle) {
    const std::uint32_t members = built.split.members();
    const std::uint32_t strips = all_strips(built.strips.input.spec);
    const CoreCoord leader = on_noc(built.arch, rectangle.first);
    for (std::uint32_t member = 0; member < members; ++member) {
        const CoreCoord core{rectangle.first.x + member % built.split.columns,
                             rectangle.first.y + member / built.split.columns};
        const std::uint32_t first = strips * member / members;
        const row_strips::ColumnShare share{.first_unit = rectangle.first_unit,
                                            .unit_step = built.num_rectangles,
                                            .num_units = rectangle.num_units,
                                            .first_strip = first,
                                            .num_strips = strips * (member + 1) / members - first};
        const row_strips::SplitMember self{.member = member, .members = members};
        set_args(program, built.reader, core, share, self,
                 row_strips::PartsArgs{.leader_x = static_cast<std::uint32_t>(leader.x),
                                       .leader_y = static_cast<std::uint32_t>(leader.y),
                                       .parts_semaphore = built.semaphores.parts},
                 addresses_of(reader_tensors(built.strips)),
                 handshake_of(built, rectangle.first, member));
        set_args(program, built.compute, core, share, self);
        set_args(program, built.writer, core, share, addresses_of(writer_tensors(built.strips)));
    }
}

/// Returns the rectangles that units go to in turn: as many as the grid holds, or as there are
/// units.
std::vector<Rectangle> rectangles_of(CoreCoord grid, ColumnSplit split, std::uint32_t units) {
    const std::uint32_t number = std::min(capacity(grid, split), units);
    const auto across = static_cast<std::uint32_t>(grid.x / split.columns);
    std::vector<Rectangle> rectangles;
    for (std::uint32_t i = 0; i < number; ++i) {
        rectangles.push_back({.first = {i % across * split.columns, i / across * split.rows},
                              .first_unit = i,
                              .num_units = div_up(units - i, number)});
    }
    return rectangles;
}

CoreRangeSet cores_of(const std::vector<Rectangle>& rectangles, ColumnSplit split) {
    std::vector<CoreRange> ranges;
    ranges.reserve(rectangles.size());
    for (const Rectangle& rectangle : rectangles) {
        ranges.emplace_back(rectangle.first, CoreCoord{rectangle.first.x + split.columns - 1,
                                                       rectangle.first.y + split.rows - 1});
    }
    return CoreRangeSet(ranges);
}

}  // namespace

std::optional<ColumnSplit> column_split(const ArchSpec& arch, const SplitSchedule& schedule,
                                        const TensorSpec& input, const RowOperands& operands) {
    const CoreCoord grid = schedule_grid("split", arch, schedule.grid);
    std::optional<ColumnSplit> best;
    for (const ColumnSplit split : splits_of(grid, std::min(all_strips(input), kMostMembers))) {
        const bool is_stated = schedule.split == 0 || schedule.split == split.members();
        if (!is_stated || buffer_bytes(input, split, operands) > buffer_room(arch)) {
            continue;
        }
        // Fewer cores come first, and win if more of them would not be faster, or if the step may
        // be moved.
        const bool is_chosen = schedule.split != 0 || may_choose_sharing(schedule.grid);
        const auto cost = [&](ColumnSplit other) {
            return std::pair(is_chosen ? work_of(grid, other, input) : 0, other.members());
        };
        if (!best || cost(split) < cost(*best)) {
            best = split;
        }
    }
    return best;
}

void judge_split_strips(const ArchSpec& arch, const SplitSchedule& schedule,
                        const TensorSpec& input, const RowOperands& operands, RuleJudge& judge) {
    if (!judge_grid(arch, schedule.grid, judge)) {
        return;
    }
    const bool has_split = column_split(arch, schedule, input, operands).has_value();
    const bool is_free = schedule.split == 0;
    const CoreCoord grid = schedule_grid("split", arch, schedule.grid);
    const std::uint32_t most = std::min(all_strips(input), kMostMembers);
    judge.require(
        has_split || is_free, "split",
        fmt::format("is {}; allowed: 0, or the cores of a rectangle of the {}×{} grid, at most {}, "
                    "whose parts of {} columns fit in L1",
                    schedule.split, grid.x, grid.y, most, row_length(input.shape)));
    judge.require(
        has_split || !is_free, "input",
        fmt::format("with rows of {} elements does not fit in the L1 of the grid's cores; "
                    "a core has {} B of L1 for circular buffers",
                    row_length(input.shape), buffer_room(arch)));
}

Program split_strips_program(std::string_view op, const ArchSpec& arch, const SplitStrips& strips,
                             const SplitSchedule& schedule) {
    const TensorSpec& in = strips.input.spec;
    const auto split = column_split(arch, schedule, in, strips.operands());
    ensure(split.has_value(), "{}: the rules allowed a split that is not there", op);
    const auto rectangles =
        rectangles_of(schedule_grid(op, arch, schedule.grid), *split, all_units(in));
    const CoreRangeSet cores = cores_of(rectangles, *split);

    Program program = CreateProgram();
    const std::uint32_t most = div_up(all_strips(in), split->members());
    add_circular_buffers(
        program, cores,
        tile_buffers(most, strips.operands(), strips.output.spec.format, split->members()));
    add_circular_buffer(program, cores, SplitCb::VectorRow, DataFormat::UInt32,
                        {1, vector_row_bytes(most)});
    SplitProgram built{.arch = arch,
                       .strips = strips,
                       .split = *split,
                       .num_rectangles = static_cast<std::uint32_t>(rectangles.size())};
    if (split->members() > 1) {
        built.semaphores = {CreateSemaphore(program, cores, 0), CreateSemaphore(program, cores, 0),
                            CreateSemaphore(program, cores, 0)};
    }
    add_kernels(program, cores, built);
    for (const Rectangle& rectangle : rectangles) {
        set_rectangle_args(program, built, rectangle);
    }
    return program;
}

}  // namespace tessera::ops
