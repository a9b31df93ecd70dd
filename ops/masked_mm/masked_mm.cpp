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

// Operands that may be missing.
constexpr std::size_t kExpertScales = 3;
constexpr std::size_t kRowScales = kExpertScales + 1;
constexpr std::size_t kZeroPoints = kExpertScales + 2;
constexpr std::size_t kBias = kExpertScales + 3;
constexpr std::size_t kFactors = kExpertScales + 4;

void rules(const OpContext& context, RuleJudge& judge) {
    const TensorSpec& weights = context.inputs[1].spec;
    const auto& spec = context.params<MaskedSpec>();
    judge_product(context.arch, scaled_operands(context.inputs, kExpertScales, spec.parts), false,
                  spec, judge);
    const std::uint32_t experts = weights.shape[0];
    const std::uint32_t rows = num_rows(context.inputs[0].spec.shape);
    // A batch has the same room for every expert.
    judge.require(
        rows % experts == 0, "input",
        fmt::format("has {} rows; allowed: the same number for each of {} experts", rows, experts));
    if (context.has(2)) {
        const Shape& counts = context.inputs[2].spec.shape;
        judge.require(
            num_elements(counts) == experts, "expert_num_tokens",
            fmt::format("is {}; allowed: one for each of {} experts", to_string(counts), experts));
    }
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs[0].spec;
    // Codes of fp8 give bfloat16; products do not keep the input's format.
    output.format = DataFormat::Float16_b;
    output.shape.back() = context.inputs[1].spec.shape[1];
    return {{.spec = output}};
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        const auto& in = context.device_inputs;
        // The same program as grouped_mm: batches replace a list of blocks.
        return expert_product(
            kSpec.name, context.arch,
            {.rows = in[0][p],
             .weights = in[1][p],
             .output = context.device_outputs[0][p],
             .expert_scales = is_given(in, kExpertScales) ? &in[kExpertScales][p] : nullptr,
             .row_scales = is_given(in, kRowScales) ? &in[kRowScales][p] : nullptr,
             .zero_points = is_given(in, kZeroPoints) ? &in[kZeroPoints][p] : nullptr,
             .bias = is_given(in, kBias) ? &in[kBias][p] : nullptr,
             .parts = context.params<MaskedSpec>().parts,
             .expert_factors = is_given(in, kFactors) ? &in[kFactors][p] : nullptr,
             .counts = is_given(in, 2) ? &in[2][p] : nullptr},
            context.params<MaskedSpec>());
    });
}

std::string schedule_words(const OpContext& context) {
    const auto& spec = context.params<MaskedSpec>();
    return product_schedule_words(context.arch,
                                  scaled_operands(context.inputs, kExpertScales, spec.parts),
                                  num_rows(context.inputs[0].spec.shape), spec);
}

std::vector<bool> counted_rows(const ReferenceContext& context) {
    const std::uint32_t rows = num_rows(context.outputs[0].spec.shape);
    // Without counts all rows are valid.
    return context.has(2) ? first_rows(rows, context.read(2)) : std::vector<bool>(rows, true);
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const ProductValues values =
        product_values(context, kExpertScales, context.params<MaskedSpec>().parts);
    const std::size_t batch = num_rows(context.in(0).shape()) / context.in(1).shape()[0];
    HostTensor output = make_host_tensor(context.outputs[0].spec.shape, DataFormat::Float32);
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

LeastWork bound(const BoundContext& context) {
    constexpr std::size_t kCounts = 2;
    double busy = context.in(1).shape[0];
    if (context.has(kCounts)) {
        const std::vector<std::int32_t> counts = context.integers(kCounts);
        busy = static_cast<double>(
            std::ranges::count_if(counts, [](std::int32_t count) { return count > 0; }));
    }
    return expert_work(context, busy, context.in(0).shape.back());
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
                        .valid = valid_of_rows(counted)};
    return kOp;
}

}  // namespace tessera::ops::masked_mm
