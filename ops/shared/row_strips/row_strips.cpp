// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/row_strips/row_strips.hpp"

#include <tbb/parallel_for.h>

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/row_strips/kernels/args.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops {
namespace {

using StripCb = row_strips::Cb;

constexpr std::uint32_t kStripBf16Tile = tile_bytes(DataFormat::Float16_b);
constexpr std::uint32_t kStripFloatTile = tile_bytes(DataFormat::Float32);
// Sums whose bits the vector unit uses all.
constexpr std::array kStripFloats{StripCb::Sums, StripCb::FirstStatistic, StripCb::SecondStatistic};

std::uint32_t strips_of(std::uint32_t columns) {
    return div_up(columns, kStripColumns);
}

std::uint64_t strip_buffer_bytes(const TensorSpec& input) {
    // Rows are kept whole: statistics need all of a row before its first element can be scaled.
    const std::uint64_t tiles = std::uint64_t{strips_of(row_length(input.shape))} * kStripTiles;
    return tiles * tile_bytes(input.format) +
           std::uint64_t{2} * kStripTiles * (tile_bytes(input.format) + kStripFloatTile) +
           3 * kStripBf16Tile + 3 * kStripFloatTile + fp8::aligned(2 * row_length(input.shape));
}

void add_strip_buffers(Program& program, const CoreRangeSet& cores, const RowStrips& strips) {
    const DataFormat in = strips.input.spec.format;
    const DataFormat out = strips.output.spec.format;
    const std::uint32_t columns = row_length(strips.input.spec.shape);
    const std::uint32_t tiles = strips_of(columns) * kStripTiles;
    const auto add = [&](auto cb, DataFormat format, std::uint32_t pages) {
        add_circular_buffer(program, cores, cb, format, {pages, tile_bytes(format)});
    };
    // Two strips of rows: one arrives while the other is tilized.
    add(StripCb::Rows, in, 2 * kStripTiles);
    add(StripCb::Tiles, in, tiles);
    for (const StripBuffer& buffer : strips.buffers) {
        add(buffer.cb, buffer.format, buffer.tiles);
    }
    for (const StripCb cb : {StripCb::Ones, StripCb::High, StripCb::Low}) {
        add(cb, DataFormat::Float16_b, 1);
    }
    // Statistics are fp32: a sum of a row may have thousands of terms.
    for (const StripCb cb : kStripFloats) {
        add(cb, DataFormat::Float32, 1);
    }
    add_circular_buffer(program, cores, StripCb::VectorRow, DataFormat::UInt32,
                        {1, fp8::aligned(2 * columns)});
    add(StripCb::Output, out, 2 * kStripTiles);
}

ComputeConfig strip_compute_config(const RowStrips& strips) {
    const row_strips::StripArgs args{.strips = strips_of(row_length(strips.input.spec.shape))};
    ComputeConfig config{.fp32_dest_acc_en = true};
    config.named_compile_args = named(args, strips.compute_args);
    // Float32 that the vector unit works on; through a source register it would lose 13 bits.
    for (const StripCb cb : kStripFloats) {
        unpack_to_fp32(config, cb);
    }
    if (strips.input.spec.format == DataFormat::Float32) {
        unpack_to_fp32(config, StripCb::Rows);
        unpack_to_fp32(config, StripCb::Tiles);
    }
    for (const StripBuffer& buffer : strips.buffers) {
        if (buffer.format == DataFormat::Float32) {
            unpack_to_fp32(config, buffer.cb);
        }
    }
    return config;
}

/// Returns the arguments of any reader over strips, and those of the op's own one.
NamedCompileArgs reader_args(const RowStrips& strips) {
    const TensorSpec& in = strips.input.spec;
    return named(row_strips::RowsArgs{.count = num_rows(in.shape),
                                      .columns = row_length(in.shape),
                                      .element = element_bytes(in.format),
                                      .fill = strips.fill,
                                      .visible_rows = strips.visible_rows,
                                      .visible_period = strips.visible_period,
                                      .first_visible = strips.first_visible},
                 strips.reader_args);
}

}  // namespace

void judge_row_strips(const ArchSpec& arch, GridSize grid, const TensorSpec& input,
                      std::uint64_t other_bytes, RuleJudge& judge) {
    judge_grid(arch, grid, judge);
    // A row must fit in L1 as tiles, because it is read once and used two or three times.
    const std::uint64_t bytes = strip_buffer_bytes(input) + other_bytes;
    judge.require(bytes <= buffer_room(arch), "input",
                  fmt::format("with rows of {} elements takes {} B of circular buffers; a core has "
                              "{} B of L1 for them",
                              row_length(input.shape), bytes, buffer_room(arch)));
}

std::uint64_t bytes_of(const std::vector<StripBuffer>& buffers) {
    std::uint64_t bytes = 0;
    for (const StripBuffer& buffer : buffers) {
        bytes += std::uint64_t{buffer.tiles} * tile_bytes(buffer.format);
    }
    return bytes;
}

Program row_strips_program(std::string_view op, const ArchSpec& arch, const RowStrips& strips,
                           GridSize grid) {
    const TensorSpec& in = strips.input.spec;
    const std::uint32_t rows = num_rows(in.shape);
    // Rows are split by 32, as a tile has them; a core never shares a tile of rows.
    const SharedWork work = share_work(op, arch, grid, div_up(rows, kTileRows));
    const auto operand = [&](std::size_t i) {
        return i < strips.operands.size() ? &strips.operands[i]->buffer : nullptr;
    };
    const row_strips::ReaderTensors tensors{
        .input = &strips.input.buffer, .first_operand = operand(0), .second_operand = operand(1)};
    const fp8::StripWriterArgs writing{.rows = rows,
                                       .columns = row_length(in.shape),
                                       .element_bytes = element_bytes(strips.output.spec.format)};
    const fp8::StripWriterTensors written{.output = &strips.output.buffer};

    Program program = CreateProgram();
    add_strip_buffers(program, work.cores, strips);
    const KernelHandle reader = CreateKernel(program, strips.reader, work.cores,
                                             reader_config(reader_args(strips), tensors));
    const KernelHandle compute =
        CreateKernel(program, strips.compute, work.cores, strip_compute_config(strips));
    // Rows of tiles leave a core as those of fp8_dequantise do.
    const KernelHandle writer = CreateKernel(program, "ops/fp8_dequantise/kernels/writer.cpp",
                                             work.cores, writer_config(writing, written));
    for (const WorkShare& share : work.shares) {
        set_args(program, reader, share.core,
                 row_strips::UnitRange{.first_unit = share.first, .num_units = share.count},
                 addresses_of(tensors));
        set_args(program, compute, share.core, row_strips::UnitCount{.num_units = share.count});
        set_args(program, writer, share.core,
                 fp8::GroupRange{.first_group = share.first, .num_groups = share.count},
                 addresses_of(written));
    }
    return program;
}

HostTensor for_each_row(
    const HostTensor& input,
    const std::function<void(std::size_t row, std::vector<double>& values)>& act) {
    // In double, row by row: statistics of the reference are not rounded.
    HostTensor output = make_host_tensor(input.shape, DataFormat::Float32);
    const std::size_t columns = row_length(input.shape);
    tbb::parallel_for(std::size_t{0}, std::size_t{num_rows(input.shape)}, [&](std::size_t row) {
        const auto out = output.as<float>().subspan(row * columns, columns);
        read_floats(input, row * columns, out);
        std::vector<double> values(out.begin(), out.end());
        act(row, values);
        for (std::size_t i = 0; i < columns; ++i) {
            out[i] = static_cast<float>(values[i]);
        }
    });
    return output;
}

}  // namespace tessera::ops
