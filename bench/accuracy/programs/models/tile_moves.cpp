// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/models/tile_moves.hpp"

#include <utility>
#include <vector>

namespace tessera::score {

Move allocate_move(Bench& bench, const TensorSpec& input, const TensorSpec& output) {
    return {bench.session().allocate(0, "input", input, BufferType::L1),
            bench.session().allocate(0, "output", output, BufferType::L1)};
}

void add_buffer(Program& program, const CoreRangeSet& cores, std::uint8_t index,
                std::uint32_t pages, std::uint32_t page_bytes, DataFormat format) {
    CreateCircularBuffer(program, cores,
                         CircularBufferConfig(pages * page_bytes, {{index, format}})
                             .set_page_size(index, page_bytes));
}

void add_tile_reader(Program& program, const ops::SharedWork& work, const Buffer& input,
                     const Runs& runs, std::uint32_t filler_words) {
    std::vector<std::uint32_t> args{runs.length, runs.skipped, filler_words};
    TensorAccessorArgs(input).append_to(args);
    const KernelHandle reader = CreateKernel(program, "bench/accuracy/kernels/models/tile_read.cpp",
                                             work.cores, ReaderDataMovementConfig(std::move(args)));
    for (const ops::WorkShare& share : work.shares) {
        const std::uint32_t page =
            runs.first + share.first + share.first / runs.length * runs.skipped;
        SetRuntimeArgs(program, reader, share.core,
                       {input.address, page, share.first % runs.length, share.count});
    }
}

void add_tile_writer(Program& program, const ops::SharedWork& work, const Buffer& output,
                     std::uint8_t cb, std::uint32_t step, EachPage each) {
    std::vector<std::uint32_t> args{cb, step, each == EachPage::BehindBarrier ? 1U : 0U};
    TensorAccessorArgs(output).append_to(args);
    const KernelHandle writer =
        CreateKernel(program, "bench/accuracy/kernels/models/tile_write.cpp", work.cores,
                     WriterDataMovementConfig(std::move(args)));
    for (const ops::WorkShare& share : work.shares) {
        SetRuntimeArgs(program, writer, share.core, {output.address, share.first, share.count});
    }
}

}  // namespace tessera::score
