// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/row_strips/row_strips.hpp"

#include <tbb/parallel_for.h>

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops {
namespace {

constexpr std::uint32_t kStripBf16Tile = tile_bytes(DataFormat::Float16_b);
constexpr std::uint32_t kStripFloatTile = tile_bytes(DataFormat::Float32);

// Circular buffers, as the kernels number them.
enum : std::uint8_t {
    kStripRows = 0,
    kStripTilesCb = 1,
    kStripVectors = 2,  // and the next one
    kStripOnes = 4,
    kStripSums = 5,
    kStripHigh = 6,
    kStripLow = 7,
    kStripFirstStatistic = 8,
    kStripSecondStatistic = 9,
    kStripVectorRow = 10,
    kStripOut = 16
};

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
    const auto add = [&](std::uint8_t index, DataFormat format, std::uint32_t pages) {
        fp8::add_buffer(program, cores, index, format, tile_bytes(format), pages);
    };
    // Two strips of rows: one arrives while the other is tilized.
    add(kStripRows, in, 2 * kStripTiles);
    add(kStripTilesCb, in, tiles);
    for (const StripBuffer& buffer : strips.buffers) {
        add(buffer.index, buffer.format, buffer.tiles);
    }
    for (const std::uint8_t index : {kStripOnes, kStripHigh, kStripLow}) {
        add(index, DataFormat::Float16_b, 1);
    }
    // Statistics are fp32: a sum of a row may have thousands of terms.
    for (const std::uint8_t index : {kStripSums, kStripFirstStatistic, kStripSecondStatistic}) {
        add(index, DataFormat::Float32, 1);
    }
    fp8::add_buffer(program, cores, kStripVectorRow, DataFormat::UInt32, fp8::aligned(2 * columns),
                    1);
    add(kStripOut, out, 2 * kStripTiles);
}

ComputeConfig strip_compute_config(const RowStrips& strips) {
    ComputeConfig config;
    config.fp32_dest_acc_en = true;
    config.compile_args = {strips_of(row_length(strips.input.spec.shape))};
    config.compile_args.insert(config.compile_args.end(), strips.compute_args.begin(),
                               strips.compute_args.end());
    // Float32 that the vector unit works on; through a source register it would lose 13 bits.
    config.unpack_to_dest_mode.assign(kStripOut, UnpackToDestMode::Default);
    for (const std::uint8_t cb : {kStripSums, kStripFirstStatistic, kStripSecondStatistic}) {
        config.unpack_to_dest_mode[cb] = UnpackToDestMode::UnpackToDestFp32;
    }
    const auto keep_bits = [&](std::uint8_t cb, DataFormat format) {
        if (format == DataFormat::Float32) {
            config.unpack_to_dest_mode[cb] = UnpackToDestMode::UnpackToDestFp32;
        }
    };
    keep_bits(kStripRows, strips.input.spec.format);
    keep_bits(kStripTilesCb, strips.input.spec.format);
    for (const StripBuffer& buffer : strips.buffers) {
        keep_bits(buffer.index, buffer.format);
    }
    return config;
}

}  // namespace

void judge_row_strips(const ArchSpec& arch, GridSize grid, const TensorSpec& input,
                      std::uint64_t other_bytes, RuleJudge& judge) {
    judge_grid(arch, grid, judge);
    // A row must fit in L1 as tiles, since it is read once and used two or three times.
    const std::uint64_t bytes = strip_buffer_bytes(input) + other_bytes;
    judge.require(bytes <= buffer_room(arch), "input",
                  fmt::format("with rows of {} elements takes {} B of circular buffers; a core has "
                              "{} B of L1 for them",
                              row_length(input.shape), bytes, buffer_room(arch)));
}

std::vector<StripBuffer> vector_buffers(const TensorSpec& input, std::uint32_t count) {
    // A vector has one row; its tiles hold it in row 0, from where the unpacker spreads it.
    const std::uint32_t tiles = strips_of(row_length(input.shape)) * kStripTiles;
    std::vector<StripBuffer> buffers;
    for (std::uint32_t i = 0; i < count; ++i) {
        buffers.push_back(
            {static_cast<std::uint8_t>(kStripVectors + i), DataFormat::Float16_b, tiles});
    }
    return buffers;
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
    const std::uint32_t columns = row_length(in.shape);
    // Rows are split by 32, as a tile has them; a core never shares a tile of rows.
    const SharedWork work = share_work(op, arch, grid, div_up(rows, kTileRows));
    // The kernel gets words of the input for a tensor that is not there.
    const DeviceTensor& first = strips.operands.empty() ? strips.input : *strips.operands.front();
    const DeviceTensor& second = strips.operands.empty() ? strips.input : *strips.operands.back();

    Program program = CreateProgram();
    add_strip_buffers(program, work.cores, strips);
    std::vector<std::uint32_t> reading{
        rows,
        columns,
        element_bytes(in.format),
        static_cast<std::uint32_t>(strips.operands.size()),
        strips.fill,
        strips.visible_rows,
        strips.visible_period,
        strips.first_visible,
    };
    const fp8::StripWriterArgs writing{.rows = rows,
                                       .columns = columns,
                                       .element_bytes = element_bytes(strips.output.spec.format)};
    const fp8::StripWriterTensors written{.output = &strips.output.buffer};
    reading.insert(reading.end(), strips.reader_args.begin(), strips.reader_args.end());
    append_accessors({&strips.input, &first, &second}, reading);
    const KernelHandle reader =
        CreateKernel(program, strips.reader, work.cores, ReaderDataMovementConfig(reading));
    const KernelHandle compute =
        CreateKernel(program, strips.compute, work.cores, strip_compute_config(strips));
    // Rows of tiles leave a core as those of fp8_dequantise do.
    const KernelHandle writer = CreateKernel(program, "ops/fp8_dequantise/kernels/writer.cpp",
                                             work.cores, writer_config(writing, written));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, reader, share.core,
                       {share.first, share.count, strips.input.buffer.address, first.buffer.address,
                        second.buffer.address});
        SetRuntimeArgs(program, compute, share.core, {share.count});
        set_args(program, writer, share.core,
                 fp8::GroupRange{.first_group = share.first, .num_groups = share.count},
                 addresses_of(written));
    }
    return program;
}

HostTensor for_each_row(
    const HostTensor& input,
    const std::function<void(std::size_t row, std::vector<double>& values)>& act) {
    // In double, row by row: statistics of the reference have no rounding.
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

std::vector<float> vector_of(const HostTensor& tensor) {
    std::vector<float> values(num_elements(tensor.shape));
    read_floats(tensor, 0, values);
    return values;
}

}  // namespace tessera::ops
