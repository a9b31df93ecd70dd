// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/models/tile_moves.hpp"

#include "bench/accuracy/kernels/models/args.hpp"
#include "ops/shared/program_builder.hpp"

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
    const TileReadTensors tensors{.pages = &input};
    const KernelHandle reader = CreateKernel(
        program, "bench/accuracy/kernels/models/tile_read.cpp", work.cores,
        ops::reader_config(
            TileReadArgs{.run = runs.length, .skipped = runs.skipped, .filler_words = filler_words},
            tensors));
    for (const ops::WorkShare& share : work.shares) {
        const std::uint32_t page =
            runs.first + share.first + share.first / runs.length * runs.skipped;
        ops::set_args(
            program, reader, share.core, ops::addresses_of(tensors),
            TileReadRange{.page = page, .place = share.first % runs.length, .count = share.count});
    }
}

void add_tile_writer(Program& program, const ops::SharedWork& work, const Buffer& output,
                     std::uint8_t cb, std::uint32_t step, EachPage each) {
    const TileWriteTensors tensors{.pages = &output};
    const KernelHandle writer = CreateKernel(
        program, "bench/accuracy/kernels/models/tile_write.cpp", work.cores,
        ops::writer_config(
            TileWriteArgs{
                .cb = cb, .step = step, .has_barriers = each == EachPage::BehindBarrier ? 1U : 0U},
            tensors));
    for (const ops::WorkShare& share : work.shares) {
        ops::set_args(program, writer, share.core, ops::addresses_of(tensors),
                      TileWriteRange{.page = share.first, .count = share.count});
    }
}

}  // namespace tessera::score
