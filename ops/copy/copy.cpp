// SPDX-License-Identifier: Apache-2.0
#include "ops/copy/copy.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/copy/kernels/args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::copy {
namespace {

struct Inputs {
    const DeviceTensor& input;
};

struct Outputs {
    const DeviceTensor& output;
};

/// Returns the distance of pages in the buffer: a page starts at the alignment of either memory.
std::uint32_t page_stride(const Inputs& inputs, const Outputs& outputs) {
    return std::max(inputs.input.buffer.aligned_page_size, outputs.output.buffer.aligned_page_size);
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<CopySpec>();
    judge_grid(context.arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
    const std::uint64_t page = context.inputs[0].spec.page_size();
    // The larger of both alignments: the page must be readable and writable from the same place.
    const std::uint64_t stride = round_up(page, context.arch.dram.alignment.value);
    judge.require(stride * schedule.cb_depth <= buffer_room(context.arch), "cb_depth",
                  fmt::format("{} with pages of {} B takes {} B of circular buffers; a core has {} "
                              "B of L1 for them",
                              schedule.cb_depth, page, stride * schedule.cb_depth,
                              buffer_room(context.arch)));
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const CopySpec& schedule) {
    const DeviceTensor& input = inputs.input;
    const DeviceTensor& output = outputs.output;
    const std::uint32_t stride = page_stride(inputs, outputs);
    // Split by pages, not by elements: a copy does not depend on the shape.
    const SharedWork work = share_work("copy", arch, schedule.grid, input.spec.num_pages());

    const ReaderTensors read{.input = &input.buffer};
    const WriterTensors written{.output = &output.buffer};

    Program program = CreateProgram();
    // With two pages or more the reader fills one while the writer drains another.
    add_circular_buffer(program, work.cores, Cb::Pages, input.spec.format,
                        {schedule.cb_depth, stride});
    const KernelHandle reader =
        CreateKernel(program, "ops/copy/kernels/reader.cpp", work.cores,
                     reader_config(PageArgs{.page_size = input.spec.page_size()}, read));
    const KernelHandle writer =
        CreateKernel(program, "ops/copy/kernels/writer.cpp", work.cores,
                     writer_config(PageArgs{.page_size = output.spec.page_size()}, written));
    for (const WorkShare& share : work.shares) {
        const PageRange range{.first_page = share.first, .num_pages = share.count};
        set_args(program, reader, share.core, addresses_of(read), range);
        set_args(program, writer, share.core, addresses_of(written), range);
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
