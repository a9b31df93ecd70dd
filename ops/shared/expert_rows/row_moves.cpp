// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/expert_rows/row_moves.hpp"

#include <algorithm>
#include <cstring>

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/kernels/row_move_args.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops {
namespace {

constexpr std::uint32_t kLongestPiece = 8192;  // bytes: one packet of the smaller NoC
constexpr std::uint32_t kIndexEntries = 512;   // entries of the index per read

std::uint32_t page_bytes(const ArchSpec& arch, std::uint32_t row_bytes) {
    return round_up(std::min(row_bytes, kLongestPiece), dram_alignment(arch));
}

std::vector<Scratch> scratch_of(const ArchSpec& arch, std::uint32_t row_bytes) {
    // 512 indices are 2 KiB, a read that is long enough to hide its latency.
    return {{row_moves::Cb::Indices, std::uint64_t{4} * kIndexEntries},
            {row_moves::Cb::ReaderLimit, 4},
            {row_moves::Cb::WriterLimit, 4},
            {row_moves::Cb::Fill, page_bytes(arch, row_bytes)}};
}

row_moves::Limit limit_of(const RowMove& move) {
    // A limit of the output ends the rows; one of the input only turns rows into fill.
    if (move.limit != nullptr) {
        return row_moves::Limit::OfOutput;
    }
    return move.input_limit != nullptr ? row_moves::Limit::OfInput : row_moves::Limit::None;
}

row_moves::PieceArgs piece_args(const ArchSpec& arch, const RowMove& move,
                                const CopySpec& schedule) {
    const std::uint32_t row_bytes = move.input.spec.page_size();
    // Two halves, so that one fills while the other drains; pushes must divide the buffer.
    return {.row_bytes = row_bytes,
            .piece_bytes = std::min(row_bytes, kLongestPiece),
            .page_bytes = page_bytes(arch, row_bytes),
            .block = schedule.cb_depth % 2 == 0 ? schedule.cb_depth / 2 : 1,
            .limited = index_of(limit_of(move))};
}

row_moves::ReaderArgs reader_args(const RowMove& move) {
    // An end below the input's rows makes the rest of them invisible, as a limit does.
    return {.input_rows = std::min(num_rows(move.input.spec.shape), move.end),
            .divisor = move.divisor,
            .index_width = move.index == nullptr ? 0U : row_length(move.index->spec.shape),
            .first_row = move.first,
            .fill = move.fill,
            .entries_at_once = kIndexEntries};
}

}  // namespace

void judge_row_moves(const ArchSpec& arch, std::uint32_t row_bytes, const CopySpec& schedule,
                     RuleJudge& judge) {
    judge_grid(arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
    const std::uint64_t bytes = std::uint64_t{schedule.cb_depth} * page_bytes(arch, row_bytes) +
                                bytes_of(scratch_of(arch, row_bytes), dram_alignment(arch));
    judge.require(bytes <= buffer_room(arch), "cb_depth",
                  fmt::format("{} takes {} B of circular buffers; a core has {} B of L1 for them",
                              schedule.cb_depth, bytes, buffer_room(arch)));
}

Program move_rows(std::string_view op, const ArchSpec& arch, const RowMove& move,
                  const CopySpec& schedule) {
    const std::uint32_t row_bytes = move.input.spec.page_size();
    // Reader and writer read the same word: the limit of the output, or of the input.
    const DeviceTensor* limit = move.limit != nullptr ? move.limit : move.input_limit;
    // Split by output rows: only the device knows the input row of each.
    const std::uint32_t rows = move.count == 0 ? num_rows(move.output.spec.shape) : move.count;
    const SharedWork work = share_work(op, arch, schedule.grid, rows);

    Program program = CreateProgram();
    add_circular_buffer(program, work.cores, row_moves::Cb::Rows, move.input.spec.format,
                        {schedule.cb_depth, page_bytes(arch, row_bytes)});
    add_scratch(program, work.cores, scratch_of(arch, row_bytes), dram_alignment(arch));
    const row_moves::ReaderTensors read{
        .input = &move.input.buffer,
        .index = move.index == nullptr ? nullptr : &move.index->buffer,
        .limit = limit == nullptr ? nullptr : &limit->buffer};
    const row_moves::WriterTensors written{.limit = read.limit, .output = &move.output.buffer};
    const row_moves::PieceArgs pieces = piece_args(arch, move, schedule);
    const KernelHandle reader =
        CreateKernel(program, "ops/gather_rows/kernels/reader.cpp", work.cores,
                     reader_config(named(pieces, reader_args(move)), read));
    const row_moves::WriterArgs writer_args{.output_first = move.output_first};
    const KernelHandle writer =
        CreateKernel(program, "ops/gather_rows/kernels/writer.cpp", work.cores,
                     writer_config(named(pieces, writer_args), written));
    const auto num_parts = static_cast<std::uint32_t>(work.shares.size());
    for (std::uint32_t part = 0; part < num_parts; ++part) {
        const WorkShare& share = work.shares[part];
        const row_moves::RowRange range{.first_row = share.first,
                                        .num_rows = share.count,
                                        .part = part,
                                        .num_parts = num_parts,
                                        .all_rows = rows};
        set_args(program, reader, share.core, range, addresses_of(read));
        set_args(program, writer, share.core, range, addresses_of(written));
    }
    return program;
}

HostTensor moved_rows(
    const HostTensor& input, Shape shape, std::uint32_t fill,
    const std::function<std::optional<std::uint32_t>(std::uint32_t row)>& source) {
    // A byte-wise copy: moves do not depend on formats.
    HostTensor output = make_host_tensor(std::move(shape), input.format);
    const std::size_t bytes = std::size_t{element_bytes(input.format)} * row_length(input.shape);
    for (std::uint32_t row = 0; row < num_rows(output.shape); ++row) {
        std::byte* to = output.bytes.data() + row * bytes;
        if (const auto from = source(row)) {
            std::memcpy(to, input.bytes.data() + *from * bytes, bytes);
            continue;
        }
        for (std::size_t at = 0; at < bytes; at += sizeof(fill)) {
            std::memcpy(to + at, &fill, std::min(sizeof(fill), bytes - at));
        }
    }
    return output;
}

}  // namespace tessera::ops
