// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/expert_rows/row_moves.hpp"

#include <algorithm>
#include <cstring>

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops {
namespace {

constexpr std::uint32_t kLongestPiece = 8192;  // bytes: one packet of the smaller NoC
constexpr std::uint32_t kIndexEntries = 512;   // of the index, read at a time

// Circular buffers, as the kernels number them.
enum : std::uint8_t { kRows = 0, kIndices = 1, kReaderLimit = 2, kWriterLimit = 3, kFill = 4 };

std::uint32_t page_bytes(const ArchSpec& arch, std::uint32_t row_bytes) {
    return round_up(std::min(row_bytes, kLongestPiece), dram_alignment(arch));
}

std::vector<Scratch> scratch_of(const ArchSpec& arch, std::uint32_t row_bytes) {
    return {{kIndices, std::uint64_t{4} * kIndexEntries},
            {kReaderLimit, 4},
            {kWriterLimit, 4},
            {kFill, page_bytes(arch, row_bytes)}};
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
    const TensorSpec& in = move.input.spec;
    const std::uint32_t row_bytes = in.page_size();
    const std::uint32_t page = page_bytes(arch, row_bytes);
    // Two halves, so that one fills while the other drains; pushes must divide the buffer.
    const std::uint32_t block = schedule.cb_depth % 2 == 0 ? schedule.cb_depth / 2 : 1;
    const DeviceTensor& index = move.index == nullptr ? move.input : *move.index;
    const DeviceTensor& limit = move.limit != nullptr         ? *move.limit
                                : move.input_limit != nullptr ? *move.input_limit
                                                              : move.input;
    const SharedWork work = share_work(
        op, arch, schedule.grid, move.count == 0 ? num_rows(move.output.spec.shape) : move.count);

    Program program = CreateProgram();
    CreateCircularBuffer(program, work.cores,
                         CircularBufferConfig(schedule.cb_depth * page, {{kRows, in.format}})
                             .set_page_size(kRows, page));
    add_scratch(program, work.cores, scratch_of(arch, row_bytes), dram_alignment(arch));
    const std::vector<std::uint32_t> pieces{row_bytes, std::min(row_bytes, kLongestPiece), page,
                                            block,
                                            move.limit != nullptr         ? 1U
                                            : move.input_limit != nullptr ? 2U
                                                                          : 0U};
    std::vector<std::uint32_t> reader_args = pieces;
    for (const std::uint32_t word : {std::min(num_rows(in.shape), move.end), move.divisor,
                                     move.index == nullptr ? 0U : row_length(index.spec.shape),
                                     move.first, move.fill, kIndexEntries}) {
        reader_args.push_back(word);
    }
    std::vector<std::uint32_t> writer_args = pieces;
    append_accessors({&move.input, &index, &limit}, reader_args);
    writer_args.push_back(move.output_first);
    append_accessors({&limit, &move.output}, writer_args);
    const KernelHandle reader =
        CreateKernel(program, "ops/gather_rows/kernels/reader.cpp", work.cores,
                     ReaderDataMovementConfig(std::move(reader_args)));
    const KernelHandle writer =
        CreateKernel(program, "ops/gather_rows/kernels/writer.cpp", work.cores,
                     WriterDataMovementConfig(std::move(writer_args)));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, reader, share.core,
                       {move.input.buffer.address, index.buffer.address, limit.buffer.address,
                        share.first, share.count});
        SetRuntimeArgs(
            program, writer, share.core,
            {limit.buffer.address, move.output.buffer.address, share.first, share.count});
    }
    return program;
}

HostTensor moved_rows(
    const HostTensor& input, Shape shape, std::uint32_t fill,
    const std::function<std::optional<std::uint32_t>(std::uint32_t row)>& source) {
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
