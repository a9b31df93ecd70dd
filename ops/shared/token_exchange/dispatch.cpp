// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/token_exchange/dispatch.hpp"

#include <algorithm>

#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/token_exchange/dispatch_program.hpp"

namespace tessera::ops::token_exchange {

std::uint32_t most_rows(const OpContext& context) {
    const auto& spec = context.params<DispatchSpec>();
    const auto devices = static_cast<std::uint32_t>(context.devices.size());
    const std::uint32_t tokens = context.inputs[kTokens].spec.shape[0];
    // In one phase each sender has its own part at the receiver, because the counts are not known
    // yet.
    if (spec.phases == Phases::One) {
        return devices * (spec.capacity != 0 ? spec.capacity : tokens);
    }
    return spec.capacity != 0 ? spec.capacity : devices * tokens;
}

namespace {

// A token's slots are kept in arrays of the kernels.
constexpr std::uint32_t kMostTopK = 64;

void judge_dispatch(const OpContext& context, Form form, RuleJudge& judge) {
    const auto& spec = context.params<DispatchSpec>();
    // Besides the control core, one that puts rows together.
    judge_links(context.arch, spec.links, spec.phases == Phases::One ? 2 : 1, judge);
    const auto devices = static_cast<std::uint32_t>(context.devices.size());
    judge.require(spec.experts % devices == 0 && spec.experts != 0, "experts",
                  fmt::format("is {}; allowed: a multiple of {}, as many on each device",
                              spec.experts, devices));
    const std::uint32_t top_k = context.inputs[kIds].spec.shape[1];
    judge.require(top_k <= kMostTopK, "topk_ids",
                  fmt::format("has {} slots a token; allowed: 1 to {}", top_k, kMostTopK));
    std::uint64_t bytes = 0;
    const DispatchSizes sizes = dispatch_sizes(context, form);
    // Judged with the sizes that the program gets.
    for (const auto& [cb, page, pages] : dispatch_buffers(sizes)) {
        bytes += std::uint64_t{padded(page)} * pages;
    }
    judge.require(bytes <= buffer_room(context.arch), "topk_ids",
                  fmt::format("of {} tokens and {} slots take {} B of circular buffers; a core has "
                              "{} B of L1 for them",
                              sizes.tokens, top_k, bytes, buffer_room(context.arch)));
}

std::vector<TensorPlan> infer_dispatch(const OpContext& context, Form form) {
    const auto& spec = context.params<DispatchSpec>();
    const auto devices = static_cast<std::uint32_t>(context.devices.size());
    const TensorSpec& tokens = context.inputs[kTokens].spec;
    const TensorSpec& weights = context.inputs[kWeights].spec;
    const std::uint32_t top_k = context.inputs[kIds].spec.shape[1];
    const std::uint32_t rows = most_rows(context);
    // At least one, so that a wrong number of experts reaches its rule.
    const std::uint32_t local = std::max(spec.experts / devices, 1U);
    const auto plan = [](Shape shape, DataFormat format) {
        return TensorPlan{.spec = {std::move(shape), format, Layout::ROW_MAJOR}};
    };
    // Scales of quantised tokens go the same way as the tokens and have as many rows.
    const auto rows_of = [&](const TensorSpec& source) {
        return form == Form::Rows ? plan({rows, source.shape[1]}, source.format)
                                  : plan({local, rows, source.shape[1]}, source.format);
    };
    std::vector<TensorPlan> plans{rows_of(tokens)};
    if (form == Form::Rows) {
        plans.push_back(plan({rows, top_k}, DataFormat::Int32));
        plans.push_back(plan({rows, top_k}, weights.format));
        plans.push_back(plan({rows, 2}, DataFormat::UInt32));
        plans.push_back(plan({1, 1}, DataFormat::UInt32));
    } else {
        plans.push_back(plan({local, rows}, DataFormat::UInt32));
        plans.push_back(plan({local, 1}, DataFormat::UInt32));
    }
    // The sender keeps where each slot's row went: the combine's rows come back by it.
    plans.push_back(plan({tokens.shape[0], top_k}, DataFormat::Int32));
    if (context.inputs.size() > kScales) {
        plans.push_back(rows_of(context.inputs[kScales].spec));
    }
    return plans;
}

// Tables of all ranks; in one phase also rows, and their scales, as they arrive.
std::vector<TensorPlan> dispatch_workspaces(const OpContext& context, Form form) {
    const DispatchSizes sizes = dispatch_sizes(context, form);
    std::vector<TensorPlan> plans{
        {.spec = {{sizes.ranks, sizes.table_bytes() / 4}, DataFormat::UInt32, Layout::ROW_MAJOR}}};
    // Rows arrive apart, by sender, and are put together in the output afterwards.
    if (sizes.pair_rows != 0) {
        const std::vector<TensorPlan> outputs = infer_dispatch(context, form);
        plans.push_back(outputs[places_of(form).received]);
        if (sizes.scales_bytes != 0) {
            plans.push_back(outputs[places_of(form).scales]);
        }
    }
    return plans;
}

std::vector<DeviceProgram> dispatch_programs(const OpContext& context, Form form) {
    const DispatchSizes sizes = dispatch_sizes(context, form);
    std::vector<DeviceProgram> programs;
    for (std::uint32_t p = 0; p < sizes.ranks; ++p) {
        const Rank rank{context.arch, context.mesh, context.devices, p,
                        context.params<DispatchSpec>().links};
        programs.push_back({rank.device(), dispatch_program(context, rank, sizes, form)});
    }
    return programs;
}

void check_ids(const OpSpec& spec, Form form, const ReferenceContext& context) {
    for (const HostTensor& values : context.read_all(kIds)) {
        const NamedTable ids{spec.inputs[kIds].name, values};
        check_indices(spec.name, ids, context.params<DispatchSpec>().experts, Nobody::Allowed);
        // A batch has room for one row of each token. Rows to a device name all its experts.
        if (form == Form::Batches) {
            check_selects_once(spec.name, ids);
        }
    }
}

}  // namespace

Op dispatch_op(const OpSpec& spec, Form form) {
    return {
        .spec = spec,
        .params = parameters<DispatchSpec>(kDispatchFields),
        .schedule =
            [](const OpContext& context) {
                const auto phases = context.params<DispatchSpec>().phases;
                return std::string(kDispatchSchedules[phases == Phases::One ? 1 : 0]);
            },
        .rules = [form](const OpContext& context,
                        RuleJudge& judge) { judge_dispatch(context, form, judge); },
        .infer = [form](const OpContext& context) { return infer_dispatch(context, form); },
        .workspaces =
            [form](const OpContext& context) { return dispatch_workspaces(context, form); },
        .programs = [form](const OpContext& context) { return dispatch_programs(context, form); },
        .reference =
            [form](const ReferenceContext& context) { return dispatch_reference(context, form); },
        .check_values =
            [spec, form](const ReferenceContext& context) { check_ids(spec, form, context); }};
}

}  // namespace tessera::ops::token_exchange
