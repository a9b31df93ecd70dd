// SPDX-License-Identifier: Apache-2.0
#include "ops/copy/copy.hpp"

#include <algorithm>

#include "ops/shared/buffer_room.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::copy {
namespace {

struct Inputs {
    const DeviceTensor& input;
};

struct Outputs {
    const DeviceTensor& output;
};

constexpr std::uint8_t kCb = 0;

/// Returns the distance of pages in the buffer: a page starts at the alignment of either memory.
std::uint32_t page_stride(const Inputs& inputs, const Outputs& outputs) {
    return std::max(inputs.input.buffer.aligned_page_size, outputs.output.buffer.aligned_page_size);
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<CopySpec>();
    judge_grid(context.arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
    const std::uint64_t page = context.inputs[0].spec.page_size();
    const std::uint64_t alignment = context.arch.dram.alignment.value;
    // The larger of both alignments: the page must be readable and writable from the same place.
    const std::uint64_t stride = (page + alignment - 1) / alignment * alignment;
    judge.require(stride * schedule.cb_depth <= buffer_room(context.arch), "cb_depth",
                  fmt::format("{} with pages of {} B takes {} B of circular buffers; a core has {} "
                              "B of L1 for them",
                              schedule.cb_depth, page, stride * schedule.cb_depth,
                              buffer_room(context.arch)));
}

void add_buffer(Program& program, const CoreRangeSet& cores, DataFormat format,
                std::uint32_t stride, std::uint32_t depth) {
    // With two pages or more the reader fills one while the writer drains another.
    CreateCircularBuffer(
        program, cores,
        CircularBufferConfig(stride * depth, {{kCb, format}}).set_page_size(kCb, stride));
}

// Reader and writer have the same arguments for different tensors.
std::vector<std::uint32_t> page_args(const DeviceTensor& tensor) {
    std::vector<std::uint32_t> args{tensor.spec.page_size()};
    TensorAccessorArgs(tensor.buffer).append_to(args);
    return args;
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const CopySpec& schedule) {
    const DeviceTensor& input = inputs.input;
    const DeviceTensor& output = outputs.output;
    const std::uint32_t stride = page_stride(inputs, outputs);
    // By pages, not by elements: a copy knows no shape.
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

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        return make_program(context.arch, {context.device_inputs[0][p]},
                            {context.device_outputs[0][p]}, context.params<CopySpec>());
    });
}

}  // namespace

const Op& op() {
    // The reference is the input itself: the bytes must be equal.
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<CopySpec>(kCopyFields),
        .rules = rules,
        .infer = like_first_input,
        .programs = programs,
        .reference = [](const ReferenceContext& context) -> std::vector<HostTensor> {
            return {context.read(0)};
        }};
    return kOp;
}

}  // namespace tessera::ops::copy
