// SPDX-License-Identifier: Apache-2.0
#include "ops/split_zero_experts/split_zero_experts.hpp"

#include <algorithm>

#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"
#include "ops/split_zero_experts/kernels/args.hpp"

namespace tessera::ops::split_zero_experts {
namespace {

using config::field;
using config::Limits;

constexpr std::array kFields{
    field<&SplitSpec::experts>("experts", config::kRequired,
                               "number of experts that compute; higher ids are zero experts",
                               Limits{1, 65536}),
    field<&SplitSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

std::vector<Scratch> scratch_of(std::uint32_t top_k) {
    return {{Cb::Ids, std::uint64_t{4} * top_k}, {Cb::Rows, std::uint64_t{4} * top_k}};
}

void rules(const OpContext& context, RuleJudge& judge) {
    judge_grid(context.arch, context.params<SplitSpec>().grid, judge);
    judge_scratch(context.arch, scratch_of(row_length(context.inputs[only(kInputs)].spec.shape)),
                  "topk_ids", judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec rows = context.inputs[only(kInputs)].spec;
    rows.format = DataFormat::Int32;
    return {{.spec = context.inputs[only(kInputs)].spec}, {.spec = rows}};
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<SplitSpec>();
    const SplitTensors tensors{.ids = &context.device_inputs[only(kInputs)][position].buffer,
                               .routed = &context.device_outputs["routed_ids"_out][position].buffer,
                               .rows = &context.device_outputs["own_rows"_out][position].buffer};
    const Shape& ids = context.inputs[only(kInputs)].spec.shape;
    const SplitArgs args{.top_k = row_length(ids), .experts = spec.experts};
    // Tokens are independent, so they are split over all cores.
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, num_rows(ids));

    Program program = CreateProgram();
    add_scratch(program, work.cores, scratch_of(args.top_k), dram_alignment(context.arch));
    const KernelHandle kernel = CreateKernel(program, "ops/split_zero_experts/kernels/split.cpp",
                                             work.cores, reader_config(args, tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, kernel, share.core,
                 SplitRange{.first_token = share.first, .num_tokens = share.count},
                 addresses_of(tensors));
    }
    return program;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto experts = static_cast<std::int32_t>(context.params<SplitSpec>().experts);
    HostTensor routed = context.read(only(kInputs));
    HostTensor rows = filled_int32(routed.shape, kNobody);
    const auto ids = routed.as<std::int32_t>();
    // An identity zero expert returns the token's own row. The entry of `rows` is therefore the
    // token's number, by which moe_sum adds the row.
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] >= experts) {
            ids[i] = kNobody;
            rows.as<std::int32_t>()[i] = static_cast<std::int32_t>(i / row_length(routed.shape));
        }
    }
    return list_of(std::move(routed), std::move(rows));
}

void check_values(const ReferenceContext& context) {
    // Zero experts have no number of their own: any id from `experts` on is one.
    check_indices(kSpec.name, named_table(kInputs, context, only(kInputs)),
                  std::uint64_t{INT32_MAX} + 1, Nobody::Allowed);
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<SplitSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .reference = reference,
                        .check_values = check_values};
    return kOp;
}

}  // namespace tessera::ops::split_zero_experts
