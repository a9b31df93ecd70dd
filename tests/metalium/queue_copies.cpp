// SPDX-License-Identifier: Apache-2.0
// Programs of the older generation that move data.
#include "tests/metalium/old_host_programs.hpp"
#include "tests/metalium/queue_programs.hpp"
#include "tt_metal/common/work_split.hpp"

using namespace tt;
using namespace tt::tt_metal;

namespace metalium_programs {

bool loopback() {
    const OpenDevice open;
    constexpr std::uint32_t kTiles = 50;
    constexpr CoreCoord core = {0, 0};
    const auto l1 = CreateBuffer(InterleavedBufferConfig{.device = open.device,
                                                         .size = kTileBytes,
                                                         .page_size = kTileBytes,
                                                         .buffer_type = BufferType::L1});
    const auto source = dram_buffer(open.device, kTiles * kTileBytes);
    const auto target = dram_buffer(open.device, kTiles * kTileBytes);
    Program program = CreateProgram();
    const KernelHandle copy =
        CreateKernel(program, kernel("loopback.cpp"), core,
                     DataMovementConfig{.processor = DataMovementProcessor::RISCV_0,
                                        .noc = NOC::RISCV_0_default});
    const std::vector<std::uint32_t> input =
        create_random_vector_of_bfloat16(kTiles * kTileBytes, 100, 17);
    CommandQueue& queue = open.device->command_queue();
    EnqueueWriteBuffer(queue, source, input, false);
    SetRuntimeArgs(program, copy, core,
                   {l1->address(), source->address(), target->address(), kTiles});
    EnqueueProgram(queue, program, false);
    Finish(queue);
    std::vector<std::uint32_t> output;
    EnqueueReadBuffer(queue, target, output, true);
    return output == input;
}

bool copy_on_all_cores() {
    const OpenDevice open;
    constexpr std::uint32_t kTiles = 300;
    const auto source = dram_buffer(open.device, kTiles * kTileBytes);
    const auto target = dram_buffer(open.device, kTiles * kTileBytes);
    const CoreCoord grid = open.device->compute_with_storage_grid_size();
    const auto [num_cores, all, first_group, second_group, first_tiles, second_tiles] =
        split_work_to_cores(grid, kTiles);
    Program program;
    add_cb(program, all, CB::c_in0, 2);
    std::vector<std::uint32_t> source_args;
    std::vector<std::uint32_t> target_args;
    TensorAccessorArgs(*source).append_to(source_args);
    TensorAccessorArgs(*target).append_to(target_args);
    const auto reader =
        CreateKernel(program, kernel("read_pages.cpp"), all, ReaderDataMovementConfig(source_args));
    const auto writer = CreateKernel(program, kernel("write_pages.cpp"), all,
                                     WriterDataMovementConfig(target_args, {{"FROM", "0"}}));
    std::uint32_t next = 0;
    for (const auto& [group, tiles] :
         {std::pair(first_group, first_tiles), std::pair(second_group, second_tiles)}) {
        for (const CoreRange& range : group.ranges()) {
            for (const CoreCoord& core : range) {
                SetRuntimeArgs(program, reader, core, {source->address(), next, tiles});
                SetRuntimeArgs(program, writer, core, {target->address(), next, tiles});
                next += tiles;
            }
        }
    }
    const std::vector<bfloat16> input = whole_numbers(kTiles * constants::TILE_HW, 7);
    detail::WriteToBuffer(source, input);
    detail::LaunchProgram(open.device, program);
    std::vector<bfloat16> output;
    detail::ReadFromBuffer(target, output);
    return num_cores == grid.x * grid.y && next == kTiles && output == input;
}

bool parts_of_buffers() {
    const OpenDevice open;
    const auto buffer = dram_buffer(open.device, 8 * kTileBytes);
    CommandQueue& queue = open.device->command_queue();
    const std::vector<std::uint32_t> zeros(8 * kTileBytes / 4, 0);
    const std::vector<std::uint32_t> ones(1000, 1);
    EnqueueWriteBuffer(queue, buffer, zeros, false);
    // From the middle of a page over the end of the next.
    EnqueueWriteSubBuffer(queue, buffer, ones, BufferRegion(1024, 4000), false);
    std::vector<std::uint32_t> all;
    std::vector<std::uint32_t> part;
    EnqueueReadBuffer(queue, buffer, all, true);
    EnqueueReadSubBuffer(queue, buffer, part, BufferRegion(1020, 4008), true);
    std::vector<std::uint32_t> expected = zeros;
    std::fill_n(expected.begin() + 256, 1000, 1U);
    return all == expected && part.front() == 0 && part.back() == 0 && part[1] == 1 &&
           part.size() == 1002;
}

bool memory_by_address() {
    const OpenDevice open;
    const CoreCoord core(3, 2);
    const auto base = static_cast<std::uint32_t>(
        open.device->allocator()->get_base_allocator_addr(HalMemType::L1));
    Program program = CreateProgram();
    const auto add = CreateKernel(program, kernel("add_words.cpp"), core,
                                  DataMovementConfig{.processor = DataMovementProcessor::RISCV_1,
                                                     .noc = NOC::RISCV_1_default});
    std::vector<std::uint32_t> operands{1'000'000'007, 0, 0, 0, 35};
    detail::WriteToDeviceL1(open.device, core, base, operands);
    SetRuntimeArgs(program, add, core, {base, base + 16, base + 32});
    detail::LaunchProgram(open.device, program);
    std::vector<std::uint32_t> sum;
    detail::ReadFromDeviceL1(open.device, core, base + 32, 4, sum);
    std::vector<std::uint32_t> words{11, 12, 13};
    std::vector<std::uint32_t> read;
    detail::WriteToDeviceDRAMChannel(open.device, 5, 1 << 20, words);
    detail::ReadFromDeviceDRAMChannel(open.device, 5, 1 << 20, 12, read);
    return sum == std::vector<std::uint32_t>{1'000'000'042} && read == words;
}

bool padded_rows() {
    const OpenDevice open;
    constexpr std::uint32_t kRows = 100;
    const auto source = dram_buffer(open.device, kRows * 64, 64);
    const auto target = dram_buffer(open.device, kRows * 128, 128);
    Program program;
    const CoreRange cores({0, 0}, {3, 0});
    add_cb(program, cores, CB::c_in0, 1);
    std::vector<std::uint32_t> args;
    TensorAccessorArgs(source).append_to(args);
    TensorAccessorArgs(target).append_to(args);
    const auto pad =
        CreateKernel(program, kernel("pad_rows.cpp"), cores, ReaderDataMovementConfig(args));
    for (const CoreCoord& core : cores) {
        SetRuntimeArgs(program, pad, core,
                       {source->address(), target->address(), std::uint32_t(core.x) * 25, 25});
    }
    std::vector<std::uint32_t> input(kRows * 16);
    std::iota(input.begin(), input.end(), 1U);
    detail::WriteToBuffer(source, input);
    detail::LaunchProgram(open.device, program);
    std::vector<std::uint32_t> output;
    detail::ReadFromBuffer(target, output);
    bool is_right = output.size() == kRows * 32;
    for (std::size_t i = 0; is_right && i < output.size(); ++i) {
        const std::size_t column = i % 32;
        is_right = output[i] == (column < 16 ? 0 : input[i / 32 * 16 + column - 16]);
    }
    return is_right;
}

}  // namespace metalium_programs
