// SPDX-License-Identifier: Apache-2.0
#include "ops/copy/copy.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/copy/kernels/args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/moved_values.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::copy {
namespace {

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<CopySpec>();
    judge_grid(context.arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
    const std::uint64_t page = context.inputs[only(kInputs)].spec.page_size();
    // The larger of both alignments: the page must be readable and writable from the same place.
    const std::uint64_t stride = round_up(page, context.arch.dram.alignment.value);
    judge.require(stride * schedule.cb_depth <= buffer_room(context.arch), "cb_depth",
                  fmt::format("{} with pages of {} B takes {} B of circular buffers; a core has {} "
                              "B of L1 for them",
                              schedule.cb_depth, page, stride * schedule.cb_depth,
                              buffer_room(context.arch)));
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& schedule = context.params<CopySpec>();
    const DeviceTensor& input = context.device_inputs[only(kInputs)][position];
    const DeviceTensor& output = context.device_outputs[only(kOutputs)][position];
    // A page in the buffer starts at the alignment of either memory.
    const std::uint32_t stride =
        std::max(input.buffer.aligned_page_size, output.buffer.aligned_page_size);
    // Split by pages, not by elements: a copy does not depend on the shape.
    const SharedWork work =
        share_work(kSpec.name, context.arch, schedule.grid, input.spec.num_pages());

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

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<CopySpec>(kCopyFields),
                        .rules = rules,
                        .infer = like_first_input,
                        .programs = on_each(make_program),
                        .reference = first_input};
    return kOp;
}

}  // namespace tessera::ops::copy
