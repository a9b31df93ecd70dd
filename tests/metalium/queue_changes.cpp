// SPDX-License-Identifier: Apache-2.0
// Programs of the older generation that launch several times.
#include "tests/metalium/old_host_programs.hpp"
#include "tests/metalium/queue_programs.hpp"

using namespace tt;
using namespace tt::tt_metal;

namespace metalium_programs {
namespace {

constexpr CoreCoord kCore = {2, 5};

/// A program that copies `count` tiles of a buffer to another.
struct Copy {
    Program program;
    KernelHandle reader = 0;
    KernelHandle writer = 0;
    CBHandle cb = 0;

    Copy(const std::shared_ptr<Buffer>& from, const std::shared_ptr<Buffer>& to,
         std::uint32_t count) {
        cb = CreateCircularBuffer(
            program, kCore,
            CircularBufferConfig(2 * kTileBytes, {{CB::c_in0, tt::DataFormat::Float16_b}})
                .set_page_size(CB::c_in0, kTileBytes));
        std::vector<std::uint32_t> from_args;
        std::vector<std::uint32_t> to_args;
        TensorAccessorArgs(from).append_to(from_args);
        TensorAccessorArgs(to).append_to(to_args);
        reader = CreateKernel(program, kernel("read_pages.cpp"), kCore,
                              ReaderDataMovementConfig(from_args));
        writer = CreateKernel(program, kernel("write_pages.cpp"), kCore,
                              WriterDataMovementConfig(to_args, {{"FROM", "0"}}));
        SetRuntimeArgs(program, reader, kCore, {from->address(), 0, count});
        SetRuntimeArgs(program, writer, kCore, {to->address(), 0, count});
    }
};

std::vector<bfloat16> read(const OpenDevice& open, const std::shared_ptr<Buffer>& buffer) {
    std::vector<bfloat16> values;
    EnqueueReadBuffer(open.device->command_queue(), buffer, values, true);
    return values;
}

}  // namespace

bool changed_between_launches() {
    const OpenDevice open;
    constexpr std::uint32_t kTiles = 10;
    const auto source = dram_buffer(open.device, kTiles * kTileBytes);
    const auto first = dram_buffer(open.device, kTiles * kTileBytes);
    const auto second = dram_buffer(open.device, kTiles * kTileBytes);
    const std::vector<bfloat16> input = whole_numbers(kTiles * constants::TILE_HW, 19);
    CommandQueue& queue = open.device->command_queue();
    EnqueueWriteBuffer(queue, source, input, false);
    Copy copy(source, first, kTiles);
    copy.program.set_runtime_id(12);
    EnqueueProgram(queue, copy.program, false);
    // The same program again: to another buffer, with a larger circular buffer.
    GetRuntimeArgs(copy.program, copy.writer, kCore)[0] = second->address();
    UpdateCircularBufferTotalSize(copy.program, copy.cb, 5 * kTileBytes);
    EnqueueProgram(queue, copy.program, false);
    // And a part, through the views of all cores.
    GetRuntimeArgs(copy.program, copy.reader)[kCore.x][kCore.y][2] = 1;
    GetRuntimeArgs(copy.program, copy.writer)[kCore.x][kCore.y].at(2) = 1;
    EnqueueProgram(queue, copy.program, true);
    return read(open, first) == input && read(open, second) == input &&
           GetCircularBufferConfig(copy.program, copy.cb).total_size() == 5 * kTileBytes &&
           copy.program.get_runtime_id() == 12;
}

bool several_programs() {
    const OpenDevice open;
    constexpr std::uint32_t kTiles = 4;
    const std::vector<bfloat16> input = whole_numbers(kTiles * constants::TILE_HW, 23);
    std::vector<std::shared_ptr<Buffer>> chain;
    std::vector<std::unique_ptr<Copy>> copies;
    CommandQueue& queue = open.device->command_queue();
    for (int i = 0; i < 6; ++i) {
        chain.push_back(dram_buffer(open.device, kTiles * kTileBytes));
    }
    EnqueueWriteBuffer(queue, chain.front(), input, false);
    for (std::size_t i = 1; i < chain.size(); ++i) {
        copies.push_back(std::make_unique<Copy>(chain[i - 1], chain[i], kTiles));
        EnqueueProgram(queue, copies.back()->program, false);
    }
    Finish(queue);
    return read(open, chain.back()) == input;
}

bool recorded_trace() {
    const OpenDevice open;
    constexpr std::uint32_t kTiles = 4;
    const auto source = dram_buffer(open.device, kTiles * kTileBytes);
    const auto target = dram_buffer(open.device, kTiles * kTileBytes);
    CommandQueue& queue = open.device->command_queue();
    const std::vector<bfloat16> early = whole_numbers(kTiles * constants::TILE_HW, 2);
    const std::vector<bfloat16> late = whole_numbers(kTiles * constants::TILE_HW, 29);
    EnqueueWriteBuffer(queue, target, early, false);
    Copy copy(source, target, kTiles);
    const std::uint32_t trace = BeginTraceCapture(open.device, 0);
    EnqueueProgram(queue, copy.program, false);
    EndTraceCapture(open.device, 0, trace);
    const bool is_only_recorded = read(open, target) == early;
    EnqueueWriteBuffer(queue, source, late, false);
    ReplayTrace(open.device, 0, trace, true);
    ReleaseTrace(open.device, trace);
    return is_only_recorded && read(open, target) == late;
}

bool resharded() {
    const OpenDevice open;
    const CoreRange cores({0, 0}, {3, 0});
    const auto sharded = [&](TensorMemoryLayout layout, std::array<std::uint32_t, 2> shape) {
        return CreateBuffer(ShardedBufferConfig{
            .device = open.device,
            .size = 16 * kTileBytes,
            .page_size = kTileBytes,
            .buffer_layout = layout,
            .shard_parameters = ShardSpecBuffer(CoreRangeSet(cores), shape,
                                                ShardOrientation::ROW_MAJOR, {32, 32}, {4, 4})});
    };
    const auto rows = sharded(TensorMemoryLayout::HEIGHT_SHARDED, {32, 128});
    const auto columns = sharded(TensorMemoryLayout::WIDTH_SHARDED, {128, 32});
    Program program = CreateProgram();
    add_cb(program, cores, CB::c_in0, 1);
    std::vector<std::uint32_t> args;
    TensorAccessorArgs(rows).append_to(args);
    TensorAccessorArgs(columns).append_to(args);
    const auto move =
        CreateKernel(program, kernel("reshard.cpp"), cores, ReaderDataMovementConfig(args));
    for (const CoreCoord& core : cores) {
        SetRuntimeArgs(program, move, core,
                       {rows->address(), columns->address(), std::uint32_t(core.x), 4, 4});
    }
    const std::vector<bfloat16> input = whole_numbers(16 * constants::TILE_HW, 31);
    detail::WriteToBuffer(rows, input);
    detail::LaunchProgram(open.device, program);
    std::vector<bfloat16> output;
    std::vector<bfloat16> column;
    detail::ReadFromBuffer(columns, output);
    detail::ReadShard(*columns, column, 2);
    const auto tile = [](const std::vector<bfloat16>& all, std::size_t index) {
        const auto begin = all.begin() + static_cast<long>(index * constants::TILE_HW);
        return std::vector<bfloat16>(begin, begin + constants::TILE_HW);
    };
    return output == input && tile(column, 3) == tile(input, 14);
}

}  // namespace metalium_programs
