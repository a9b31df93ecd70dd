// SPDX-License-Identifier: Apache-2.0
#include "ops/grouped_mm/grouped_mm.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <set>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"

namespace tessera::ops::grouped_mm {
namespace {

using config::field;
using config::Limits;

constexpr std::array kOwnFields{
    field<&GroupedSpec::block_size>("block_size", config::kRequired, "rows of a block",
                                    Limits{1, 128}),
    field<&GroupedSpec::top_k>("top_k", "1", "choices of an input row, where rows are by choice",
                               Limits{1, 65536}),
    field<&GroupedSpec::num_choices>(
        "num_choices", "0", "entries of the list from this one name no row; 0: input rows × top_k",
        Limits{0, 1073741824}),
    field<&GroupedSpec::input_rows>("input_rows", "choice",
                                    "row of the input: choice / top_k, or place in the list"),
    field<&GroupedSpec::apply_weights>("apply_weights", "true",
                                       "multiplies rows by topk_weights, if they are given"),
    field<&GroupedSpec::parts>("parts", "1", kPartsProse, Limits{1, 16}),
    field<&GroupedSpec::output_rows>("output_rows", "choice",
                                     "row of the output: choice, or place in the list"),
};
constexpr auto kFields = joined(kOwnFields, kProductFields<GroupedSpec>);

std::uint32_t choices_of(std::span<const TensorPlan> inputs, const GroupedSpec& spec) {
    // By default each row of the input has top_k choices.
    return spec.num_choices == 0 ? num_rows(inputs["input"_in].spec.shape) * spec.top_k
                                 : spec.num_choices;
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<GroupedSpec>();
    judge.require(spec.block_size >= 1 && spec.block_size <= 128, "block_size",
                  fmt::format("is {}; allowed: 1 to 128", spec.block_size));
    judge.require(spec.top_k > 0, "top_k", "is 0; allowed: at least 1");
    const bool is_weighted = context.has("topk_weights"_in);
    judge_product(context.arch,
                  scaled_operands(context.inputs, product_places(kInputs), spec.parts),
                  is_weighted && spec.apply_weights, spec, judge);
    const std::uint32_t rows = num_rows(context.inputs["input"_in].spec.shape);
    const std::uint32_t entries = context.inputs["sorted_token_ids"_in].spec.shape[0];
    // Rows by place are those of the list, so each entry needs a row.
    judge.require(
        spec.input_rows == RowsBy::Choice || rows >= entries, "input",
        fmt::format("has {} rows; allowed by place: one for each of {} entries", rows, entries));
    judge.require(spec.output_rows == RowsBy::Place || spec.input_rows == RowsBy::Choice ||
                      spec.num_choices != 0,
                  "num_choices", "is 0; required from rows by place to rows by choice");
    if (is_weighted) {
        const auto choices =
            static_cast<std::uint32_t>(num_elements(context.inputs["topk_weights"_in].spec.shape));
        judge.require(choices == choices_of(context.inputs, spec), "topk_weights",
                      fmt::format("are {}; allowed: one for each of {} choices", choices,
                                  choices_of(context.inputs, spec)));
    }
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const auto& spec = context.params<GroupedSpec>();
    const TensorSpec& input = context.inputs["input"_in].spec;
    const std::uint32_t choices = choices_of(context.inputs, spec);
    Shape shape{
        // By place there is one row per entry, including padding; by choice one row per choice.
        spec.output_rows == RowsBy::Place ? context.inputs["sorted_token_ids"_in].spec.shape[0]
                                          : std::max(choices, 1U),
        0};
    // A product with the same number of rows keeps the input's shape, so a stack stays a stack.
    if (spec.output_rows == RowsBy::Choice && choices == num_rows(input.shape)) {
        shape = input.shape;
    }
    shape.back() = context.inputs["expert_weights"_in].spec.shape[1];
    return {{.spec = {shape, DataFormat::Float16_b, Layout::ROW_MAJOR}}};
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const auto& spec = context.params<GroupedSpec>();
    return on_each(context, [&](std::size_t p) {
        const auto& in = context.device_inputs;
        return expert_product(
            kSpec.name, context.arch,
            {.rows = in["input"_in][p],
             .weights = in["expert_weights"_in][p],
             .output = context.device_outputs[only(kOutputs)][p],
             .sorted_ids = &in["sorted_token_ids"_in][p],
             .expert_ids = &in["expert_ids"_in][p],
             .num_listed = &in["num_tokens_post_padded"_in][p],
             .block_size = spec.block_size,
             .reads_by_choice = spec.input_rows == RowsBy::Choice,
             .writes_by_choice = spec.output_rows == RowsBy::Choice,
             .top_k = spec.top_k,
             .num_choices = choices_of(context.inputs, spec),
             .topk_weights = is_given(in, "topk_weights"_in) && spec.apply_weights
                                 ? &in["topk_weights"_in][p]
                                 : nullptr,
             .expert_scales =
                 is_given(in, "expert_scales"_in) ? &in["expert_scales"_in][p] : nullptr,
             .row_scales = is_given(in, "row_scales"_in) ? &in["row_scales"_in][p] : nullptr,
             .zero_points = is_given(in, "zero_points"_in) ? &in["zero_points"_in][p] : nullptr,
             .bias = is_given(in, "bias"_in) ? &in["bias"_in][p] : nullptr,
             .parts = spec.parts,
             .expert_factors =
                 is_given(in, "expert_factors"_in) ? &in["expert_factors"_in][p] : nullptr},
            spec);
    });
}

std::string schedule_words(const OpContext& context) {
    const auto& spec = context.params<GroupedSpec>();
    return product_schedule_words(
        context.arch, scaled_operands(context.inputs, product_places(kInputs), spec.parts),
        choices_of(context.inputs, spec), spec);
}

/// An entry of the list that has a product.
struct Entry {
    std::uint32_t source = 0;
    std::uint32_t target = 0;
    std::uint32_t id = 0;
    std::int32_t expert = 0;
};

std::vector<Entry> entries_of(const ReferenceContext& context) {
    const auto& spec = context.params<GroupedSpec>();
    const HostTensor ids = context.read("sorted_token_ids"_in);
    const HostTensor experts = context.read("expert_ids"_in);
    const auto end =
        static_cast<std::uint32_t>(context.read("num_tokens_post_padded"_in).as<std::int32_t>()[0]);
    // The same default as choices_of, from the reference's context.
    const std::uint32_t choices = spec.num_choices == 0
                                      ? num_rows(context.in("input"_in).shape()) * spec.top_k
                                      : spec.num_choices;
    std::vector<Entry> entries;
    for (std::uint32_t place = 0; place < std::min(end, ids.shape[0]); ++place) {
        const auto id = static_cast<std::uint32_t>(ids.as<std::int32_t>()[place]);
        const std::int32_t expert = experts.as<std::int32_t>()[place / spec.block_size];
        // By choice, rows of other devices' experts are zeros, because a sum over choices reads
        // them. By place they are unchanged.
        const bool is_written = expert != kNobody || spec.output_rows == RowsBy::Choice;
        if (id < choices && is_written) {
            entries.push_back({spec.input_rows == RowsBy::Choice ? id / spec.top_k : place,
                               spec.output_rows == RowsBy::Choice ? id : place, id, expert});
        }
    }
    return entries;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const ProductValues values =
        product_values(context, product_places(kInputs), context.params<GroupedSpec>().parts);
    const bool is_weighted =
        context.has("topk_weights"_in) && context.params<GroupedSpec>().apply_weights;
    const HostTensor weights = is_weighted ? context.read("topk_weights"_in) : HostTensor{};
    HostTensor output =
        make_host_tensor(context.outputs[only(kOutputs)].spec.shape, DataFormat::Float32);
    // Rows that no entry names must not be compared; NaN would show a mistake of `counted`.
    std::ranges::fill(output.as<float>(), std::numeric_limits<float>::quiet_NaN());
    const std::vector<Entry> entries = entries_of(context);
    tbb::parallel_for(std::size_t{0}, entries.size(), [&](std::size_t i) {
        const Entry& entry = entries[i];
        const auto out = output.as<float>().subspan(entry.target * values.n, values.n);
        if (entry.expert == kNobody) {
            std::ranges::fill(out, 0.0F);
            return;
        }
        values.multiply(entry.source, static_cast<std::size_t>(entry.expert),
                        is_weighted ? static_cast<double>(weights.as<float>()[entry.id]) : 1.0,
                        out);
    });
    return list_of(std::move(output));
}

std::vector<std::vector<bool>> counted(const ReferenceContext& context) {
    std::vector<bool> rows(num_rows(context.outputs[only(kOutputs)].spec.shape), false);
    for (const Entry& entry : entries_of(context)) {
        rows[entry.target] = true;
    }
    return {rows};
}

void check_values(const ReferenceContext& context) {
    const NamedTable listed = named_table(kInputs, context, "num_tokens_post_padded"_in);
    // The list's end controls the kernel, so it is checked first.
    const std::uint32_t entries = context.in("sorted_token_ids"_in).shape()[0];
    check_indices(kSpec.name, listed, std::uint64_t{entries} + 1, Nobody::Forbidden);
    // Blocks after the listed entries belong to no expert.
    const std::uint32_t live =
        div_up(listed.values.as<std::uint32_t>()[0], context.params<GroupedSpec>().block_size);
    check_indices(kSpec.name, named_table(kInputs, context, "expert_ids"_in),
                  context.in("expert_weights"_in).shape()[0], Nobody::Allowed, live);
}

LeastWork bound(const BoundContext& context) {
    // Blocks after the end of the list hold nothing.
    const auto listed =
        static_cast<std::size_t>(std::max(context.integers("num_tokens_post_padded"_in).at(0), 0));
    std::vector<std::int32_t> experts = context.integers("expert_ids"_in);
    experts.resize(std::min(experts.size(), listed / context.params<GroupedSpec>().block_size));
    const std::set<std::int32_t> busy(experts.begin(), experts.end());
    return expert_work(context, "expert_weights"_in,
                       static_cast<double>(busy.size() - busy.count(kNobody)),
                       context.in("input"_in).shape.back());
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<GroupedSpec>(kFields),
                        .schedule = schedule_words,
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .bound = bound,
                        .reference = reference,
                        .valid = valid_of_rows(counted),
                        .check_values = check_values,
                        .checked_inputs = {"expert_ids"_in, "num_tokens_post_padded"_in}};
    return kOp;
}

}  // namespace tessera::ops::grouped_mm
