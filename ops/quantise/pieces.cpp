// SPDX-License-Identifier: Apache-2.0
// Quantises rows that have their own scales, in pieces of 128 columns. Pieces are distributed over
// all cores, even if there are few rows. A strip of the vector unit is 32 pieces of any rows.
#include <algorithm>
#include <bit>

#include "emu/base/round_up.hpp"
#include "ops/quantise/quantise.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::quantise {
namespace {

constexpr std::uint32_t kPieceTiles = fp8::kBlock / kTileColumns;
constexpr std::uint32_t kPieceTile = tile_bytes(DataFormat::Float32);
constexpr std::uint32_t kHalfTile = tile_bytes(DataFormat::Float16_b);

/// Context from which a program is built.
struct PieceWork {
    const QuantiseSpec& spec;
    TensorSpec input;
    PieceArgs args;
    std::uint32_t strips;  ///< of a group
    CountedRows counted;
    SharedWork work;
};

std::uint64_t strip_bytes() {
    return std::uint64_t{kPieceTiles} * kPieceTile;
}

/// Rows that share a core's turn: as many as keep the strips of the busiest core few. Pieces of a row
/// stay together, and leave part of a strip empty if the rows of a group do not fill it.
std::uint32_t rows_of_group(std::uint32_t rows, std::uint32_t pieces, std::uint32_t cores,
                            std::uint64_t room) {
    // Two groups of strips and their scales take at most a half of L1.
    const auto most_strips = static_cast<std::uint32_t>(room / 2 / (3 * strip_bytes()));
    const auto strips_of = [&](std::uint32_t each) { return div_up(each * pieces, kTileRows); };
    const auto strips_of_core = [&](std::uint32_t each) {
        return div_up(div_up(rows, each), cores) * strips_of(each);
    };
    std::uint32_t best = 1;
    for (std::uint32_t each = 2; each <= std::min(div_up(rows, cores), kTileRows); ++each) {
        const bool has_room = strips_of(each) <= std::max(most_strips, 1U);
        best = has_room && strips_of_core(each) < strips_of_core(best) ? each : best;
    }
    return best;
}

/// Pieces that share a core's turn: as few as give every core some.
std::uint32_t group_of(const OpContext& context, std::uint32_t rows, std::uint32_t pieces,
                       std::uint32_t cores) {
    return context.params<QuantiseSpec>().block == ScaleBlock::Row
               ? pieces * rows_of_group(rows, pieces, cores, buffer_room(context.arch))
               : std::clamp(div_up(rows * pieces, cores), 1U, kTileRows);
}

PieceWork piece_work(const OpContext& context) {
    const auto& spec = context.params<QuantiseSpec>();
    const TensorSpec& input = context.inputs["input"_in].spec;
    const std::uint32_t rows = num_rows(input.shape);
    const std::uint32_t pieces = div_up(input.shape.back(), fp8::kBlock);
    const CoreCoord grid = schedule_grid(kSpec.name, context.arch, spec.grid);
    const std::uint32_t group = group_of(context, rows, pieces, grid.x * grid.y);
    const TensorPlan* counts = context.has("counts"_in) ? &context.inputs["counts"_in] : nullptr;
    return {.spec = spec,
            .input = input,
            .args = {.columns = input.shape.back(),
                     .pieces = pieces,
                     .group_pieces = group,
                     .num_pieces = rows * pieces},
            .strips = div_up(group, kTileRows),
            .counted = counted_rows(context.arch, input.shape, counts, spec.counted_by),
            .work = share_work(kSpec.name, context.arch, spec.grid, div_up(rows * pieces, group))};
}

/// Tiles of scales of a group: rows that are alone in their strips have one for all.
std::uint32_t scale_tiles(const PieceWork& work) {
    return work.args.group_pieces > work.args.pieces ? work.strips : 1;
}

std::uint32_t scale_stride(const PieceWork& work) {
    return fp8::aligned(4 * (work.spec.block == ScaleBlock::Row ? 1 : work.args.pieces));
}

void add_buffers_of(Program& program, const PieceWork& pieces, DataFormat codes,
                    std::uint32_t alignment) {
    const auto add = [&](Cb cb, DataFormat of, std::uint32_t bytes, std::uint32_t pages) {
        add_circular_buffer(program, pieces.work.cores, cb, of, {pages, bytes});
    };
    const DataFormat format = pieces.input.format;
    add(Cb::Rows, format, tile_bytes(format), 2 * kPieceTiles);
    // fp32, so that neither input format is rounded before the codes are made.
    // Two groups: one waits for its scales while the largest magnitudes of the next are found.
    for (const Cb values : {Cb::Values, Cb::OtherValues}) {
        add(values, DataFormat::Float32, kPieceTile, pieces.strips * kPieceTiles);
    }
    add(Cb::Ones, DataFormat::Float16_b, kHalfTile, 1);
    add(Cb::Partial, DataFormat::Float16_b, kHalfTile, 1);
    add(Cb::Largest, DataFormat::Float32, kPieceTile, 2);
    mark_steering(program, Cb::Largest);
    add(Cb::Scale, DataFormat::Float32, kPieceTile, 2 * scale_tiles(pieces));
    add(Cb::Output, codes, tile_bytes(codes), 2 * kPieceTiles);
    add(Cb::Scales, DataFormat::UInt32, scale_stride(pieces), kTileRows);
    // Rows of a core's pieces; the first and the last one may be shared with other cores.
    const std::uint32_t rows =
        pieces.work.shares.front().count * pieces.args.group_pieces / pieces.args.pieces + 2;
    const Scratch scratch[]{{Cb::ReaderCounts, pieces.counted.table_bytes(rows)},
                            {Cb::WriterCounts, pieces.counted.table_bytes(rows)},
                            {Cb::Exchange, 4}};
    add_scratch(program, pieces.work.cores, scratch, alignment);
}

Largest largest_of(const PieceWork& pieces) {
    if (pieces.spec.block == ScaleBlock::Static) {
        return Largest::None;
    }
    // The matrix unit would cut magnitudes of float32.
    return pieces.input.format == DataFormat::Float16_b ? Largest::OfRows : Largest::OfColumns;
}

ComputeConfig compute_config_of(const PieceWork& pieces) {
    ComputeConfig config = compute_config(pieces.spec, pieces.strips);
    config.named_compile_args = named(PieceComputeArgs{.strips = pieces.strips,
                                                       .form = index_of(form_of(pieces.spec)),
                                                       .largest = index_of(largest_of(pieces)),
                                                       .scale_tiles = scale_tiles(pieces)});
    config.unpack_to_dest_mode.resize(index_of(Cb::OtherValues) + 1U, UnpackToDestMode::Default);
    config.unpack_to_dest_mode[index_of(Cb::OtherValues)] = UnpackToDestMode::UnpackToDestFp32;
    return config;
}

PieceWriterArgs writer_args_of(const PieceWork& pieces, DataFormat codes) {
    return {.block = static_cast<std::uint32_t>(pieces.spec.block),
            .largest = index_of(largest_of(pieces)),
            .rule = static_cast<std::uint32_t>(pieces.spec.rule),
            .scale_stride = scale_stride(pieces),
            .code_bytes = element_bytes(codes),
            .most_bits = std::bit_cast<std::uint32_t>(largest_code(pieces.spec.codes)),
            .scale_tiles = scale_tiles(pieces)};
}

}  // namespace

const Buffer* given_input(const OpContext& context, std::size_t operand, std::size_t position) {
    return is_given(context.device_inputs, operand)
               ? &context.device_inputs[operand][position].buffer
               : nullptr;
}

bool is_in_pieces(ScaleBlock block) {
    return block == ScaleBlock::Row || block == ScaleBlock::Row128 || block == ScaleBlock::Static;
}

std::uint32_t strips_of_pieces(const TensorSpec& input, ScaleBlock block) {
    const std::uint32_t pieces = div_up(input.shape.back(), fp8::kBlock);
    return block == ScaleBlock::Row ? div_up(pieces, kTileRows) : 1;
}

Program pieces_program(const OpContext& context, std::size_t position) {
    const PieceWork pieces = piece_work(context);
    const DeviceTensor& codes = context.device_outputs["codes"_out][position];
    const bool has_scales = pieces.spec.block != ScaleBlock::Static;
    const ReaderTensors read{.input = &context.device_inputs["input"_in][position].buffer,
                             .counts = given_input(context, "counts"_in, position)};
    const WriterTensors written{
        .codes = &codes.buffer,
        .scales = has_scales ? &context.device_outputs["scale"_out][position].buffer : nullptr,
        .counts = read.counts,
        .static_scale = given_input(context, "static_scale"_in, position)};
    const CoreRangeSet& cores = pieces.work.cores;
    Program program = CreateProgram();
    add_buffers_of(program, pieces, codes.spec.format, dram_alignment(context.arch));
    const NamedCompileArgs counted = named(pieces.counted.args());
    const PieceReaderArgs own{.element_bytes = element_bytes(pieces.input.format)};
    const KernelHandle reader =
        CreateKernel(program, "ops/quantise/kernels/pieces_reader.cpp", cores,
                     reader_config(named(pieces.args, own, counted), read));
    const KernelHandle compute = CreateKernel(program, "ops/quantise/kernels/pieces_compute.cpp",
                                              cores, compute_config_of(pieces));
    const KernelHandle writer = CreateKernel(
        program, "ops/quantise/kernels/pieces_writer.cpp", cores,
        writer_config(named(pieces.args, writer_args_of(pieces, codes.spec.format), counted),
                      written));
    for (const WorkShare& share : pieces.work.shares) {
        const GroupRange range{.first_group = share.first, .num_groups = share.count};
        set_args(program, reader, share.core, range, addresses_of(read));
        set_args(program, compute, share.core, BlockCount{.num_blocks = share.count});
        set_args(program, writer, share.core, range, addresses_of(written));
    }
    return program;
}

}  // namespace tessera::ops::quantise
