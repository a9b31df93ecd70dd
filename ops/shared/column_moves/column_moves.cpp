// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/column_moves/column_moves.hpp"

#include <cstring>

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/column_moves/kernels/args.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops {
namespace {

using column_moves::Cb;

std::uint32_t bytes_of_element(const ColumnMove& move) {
    return element_bytes(move.ranges.front().input->spec.format);
}

// Each row of the buffer begins at an aligned address, since it is read from and written to DRAM.
std::uint32_t moved_page(const ArchSpec& arch, std::uint64_t row_bytes) {
    return static_cast<std::uint32_t>(round_up(row_bytes, dram_alignment(arch)));
}

std::uint32_t rows_at_once(const CopySpec& schedule) {
    // Two halves, so that one fills while the other is written; pushes must divide the buffer.
    return schedule.cb_depth % 2 == 0 ? schedule.cb_depth / 2 : 1;
}

}  // namespace

std::uint32_t ColumnMove::row_bytes() const {
    // All ranges of a row are contiguous in the output, group by group.
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
    // One additional row, for ranges whose alignment differs from their destination.
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
    // At most two ranges: one input, or two that are joined (reader.cpp).
    const ColumnRange& first = move.ranges.front();
    const ColumnRange& second = move.ranges.back();
    add_circular_buffer(program, cores, Cb::Rows, first.input->spec.format,
                        {schedule.cb_depth, page});
    // A range may begin and end inside of an alignment unit: two units more than its bytes.
    const Scratch detour[]{{Cb::Detour, move.row_bytes() + 2 * dram_alignment(arch)}};
    add_scratch(program, cores, detour, dram_alignment(arch));
    const column_moves::ReaderArgs args{
        .page_bytes = page,
        .block = rows_at_once(schedule),
        .groups = move.groups,
        .split = move.split,
        .num_ranges = static_cast<std::uint32_t>(move.ranges.size()),
        .first_begin = first.first * element,
        .first_bytes = first.count * element,
        .first_stride = first.stride * element,
        .second_begin = second.first * element,
        .second_bytes = second.count * element,
        .second_stride = second.stride * element,
        .alignment = dram_alignment(arch)};
    const column_moves::ReaderTensors tensors{.first = &first.input->buffer,
                                              .second = &second.input->buffer};
    const KernelHandle reader = CreateKernel(program, "ops/shared/column_moves/kernels/reader.cpp",
                                             cores, reader_config(args, tensors));
    for (const WorkShare& share : shares) {
        set_args(program, reader, share.core,
                 column_moves::RowRange{.first_row = share.first, .num_rows = share.count},
                 addresses_of(tensors));
    }
    return {page, rows_at_once(schedule)};
}

Program move_columns(std::string_view op, const ArchSpec& arch, const ColumnMove& move,
                     const DeviceTensor& output, const CopySpec& schedule) {
    const SharedWork work = share_work(op, arch, schedule.grid, move.rows);
    Program program = CreateProgram();
    const ColumnReader reader =
        add_column_reader(program, arch, work.cores, work.shares, move, schedule);
    const column_moves::WriterArgs args{
        .row_bytes = move.row_bytes(), .page_bytes = reader.page_bytes, .block = reader.block_rows};
    // The output consists of whole rows, so the writer needs no ranges.
    const column_moves::WriterTensors tensors{.output = &output.buffer};
    const KernelHandle writer = CreateKernel(program, "ops/shared/column_moves/kernels/writer.cpp",
                                             work.cores, writer_config(args, tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, writer, share.core,
                 column_moves::RowRange{.first_row = share.first, .num_rows = share.count},
                 addresses_of(tensors));
    }
    return program;
}

HostTensor moved_columns(const std::vector<HostTensor>& inputs, const ColumnMove& move,
                         Shape shape) {
    HostTensor output = make_host_tensor(std::move(shape), inputs.front().format);
    const std::size_t element = element_bytes(output.format);
    std::byte* to = output.bytes.data();
    // Same arithmetic as the kernel: part = row · groups + group, and `split` parts are in a page.
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
