// SPDX-License-Identifier: Apache-2.0
#include "ops/to_layout/to_layout.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/moved_values.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"
#include "ops/to_layout/kernels/args.hpp"

namespace tessera::ops::to_layout {
namespace {

/// The tensor as a stack of matrices, and how rows of tiles are cut into blocks.
struct Blocks {
    std::uint32_t matrices = 0;
    std::uint32_t rows = 0;     ///< rows of one matrix
    std::uint32_t columns = 0;  ///< columns of one matrix
    std::uint32_t tile_rows = 0;
    std::uint32_t tile_columns = 0;
    std::uint32_t block_tiles = 0;  ///< tiles of one block
    std::uint32_t per_tile_row = 0;

    [[nodiscard]] std::uint32_t count() const { return matrices * tile_rows * per_tile_row; }
};

Blocks matrices_of(const Shape& shape) {
    // Tensors of rank 0 and 1 are one row.
    Blocks blocks;
    blocks.columns = shape.empty() ? 1 : shape.back();
    blocks.rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
    // All axes but the last two form a stack: tiles do not cross matrices.
    blocks.matrices = static_cast<std::uint32_t>(num_elements(shape) /
                                                 (std::uint64_t{blocks.rows} * blocks.columns));
    blocks.tile_rows = div_up(blocks.rows, kTileRows);
    blocks.tile_columns = div_up(blocks.columns, kTileColumns);
    return blocks;
}

/// Returns the bytes that a pair of circular buffers of `cb_depth` blocks of one tile takes.
std::uint64_t bytes_of_a_tile(DataFormat format, std::uint32_t cb_depth) {
    return std::uint64_t{2} * cb_depth * tile_bytes(format);
}

/// Returns half of the free L1, which is for circular buffers; the other half is left to tensors in
/// L1.
std::uint64_t half_of_room(const ArchSpec& arch) {
    return buffer_room(arch) / 2;
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<CopySpec>();
    judge_grid(context.arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
    const std::uint64_t bytes =
        bytes_of_a_tile(context.inputs[only(kInputs)].spec.format, schedule.cb_depth);
    judge.require(bytes <= half_of_room(context.arch), "cb_depth",
                  fmt::format("{} with blocks of one tile takes {} B of circular buffers; a core "
                              "has {} B of L1 for them",
                              schedule.cb_depth, bytes, half_of_room(context.arch)));
}

/// Returns the widest block that fits `cb_depth` times into both circular buffers.
std::uint32_t widest_block(const ArchSpec& arch, DataFormat format, std::uint32_t cb_depth) {
    // Both buffers must hold the block cb_depth times, since reading, compute and writing overlap.
    const std::uint64_t widest = half_of_room(arch) / bytes_of_a_tile(format, cb_depth);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(widest, UINT32_MAX));
}

// A block is read, converted and written in turn, so that a core needs several for these to overlap.
// Rows of 64 tiles took 1.16 times as long to tilize as one block, and 1.12 times to untilize.
constexpr std::uint32_t kWidestBlock = 16;

/// Splits rows of tiles so that a block fits in L1, is no wider than kWidestBlock and, if possible,
/// every core has one. Blocks of a row have one size (the last may extend beyond the row), because
/// every push into a circular buffer must divide its pages.
Blocks cut_blocks(const ArchSpec& arch, const TensorSpec& spec, const CopySpec& schedule) {
    const CoreCoord grid = schedule_grid(kSpec.name, arch, schedule.grid);
    Blocks blocks = matrices_of(spec.shape);
    // The number of blocks that keeps each within L1.
    const std::uint32_t fewest =
        div_up(blocks.tile_columns, widest_block(arch, spec.format, schedule.cb_depth));
    // Few rows of tiles leave cores idle, so rows are split until each core has a block.
    const std::uint32_t one_a_core = div_up(grid.x * grid.y, blocks.matrices * blocks.tile_rows);
    const std::uint32_t wanted = std::max(fewest, std::min(blocks.tile_columns, one_a_core));
    blocks.block_tiles = std::min(div_up(blocks.tile_columns, wanted), kWidestBlock);
    blocks.per_tile_row = div_up(blocks.tile_columns, blocks.block_tiles);
    return blocks;
}

/// Returns the arguments of both kernels that move rows: they have the same blocks, so zeros and
/// padding agree.
RowArgs row_args(const Blocks& blocks, DataFormat format) {
    const std::uint32_t element = element_bytes(format);
    return {.matrix_rows = blocks.rows,
            .row_bytes = blocks.columns * element,
            .block_tiles = blocks.block_tiles,
            .blocks_per_row = blocks.per_tile_row,
            .block_bytes = blocks.block_tiles * kTileColumns * element};
}

/// Returns the arguments of both kernels that move tiles.
TileArgs tile_args(const Blocks& blocks) {
    return {.tile_columns = blocks.tile_columns,
            .block_tiles = blocks.block_tiles,
            .blocks_per_row = blocks.per_tile_row};
}

/// 4-byte elements travel as integers: as Float32 the source registers would cut them to TF32.
DataFormat format_in_transit(DataFormat format) {
    return format == DataFormat::Float32 ? DataFormat::UInt32 : format;
}

void add_circular_buffers(Program& program, const CoreRangeSet& cores, const Blocks& blocks,
                          DataFormat format, std::uint32_t cb_depth) {
    // Input and output have the same tiles, only in another order.
    for (const Cb cb : {Cb::Input, Cb::Output}) {
        add_circular_buffer(program, cores, cb, format_in_transit(format),
                            {cb_depth * blocks.block_tiles, tile_bytes(format)});
    }
}

struct Kernels {
    KernelHandle reader;
    KernelHandle compute;
    KernelHandle writer;
};

Kernels add_kernels(Program& program, const CoreRangeSet& cores, const Blocks& blocks,
                    const DeviceTensor& input, const DeviceTensor& output) {
    const bool to_tiles = output.spec.layout == Layout::TILE;
    const DataFormat format = input.spec.format;
    const ReaderTensors read{.input = &input.buffer};
    const WriterTensors written{.output = &output.buffer};
    // 4-byte elements need a 32-bit DST.
    const ComputeConfig compute =
        compute_config(ComputeArgs{.block_tiles = blocks.block_tiles},
                       {.fp32_dest_acc_en = format == DataFormat::Float32});
    if (to_tiles) {
        return {CreateKernel(program, "ops/to_layout/kernels/row_reader.cpp", cores,
                             reader_config(row_args(blocks, format), read)),
                CreateKernel(program, "ops/to_layout/kernels/tilize.cpp", cores, compute),
                CreateKernel(program, "ops/to_layout/kernels/tile_writer.cpp", cores,
                             writer_config(tile_args(blocks), written))};
    }
    return {CreateKernel(program, "ops/to_layout/kernels/tile_reader.cpp", cores,
                         reader_config(tile_args(blocks), read)),
            CreateKernel(program, "ops/to_layout/kernels/untilize.cpp", cores, compute),
            CreateKernel(program, "ops/to_layout/kernels/row_writer.cpp", cores,
                         writer_config(row_args(blocks, format), written))};
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs[only(kInputs)].spec;
    output.layout = output.layout == Layout::TILE ? Layout::ROW_MAJOR : Layout::TILE;
    return {{.spec = output}};
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& schedule = context.params<CopySpec>();
    const DeviceTensor& input = context.device_inputs[only(kInputs)][position];
    const DeviceTensor& output = context.device_outputs[only(kOutputs)][position];
    const Blocks blocks = cut_blocks(context.arch, input.spec, schedule);
    const SharedWork work = share_work(kSpec.name, context.arch, schedule.grid, blocks.count());
    Program program = CreateProgram();
    add_circular_buffers(program, work.cores, blocks, input.spec.format, schedule.cb_depth);
    const Kernels kernels = add_kernels(program, work.cores, blocks, input, output);
    for (const WorkShare& share : work.shares) {
        const BlockRange range{.first_block = share.first, .num_blocks = share.count};
        set_args(program, kernels.reader, share.core,
                 addresses_of(ReaderTensors{.input = &input.buffer}), range);
        set_args(program, kernels.compute, share.core, BlockCount{.num_blocks = share.count});
        set_args(program, kernels.writer, share.core,
                 addresses_of(WriterTensors{.output = &output.buffer}), range);
    }
    return program;
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<CopySpec>(kCopyFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .reference = first_input};
    return kOp;
}

}  // namespace tessera::ops::to_layout
