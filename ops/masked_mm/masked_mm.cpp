// SPDX-License-Identifier: Apache-2.0
#include "ops/masked_mm/masked_mm.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <limits>

#include "ops/bound.hpp"

namespace tessera::ops::masked_mm {
namespace {

constexpr std::array kOwnFields{
    config::field<&MaskedSpec::parts>("parts", "1", kPartsProse, config::Limits{1, 16}),
};
constexpr auto kFields = joined(kOwnFields, kProductFields<MaskedSpec>);

void rules(const OpContext& context, RuleJudge& judge) {
    const TensorSpec& weights = context.inputs["expert_weights"_in].spec;
    const auto& spec = context.params<MaskedSpec>();
    judge_product(context.arch,
                  scaled_operands(context.inputs, product_places(kInputs), spec.parts), false, spec,
                  judge);
    const std::uint32_t experts = weights.shape[0];
    const std::uint32_t rows = num_rows(context.inputs["input"_in].spec.shape);
    // A batch has the same room for every expert.
    judge.require(
        rows % experts == 0, "input",
        fmt::format("has {} rows; allowed: the same number for each of {} experts", rows, experts));
    if (context.has("expert_num_tokens"_in)) {
        const Shape& counts = context.inputs["expert_num_tokens"_in].spec.shape;
        judge.require(
            num_elements(counts) == experts, "expert_num_tokens",
            fmt::format("is {}; allowed: one for each of {} experts", to_string(counts), experts));
    }
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs["input"_in].spec;
    // Codes of fp8 give bfloat16; products do not keep the input's format.
    output.format = DataFormat::Float16_b;
    output.shape.back() = context.inputs["expert_weights"_in].spec.shape[1];
    return {{.spec = output}};
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        const auto& in = context.device_inputs;
        // The same program as grouped_mm: batches replace a list of blocks.
        return expert_product(
            kSpec.name, context.arch,
            {.rows = in["input"_in][p],
             .weights = in["expert_weights"_in][p],
             .output = context.device_outputs[only(kOutputs)][p],
             .expert_scales =
                 is_given(in, "expert_scales"_in) ? &in["expert_scales"_in][p] : nullptr,
             .row_scales = is_given(in, "row_scales"_in) ? &in["row_scales"_in][p] : nullptr,
             .zero_points = is_given(in, "zero_points"_in) ? &in["zero_points"_in][p] : nullptr,
             .bias = is_given(in, "bias"_in) ? &in["bias"_in][p] : nullptr,
             .parts = context.params<MaskedSpec>().parts,
             .expert_factors =
                 is_given(in, "expert_factors"_in) ? &in["expert_factors"_in][p] : nullptr,
             .counts =
                 is_given(in, "expert_num_tokens"_in) ? &in["expert_num_tokens"_in][p] : nullptr},
            context.params<MaskedSpec>());
    });
}

std::string schedule_words(const OpContext& context) {
    const auto& spec = context.params<MaskedSpec>();
    return product_schedule_words(
        context.arch, scaled_operands(context.inputs, product_places(kInputs), spec.parts),
        num_rows(context.inputs["input"_in].spec.shape), spec);
}

std::vector<bool> counted_rows(const ReferenceContext& context) {
    const std::uint32_t rows = num_rows(context.outputs[only(kOutputs)].spec.shape);
    // Without counts all rows are valid.
    return context.has("expert_num_tokens"_in)
               ? first_rows(rows, context.read("expert_num_tokens"_in))
               : std::vector<bool>(rows, true);
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const ProductValues values =
        product_values(context, product_places(kInputs), context.params<MaskedSpec>().parts);
    const std::size_t batch =
        num_rows(context.in("input"_in).shape()) / context.in("expert_weights"_in).shape()[0];
    HostTensor output =
        make_host_tensor(context.outputs[only(kOutputs)].spec.shape, DataFormat::Float32);
    // Rows after a count are not computed; NaN would show a mistake of `counted`.
    std::ranges::fill(output.as<float>(), std::numeric_limits<float>::quiet_NaN());
    const std::vector<bool> is_counted = counted_rows(context);
    tbb::parallel_for(std::size_t{0}, is_counted.size(), [&](std::size_t row) {
        if (is_counted[row]) {
            values.multiply(row, row / batch, 1.0,
                            output.as<float>().subspan(row * values.n, values.n));
        }
    });
    return list_of(std::move(output));
}

std::vector<std::vector<bool>> counted(const ReferenceContext& context) {
    return {counted_rows(context)};
}

void check_values(const ReferenceContext& context) {
    if (context.has("expert_num_tokens"_in)) {
        check_batch_counts(kSpec.name, named_table(kInputs, context, "expert_num_tokens"_in),
                           num_rows(context.in("input"_in).shape()));
    }
}

LeastWork bound(const BoundContext& context) {
    double busy = context.in("expert_weights"_in).shape[0];
    if (context.has("expert_num_tokens"_in)) {
        const std::vector<std::int32_t> counts = context.integers("expert_num_tokens"_in);
        busy = static_cast<double>(
            std::ranges::count_if(counts, [](std::int32_t count) { return count > 0; }));
    }
    return expert_work(context, "expert_weights"_in, busy, context.in("input"_in).shape.back());
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<MaskedSpec>(kFields),
                        .schedule = schedule_words,
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .bound = bound,
                        .reference = reference,
                        .valid = valid_of_rows(counted),
                        .check_values = check_values,
                        .checked_inputs = {"expert_num_tokens"_in}};
    return kOp;
}

}  // namespace tessera::ops::masked_mm
