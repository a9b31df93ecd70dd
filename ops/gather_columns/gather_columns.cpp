// SPDX-License-Identifier: Apache-2.0
#include "ops/gather_columns/gather_columns.hpp"

#include <algorithm>
#include <cstring>

#include "ops/bound.hpp"
#include "ops/gather_columns/kernels/args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::gather_columns {
namespace {

using config::field;

constexpr std::array kFields{
    field<&GatherSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

/// Returns the rows of the output.
std::uint32_t output_rows(const OpContext& context) {
    return context.has("indices"_in) ? context.inputs["indices"_in].spec.shape[0]
                                     : context.inputs["input"_in].spec.shape[1];
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const TensorSpec& input = context.inputs["input"_in].spec;
    return {{.spec = {{output_rows(context), input.shape[0]}, input.format, Layout::ROW_MAJOR}}};
}

/// Returns the L1 of a core: a row of the output, one of zeros, its indices, and the input.
std::uint64_t scratch_bytes(const OpContext& context, std::uint32_t most_rows) {
    // Every output row needs one column of all input rows, so a core holds the whole input.
    const TensorSpec& input = context.inputs["input"_in].spec;
    const std::uint64_t row = fp8::aligned(infer(context)[only(kOutputs)].spec.page_size());
    const std::uint64_t table = fp8::aligned(most_rows * 4) + fp8::aligned(1);
    return 2 * row + table + std::uint64_t{input.shape[0]} * fp8::aligned(input.page_size());
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<GatherSpec>();
    const TensorSpec& input = context.inputs["input"_in].spec;
    if (!judge_grid(context.arch, spec.grid, judge)) {
        return;
    }
    // The first core has the most rows, so that its table is the largest.
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, output_rows(context));
    const std::uint64_t bytes = scratch_bytes(context, work.shares.front().count);
    judge.require(bytes <= buffer_room(context.arch), "input",
                  fmt::format("of {} takes {} B of L1; a core has {} B", to_string(input.shape),
                              bytes, buffer_room(context.arch)));
}

Program make_program(const OpContext& context, std::size_t position) {
    const DeviceTensor& input = context.device_inputs["input"_in][position];
    const DeviceTensor& output = context.device_outputs[only(kOutputs)][position];
    const SharedWork work = share_work(kSpec.name, context.arch, context.params<GatherSpec>().grid,
                                       output_rows(context));
    const std::uint32_t row_bytes = output.spec.page_size();
    const std::uint32_t input_row = fp8::aligned(input.spec.page_size());
    // One more unit of alignment: a core's first index may begin anywhere in it.
    const std::uint32_t table = fp8::aligned(work.shares.front().count * 4) + fp8::aligned(1);

    Program program = CreateProgram();
    const auto add = [&](Cb cb, DataFormat format, CbSize size) {
        add_circular_buffer(program, work.cores, cb, format, size);
    };
    // Two rows: one is put together, the other stays zero for indices of no column.
    add(Cb::Row, DataFormat::UInt8, {2, fp8::aligned(row_bytes)});
    add(Cb::Table, DataFormat::UInt32, {1, table});
    add(Cb::Input, DataFormat::UInt32, {input.spec.shape[0], input_row});
    const GatherArgs args{.row_bytes = row_bytes,
                          .row_stride = fp8::aligned(row_bytes),
                          .input_rows = input.spec.shape[0],
                          .input_stride = input_row,
                          .input_bytes = input.spec.page_size(),
                          .has_indices = context.has("indices"_in) ? 1U : 0U};
    const GatherTensors tensors{
        .input = &input.buffer,
        .indices = context.has("indices"_in) ? &context.device_inputs["indices"_in][position].buffer
                                             : nullptr,
        .output = &output.buffer};
    const KernelHandle kernel = CreateKernel(program, "ops/gather_columns/kernels/gather.cpp",
                                             work.cores, reader_config(args, tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, kernel, share.core,
                 RowRange{.first_row = share.first, .num_rows = share.count},
                 addresses_of(tensors));
    }
    return program;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor input = context.read("input"_in);
    const HostTensor table = context.has("indices"_in) ? context.read("indices"_in) : HostTensor{};
    HostTensor output = make_host_tensor(context.outputs[only(kOutputs)].spec.shape, input.format);
    const std::size_t width = element_bytes(input.format);
    const std::size_t columns = output.shape[1];
    for (std::size_t i = 0; i < output.shape[0]; ++i) {
        const std::int32_t index =
            context.has("indices"_in) ? table.as<std::int32_t>()[i] : static_cast<std::int32_t>(i);
        // A negative index gives zeros, as the kernel's row of zeros.
        for (std::size_t c = 0; index >= 0 && c < columns; ++c) {
            const auto place = static_cast<std::size_t>(index);
            const std::size_t from = c * input.shape[1] + place;
            std::memcpy(output.bytes.data() + (i * columns + c) * width,
                        input.bytes.data() + from * width, width);
        }
    }
    return list_of(std::move(output));
}

void check_values(const ReferenceContext& context) {
    if (context.has("indices"_in)) {
        check_indices(kSpec.name, named_table(kInputs, context, "indices"_in),
                      context.in("input"_in).shape()[1], Nobody::Allowed);
    }
}

LeastWork bound(const BoundContext& context) {
    // A column that several indices name may be read once.
    return operand_bytes(context, {"input"});
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<GatherSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .bound = bound,
                        .reference = reference,
                        .check_values = check_values,
                        .checked_inputs = {"indices"_in}};
    return kOp;
}

}  // namespace tessera::ops::gather_columns
