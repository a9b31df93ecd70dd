// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/column_moves/column_moves.hpp"

#include <cstring>

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops {
namespace {

// Circular buffers, as the kernels number them.
enum : std::uint8_t { kMovedRows = 0, kDetour = 1 };

std::uint32_t bytes_of_element(const ColumnMove& move) {
    return element_bytes(move.ranges.front().input->spec.format);
}

std::uint32_t moved_page(const ArchSpec& arch, std::uint64_t row_bytes) {
    return static_cast<std::uint32_t>(round_up(row_bytes, dram_alignment(arch)));
}

std::uint32_t rows_at_once(const CopySpec& schedule) {
    // Two halves, so that one fills while the other is written; pushes must divide the buffer.
    return schedule.cb_depth % 2 == 0 ? schedule.cb_depth / 2 : 1;
}

}  // namespace

std::uint32_t ColumnMove::row_bytes() const {
    std::uint32_t elements = 0;
    for (const ColumnRange& range : ranges) {
        elements += range.count;
    }
    return groups * elements * bytes_of_element(*this);
}

void judge_column_moves(const ArchSpec& arch, std::uint64_t row_bytes, const CopySpec& schedule,
                        RuleJudge& judge) {
    judge_grid(arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
    // One row for ranges whose alignment differs from their place, besides the rows in the buffer.
    const std::uint64_t bytes =
        (std::uint64_t{schedule.cb_depth} + 1) * moved_page(arch, row_bytes) +
        2 * dram_alignment(arch);
    judge.require(bytes <= buffer_room(arch), "cb_depth",
                  fmt::format("{} with rows of {} B takes {} B of circular buffers; a core has {} "
                              "B of L1 for them",
                              schedule.cb_depth, row_bytes, bytes, buffer_room(arch)));
}

ColumnReader add_column_reader(Program& program, const ArchSpec& arch, const CoreRangeSet& cores,
                               const std::vector<WorkShare>& shares, const ColumnMove& move,
                               const CopySpec& schedule) {
    const std::uint32_t element = bytes_of_element(move);
    const std::uint32_t page = moved_page(arch, move.row_bytes());
    const ColumnRange& first = move.ranges.front();
    const ColumnRange& second = move.ranges.back();
    const DataFormat format = first.input->spec.format;
    CreateCircularBuffer(program, cores,
                         CircularBufferConfig(schedule.cb_depth * page, {{kMovedRows, format}})
                             .set_page_size(kMovedRows, page));
    // A range may begin and end inside of an alignment unit: two units more than its bytes.
    const Scratch detour[]{{kDetour, move.row_bytes() + 2 * dram_alignment(arch)}};
    add_scratch(program, cores, detour, dram_alignment(arch));
    std::vector<std::uint32_t> args{page,
                                    rows_at_once(schedule),
                                    move.groups,
                                    move.split,
                                    static_cast<std::uint32_t>(move.ranges.size()),
                                    first.first * element,
                                    first.count * element,
                                    first.stride * element,
                                    second.first * element,
                                    second.count * element,
                                    second.stride * element,
                                    dram_alignment(arch)};
    append_accessors({first.input, second.input}, args);
    const KernelHandle reader = CreateKernel(program, "ops/shared/column_moves/kernels/reader.cpp",
                                             cores, ReaderDataMovementConfig(std::move(args)));
    for (const WorkShare& share : shares) {
        SetRuntimeArgs(
            program, reader, share.core,
            {share.first, share.count, first.input->buffer.address, second.input->buffer.address});
    }
    return {page, rows_at_once(schedule)};
}

Program move_columns(std::string_view op, const ArchSpec& arch, const ColumnMove& move,
                     const DeviceTensor& output, const CopySpec& schedule) {
    const SharedWork work = share_work(op, arch, schedule.grid, move.rows);
    Program program = CreateProgram();
    const ColumnReader reader =
        add_column_reader(program, arch, work.cores, work.shares, move, schedule);
    std::vector<std::uint32_t> args{move.row_bytes(), reader.page_bytes, reader.block_rows};
    append_accessors({&output}, args);
    const KernelHandle writer = CreateKernel(program, "ops/shared/column_moves/kernels/writer.cpp",
                                             work.cores, WriterDataMovementConfig(std::move(args)));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, writer, share.core,
                       {share.first, share.count, output.buffer.address});
    }
    return program;
}

HostTensor moved_columns(const std::vector<HostTensor>& inputs, const ColumnMove& move,
                         Shape shape) {
    HostTensor output = make_host_tensor(std::move(shape), inputs.front().format);
    const std::size_t element = element_bytes(output.format);
    std::byte* to = output.bytes.data();
    for (std::size_t part = 0; part < std::size_t{move.rows} * move.groups; ++part) {
        for (std::size_t i = 0; i < move.ranges.size(); ++i) {
            const ColumnRange& range = move.ranges[i];
            const std::size_t first = part / move.split * row_length(inputs[i].shape) +
                                      part % move.split * range.stride + range.first;
            std::memcpy(to, inputs[i].bytes.data() + first * element, range.count * element);
            to += range.count * element;
        }
    }
    return output;
}

}  // namespace tessera::ops
