// SPDX-License-Identifier: Apache-2.0
// A circular buffer from one core to two others.
#include <tt-metalium/global_circular_buffer.hpp>

#include "tests/metalium/mesh_host_programs.hpp"
#include "tests/metalium/mesh_programs.hpp"

using namespace tt;
using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

namespace metalium_programs {
namespace {

constexpr std::uint32_t kBlocks = 7;  // of two pages, one for each receiver
constexpr std::uint32_t kLaunches = 2;
constexpr std::uint32_t kRemote = 31;
constexpr CoreCoord kSender(0, 0);
const std::vector<CoreCoord> kReceivers{{1, 0}, {3, 2}};
// Two pages and a half, so that the end of the buffer is left out.
constexpr std::uint32_t kBufferBytes = 2 * kTileBytes + kTileBytes / 2;

void add_sender(Program& program, const MeshBuffer& input,
                const experimental::GlobalCircularBuffer& buffer) {
    add_cb(program, kSender, CBIndex::c_0, 2);
    CircularBufferConfig config(kBufferBytes);
    config.remote_index(kRemote).set_page_size(kTileBytes).set_data_format(DataFormat::Float16_b);
    experimental::CreateCircularBuffer(program, kSender, config, buffer);
    std::vector<std::uint32_t> args;
    TensorAccessorArgs(input).append_to(args);
    const auto sender =
        CreateKernel(program, kernel("remote_sender.cpp"), kSender, ReaderDataMovementConfig(args));
    SetRuntimeArgs(program, sender, kSender, {std::uint32_t(input.address()), kBlocks});
}

void add_receivers(Program& program, const MeshBuffer& output,
                   const experimental::GlobalCircularBuffer& buffer) {
    CircularBufferConfig config(2 * kTileBytes);
    config.remote_index(kRemote).set_page_size(kTileBytes).set_data_format(DataFormat::Float16_b);
    config.index(CBIndex::c_16).set_page_size(kTileBytes).set_data_format(DataFormat::Float16_b);
    experimental::CreateCircularBuffer(program, buffer.receiver_cores(), config, buffer);
    std::vector<std::uint32_t> args;
    TensorAccessorArgs(output).append_to(args);
    const auto reader = CreateKernel(program, kernel("remote_receiver.cpp"),
                                     buffer.receiver_cores(), ReaderDataMovementConfig());
    const auto writer = CreateKernel(program, kernel("write_aligned.cpp"), buffer.receiver_cores(),
                                     WriterDataMovementConfig(args));
    for (std::uint32_t i = 0; i < kReceivers.size(); ++i) {
        SetRuntimeArgs(program, reader, kReceivers[i], {kBlocks});
        SetRuntimeArgs(program, writer, kReceivers[i],
                       {std::uint32_t(output.address()), i * kBlocks, kBlocks});
    }
}

/// Returns whether each receiver has its half of each row of two.
bool is_right(const std::vector<std::uint32_t>& input, const std::vector<std::uint32_t>& output) {
    constexpr std::size_t kHalf = kTileBytes / 2 / sizeof(std::uint32_t);
    for (std::size_t at = 0; at < output.size(); ++at) {
        const std::size_t half = at / kHalf;
        const std::size_t receiver = half / (2 * kBlocks);
        const std::size_t block = half / 2 % kBlocks;
        const std::size_t row = half % 2;
        if (output[at] != input[((2 * block + row) * 2 + receiver) * kHalf + at % kHalf]) {
            return false;
        }
    }
    return output.size() == input.size();
}

}  // namespace

// The second launch begins where the first one ended, in the middle of the buffer.
bool pages_for_two_receivers() {
    const auto mesh = MeshDevice::create_unit_mesh(0);
    const auto input = replicated(mesh, 2 * kBlocks);
    const auto output = replicated(mesh, 2 * kBlocks);
    const CoreRangeSet receivers(std::vector<CoreRange>{CoreRange(kReceivers[0], kReceivers[0]),
                                                        CoreRange(kReceivers[1], kReceivers[1])});
    const auto buffer =
        experimental::CreateGlobalCircularBuffer(mesh.get(), {{kSender, receivers}}, kBufferBytes);
    MeshCommandQueue& queue = mesh->mesh_command_queue();
    bool is_all_right = buffer.all_cores().num_cores() == 3 && buffer.size() == kBufferBytes;
    for (std::uint32_t launch = 0; launch < kLaunches; ++launch) {
        std::vector<std::uint32_t> numbers(2 * kBlocks * kTileBytes / sizeof(std::uint32_t));
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            numbers[i] = static_cast<std::uint32_t>(i) * 2654435761U + launch;
        }
        EnqueueWriteMeshBuffer(queue, input, numbers, false);
        Program program = CreateProgram();
        add_sender(program, *input, buffer);
        add_receivers(program, *output, buffer);
        run_on(mesh, std::move(program));
        std::vector<std::uint32_t> result;
        EnqueueReadMeshBuffer(queue, result, output, true);
        is_all_right = is_all_right && is_right(numbers, result);
    }
    return is_all_right;
}

}  // namespace metalium_programs
