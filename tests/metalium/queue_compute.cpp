// SPDX-License-Identifier: Apache-2.0
// Programs of the older generation that compute.
#include <cmath>

#include "tests/metalium/expected_rows.hpp"
#include "tests/metalium/old_host_programs.hpp"
#include "tests/metalium/queue_programs.hpp"
#include "tt_metal/common/tilize_untilize.hpp"

using namespace tt;
using namespace tt::tt_metal;

namespace metalium_programs {
namespace {

constexpr std::uint32_t kTiles = 24;

/// Runs reader, compute and writer on one core over kTiles tiles. `readers` has the file and its
/// buffers; the compute kernel gets the number of tiles.
std::vector<bfloat16> run_on_one_core(const std::string& compute, const Defines& defines,
                                      const std::vector<std::vector<bfloat16>>& inputs) {
    const OpenDevice open;
    constexpr CoreCoord core = {1, 1};
    Program program = CreateProgram();
    std::vector<std::uint32_t> reader_args;
    std::vector<std::uint32_t> arguments;
    std::vector<std::shared_ptr<Buffer>> buffers;
    for (const std::vector<bfloat16>& input : inputs) {
        buffers.push_back(dram_buffer(open.device, kTiles * kTileBytes));
        EnqueueWriteBuffer(open.device->command_queue(), buffers.back(), input, false);
        add_cb(program, core, static_cast<std::uint8_t>(CB::c_in0 + buffers.size() - 1), 2);
        TensorAccessorArgs(buffers.back()).append_to(reader_args);
        arguments.push_back(buffers.back()->address());
    }
    arguments.insert(arguments.end(), {0, kTiles});
    const auto target = dram_buffer(open.device, kTiles * kTileBytes);
    for (const std::uint8_t index : {CB::c_out0, CB::c_intermed0, CB::c_intermed1}) {
        add_cb(program, core, index, 2);
    }
    std::vector<std::uint32_t> writer_args;
    TensorAccessorArgs(target).append_to(writer_args);
    const auto reader =
        CreateKernel(program, kernel(inputs.size() == 1 ? "read_pages.cpp" : "read_two.cpp"), core,
                     ReaderDataMovementConfig(reader_args));
    const auto writer = CreateKernel(program, kernel("write_pages.cpp"), core,
                                     WriterDataMovementConfig(writer_args, {{"FROM", "16"}}));
    const auto maths = CreateKernel(program, kernel(compute), core,
                                    ComputeConfig{.math_fidelity = MathFidelity::HiFi4,
                                                  .fp32_dest_acc_en = false,
                                                  .math_approx_mode = false,
                                                  .compile_args = {},
                                                  .defines = defines});
    SetRuntimeArgs(program, reader, core, arguments);
    SetRuntimeArgs(program, maths, core, {kTiles});
    SetRuntimeArgs(program, writer, core, {target->address(), 0, kTiles});
    EnqueueProgram(open.device->command_queue(), program, true);
    std::vector<bfloat16> output;
    EnqueueReadBuffer(open.device->command_queue(), target, output, true);
    return output;
}

std::vector<bfloat16> some_numbers(std::size_t factor) {
    return whole_numbers(kTiles * constants::TILE_HW, factor);
}

}  // namespace

bool vector_add() {
    const std::vector<bfloat16> a = some_numbers(3);
    const std::vector<bfloat16> b = some_numbers(5);
    const std::vector<bfloat16> sums = run_on_one_core("add.cpp", {}, {a, b});
    bool is_right = sums.size() == a.size();
    for (std::size_t i = 0; is_right && i < sums.size(); ++i) {
        is_right = sums[i] == a[i] + b[i];
    }
    return is_right;
}

bool transposed_tiles() {
    const std::vector<bfloat16> input = some_numbers(11);
    std::vector<bfloat16> tiles = input;
    tilize(tiles, kTiles * 32, 32);
    std::vector<bfloat16> output = run_on_one_core("one_tile.cpp", {{"OPERATION", "0"}}, {tiles});
    untilize(output, kTiles * 32, 32);
    bool is_right = output.size() == input.size();
    for (std::size_t i = 0; is_right && i < output.size(); ++i) {
        const std::size_t tile = i / 1024 * 1024;
        is_right = output[i] == input[tile + i % 32 * 32 + i / 32 % 32];
    }
    return is_right;
}

bool decaying_exponentials() {
    std::vector<bfloat16> input;
    for (std::size_t i = 0; i < kTiles * constants::TILE_HW; ++i) {
        input.emplace_back(static_cast<float>(i % 257) / 64.0F);
    }
    const std::vector<bfloat16> output =
        run_on_one_core("one_tile.cpp", {{"OPERATION", "2"}}, {input});
    bool is_right = output.size() == input.size();
    for (std::size_t i = 0; is_right && i < output.size(); ++i) {
        is_right = is_close(output[i], std::exp(-input[i].to_float()), 0.02F, 0.001F);
    }
    return is_right;
}

bool tilized_and_back() {
    const std::vector<bfloat16> rows = some_numbers(17);
    const std::vector<bfloat16> tiles = run_on_one_core("tilize.cpp", {}, {rows});
    const std::vector<bfloat16> back = run_on_one_core("tilize.cpp", {{"UNTILIZE", "1"}}, {tiles});
    std::vector<bfloat16> expected = rows;
    tilize(expected, kTiles * 32, 32);
    return tiles == expected && back == rows;
}

bool softmax_of_rows() {
    std::vector<bfloat16> input;
    for (std::size_t i = 0; i < kTiles * constants::TILE_HW; ++i) {
        input.emplace_back(static_cast<float>(i * 37 % 101) / 32.0F);
    }
    std::vector<bfloat16> tiles = input;
    tilize(tiles, kTiles * 32, 32);
    const std::vector<bfloat16> ones(input.size(), bfloat16(1.0F));
    std::vector<bfloat16> output = run_on_one_core("softmax.cpp", {}, {tiles, ones});
    untilize(output, kTiles * 32, 32);
    bool is_right = output.size() == input.size();
    for (std::size_t row = 0; is_right && row < input.size(); row += 32) {
        float sum = 0;
        for (std::size_t i = row; i < row + 32; ++i) {
            sum += std::exp(input[i].to_float());
        }
        for (std::size_t i = row; i < row + 32; ++i) {
            is_right =
                is_right && is_close(output[i], std::exp(input[i].to_float()) / sum, 0.04F, 0.001F);
        }
    }
    return is_right;
}

bool layer_norm_of_rows() {
    const std::vector<bfloat16> input = uneven_rows(kTiles);
    std::vector<bfloat16> tiles = input;
    tilize(tiles, kTiles * 32, 32);
    const std::vector<bfloat16> scaler(input.size(), bfloat16(1.0F / 32));
    std::vector<bfloat16> output = run_on_one_core("layer_norm.cpp", {}, {tiles, scaler});
    untilize(output, kTiles * 32, 32);
    return is_layer_norm(output, input);
}

bool custom_vector_function() {
    const std::vector<bfloat16> input = some_numbers(29);
    std::vector<bfloat16> tiles = input;
    tilize(tiles, kTiles * 32, 32);
    std::vector<bfloat16> output = run_on_one_core("neighbours.cpp", {}, {tiles});
    untilize(output, kTiles * 32, 32);
    return joins_neighbours(output, input);
}

bool sharded_add() {
    const OpenDevice open;
    constexpr std::uint32_t kCores = 8;
    constexpr std::uint32_t kShard = 3;  // tiles
    const CoreRange cores({0, 0}, {kCores - 1, 0});
    const ShardedBufferConfig config{
        .device = open.device,
        .size = kCores * kShard * kTileBytes,
        .page_size = kTileBytes,
        .buffer_type = BufferType::L1,
        .buffer_layout = TensorMemoryLayout::HEIGHT_SHARDED,
        .shard_parameters =
            ShardSpecBuffer(CoreRangeSet(cores), {kShard * 32, 32}, ShardOrientation::ROW_MAJOR,
                            {32, 32}, {kCores * kShard, 1})};
    Program program = CreateProgram();
    std::vector<std::shared_ptr<Buffer>> buffers;
    for (const std::uint8_t index : {0, 1, 16}) {
        buffers.push_back(CreateBuffer(config));
        CreateCircularBuffer(
            program, cores,
            CircularBufferConfig(kShard * kTileBytes, {{index, tt::DataFormat::Float16_b}})
                .set_page_size(index, kTileBytes)
                .set_globally_allocated_address(*buffers.back()));
    }
    const auto add = CreateKernel(program, kernel("add_in_place.cpp"), cores, ComputeConfig{});
    SetRuntimeArgs(program, add, cores, {kShard});
    const std::vector<bfloat16> a = some_numbers(3);
    const std::vector<bfloat16> b = some_numbers(13);
    detail::WriteToBuffer(buffers[0], a);
    detail::WriteToBuffer(buffers[1], b);
    detail::LaunchProgram(open.device, program);
    std::vector<bfloat16> sums;
    std::vector<bfloat16> last;
    detail::ReadFromBuffer(buffers[2], sums);
    detail::ReadShard(*buffers[2], last, kCores - 1);
    bool is_right = sums.size() == a.size() && last.size() == kShard * constants::TILE_HW;
    for (std::size_t i = 0; is_right && i < sums.size(); ++i) {
        is_right = sums[i] == a[i] + b[i];
    }
    return is_right && std::equal(last.rbegin(), last.rend(), sums.rbegin());
}

}  // namespace metalium_programs
