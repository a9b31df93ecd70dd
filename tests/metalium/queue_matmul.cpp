// SPDX-License-Identifier: Apache-2.0
// Matrix products of the older generation: on one core, and in blocks that a core of each row
// multicasts.
#include "tests/metalium/block_matmul.hpp"
#include "tests/metalium/old_host_programs.hpp"
#include "tests/metalium/queue_programs.hpp"
#include "tt_metal/common/tilize_untilize.hpp"

using namespace tt;
using namespace tt::tt_metal;

namespace metalium_programs {
namespace {

/// Operands and result of a product in DRAM.
struct Matrices {
    explicit Matrices(Device* device)
        : a(dram_buffer(device, kRows * kInner * 2)),
          b(dram_buffer(device, kInner * kColumns * 2)),
          c(dram_buffer(device, kRows * kColumns * 2)) {
        TensorAccessorArgs(a).append_to(reader_args);
        TensorAccessorArgs(b).append_to(reader_args);
        TensorAccessorArgs(c).append_to(writer_args);
    }

    /// Runs the program on operands, and returns whether its result is their product.
    bool gives_product(Device* device, Program& program) const {
        CommandQueue& queue = device->command_queue();
        const std::vector<bfloat16> left = small_numbers(kRows * kInner, 5);
        const std::vector<bfloat16> right = small_numbers(kInner * kColumns, 7);
        std::vector<bfloat16> tiles = left;
        tilize(tiles, kRows, kInner);
        EnqueueWriteBuffer(queue, a, tiles, false);
        tiles = right;
        tilize(tiles, kInner, kColumns);
        EnqueueWriteBuffer(queue, b, tiles, false);
        EnqueueProgram(queue, program, false);
        EnqueueReadBuffer(queue, c, tiles, true);
        untilize(tiles, kRows, kColumns);
        return is_product(tiles, left, right);
    }

    std::shared_ptr<Buffer> a;
    std::shared_ptr<Buffer> b;
    std::shared_ptr<Buffer> c;
    std::vector<std::uint32_t> reader_args;
    std::vector<std::uint32_t> writer_args;
};

void add_cbs(Program& program, const CoreSpecification& cores, std::uint32_t pages) {
    for (const std::uint8_t index : {CB::c_in0, CB::c_in1, CB::c_out0}) {
        add_cb(program, cores, index, pages);
    }
}

void push_place(std::vector<std::uint32_t>& args, const CoreCoord& place) {
    args.push_back(static_cast<std::uint32_t>(place.x));
    args.push_back(static_cast<std::uint32_t>(place.y));
}

}  // namespace

bool matmul_on_one_core() {
    const OpenDevice open;
    const Matrices matrices(open.device);
    constexpr CoreCoord core = {0, 0};
    constexpr std::uint32_t kOutputs = kRows * kColumns / constants::TILE_HW;
    Program program = CreateProgram();
    add_cbs(program, core, 2);
    const auto reader = CreateKernel(program, kernel("read_matmul.cpp"), core,
                                     ReaderDataMovementConfig(matrices.reader_args));
    const auto writer =
        CreateKernel(program, kernel("write_pages.cpp"), core,
                     WriterDataMovementConfig(matrices.writer_args, {{"FROM", "16"}}));
    const auto maths = CreateKernel(program, kernel("matmul.cpp"), core,
                                    ComputeConfig{.math_fidelity = MathFidelity::HiFi4});
    SetRuntimeArgs(
        program, reader, core,
        {matrices.a->address(), matrices.b->address(), 0, kOutputs, kInner / 32, kColumns / 32});
    SetRuntimeArgs(program, maths, core, {kOutputs, kInner / 32});
    SetRuntimeArgs(program, writer, core, {matrices.c->address(), 0, kOutputs});
    return matrices.gives_product(open.device, program);
}

bool matmul_with_multicast() {
    const OpenDevice open;
    const Matrices matrices(open.device);
    const CoreRange cores({0, 0}, {kBlockColumns - 1, kBlockRows - 1});
    Program program = CreateProgram();
    add_cbs(program, cores, 8);
    const std::uint32_t ready = CreateSemaphore(program, cores, 0);
    const std::uint32_t sent = CreateSemaphore(program, cores, 0);
    const auto reader =
        CreateKernel(program, kernel("read_blocks.cpp"), cores,
                     ReaderDataMovementConfig(matrices.reader_args, {{"MULTICAST", "1"}}));
    const auto writer = CreateKernel(program, kernel("write_block.cpp"), cores,
                                     WriterDataMovementConfig(matrices.writer_args));
    const auto maths = CreateKernel(program, kernel("matmul_blocks.cpp"), cores,
                                    ComputeConfig{.math_fidelity = MathFidelity::HiFi4});
    for (std::uint32_t row = 0; row < kBlockRows; ++row) {
        for (std::uint32_t column = 0; column < kBlockColumns; ++column) {
            const auto place = [&](std::size_t x) {
                return open.device->worker_core_from_logical_core(CoreCoord(x, row));
            };
            std::vector<std::uint32_t> args =
                block_reader_args(matrices.a->address(), matrices.b->address(), row, column);
            args.push_back(ready);
            args.push_back(sent);
            push_place(args, place(0));
            push_place(args, place(1));
            push_place(args, place(kBlockColumns - 1));
            args.push_back(kBlockColumns - 1);
            SetRuntimeArgs(program, reader, CoreCoord(column, row), args);
            SetRuntimeArgs(program, writer, CoreCoord(column, row),
                           {matrices.c->address(), row, column, kColumns / 32});
        }
    }
    SetRuntimeArgs(program, maths, cores, {kInnerBlocks});
    return matrices.gives_product(open.device, program);
}

}  // namespace metalium_programs
