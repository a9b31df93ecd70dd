// SPDX-License-Identifier: Apache-2.0
#include "ops/copy/copy.hpp"

#include <algorithm>

#include "ops/buffer_room.hpp"
#include "ops/expect_tensor.hpp"
#include "ops/work_share.hpp"

namespace tessera::ops::copy {
namespace {

constexpr std::uint8_t kCb = 0;

void check(const Inputs& inputs, const Outputs& outputs, const CopySpec& schedule) {
    require(num_elements(inputs.input.spec.shape) > 0, "copy: input {} has no elements",
            describe(inputs.input.spec));
    expect_interleaved("copy", "input", inputs.input);
    expect_tensor("copy", "output", outputs.output, inputs.input.spec);
    require(schedule.cb_depth > 0, "copy: cb_depth is 0; it must be at least 1");
}

/// Distance of pages in the buffer: a page starts at the alignment of either memory.
std::uint32_t page_stride(const Inputs& inputs, const Outputs& outputs) {
    return std::max(inputs.input.buffer.aligned_page_size, outputs.output.buffer.aligned_page_size);
}

void add_buffer(Program& program, const CoreRangeSet& cores, DataFormat format,
                std::uint32_t stride, std::uint32_t depth) {
    CreateCircularBuffer(
        program, cores,
        CircularBufferConfig(stride * depth, {{kCb, format}}).set_page_size(kCb, stride));
}

std::vector<std::uint32_t> page_args(const DeviceTensor& tensor) {
    std::vector<std::uint32_t> args{tensor.spec.page_size()};
    TensorAccessorArgs(tensor.buffer).append_to(args);
    return args;
}

}  // namespace

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const CopySpec& schedule) {
    check(inputs, outputs, schedule);
    const DeviceTensor& input = inputs.input;
    const DeviceTensor& output = outputs.output;
    const std::uint32_t stride = page_stride(inputs, outputs);
    expect_room("copy", arch, std::uint64_t{stride} * schedule.cb_depth);
    const SharedWork work = share_work("copy", arch, schedule.grid, input.spec.num_pages());

    Program program = CreateProgram();
    add_buffer(program, work.cores, input.spec.format, stride, schedule.cb_depth);
    const KernelHandle reader = CreateKernel(program, "ops/copy/kernels/reader.cpp", work.cores,
                                             ReaderDataMovementConfig(page_args(input)));
    const KernelHandle writer = CreateKernel(program, "ops/copy/kernels/writer.cpp", work.cores,
                                             WriterDataMovementConfig(page_args(output)));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, reader, share.core,
                       {input.buffer.address, share.first, share.count});
        SetRuntimeArgs(program, writer, share.core,
                       {output.buffer.address, share.first, share.count});
    }
    return program;
}

HostTensor reference(const HostTensor& input) {
    return input;
}

}  // namespace tessera::ops::copy
