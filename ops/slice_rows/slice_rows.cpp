// SPDX-License-Identifier: Apache-2.0
#include "ops/slice_rows/slice_rows.hpp"

#include <fmt/format.h>

#include "ops/bound.hpp"
#include "ops/shared/expert_rows/row_moves.hpp"

namespace tessera::ops::slice_rows {
namespace {

using config::field;
using config::Limits;

// Above any tensor that fits, and low enough that first + rows stays within 32 bits.
constexpr Limits kRowNumber{0, 1073741824};

constexpr std::array kFields{
    field<&SliceSpec::rows>("rows", config::kRequired, "number of rows of the slice",
                            Limits{1, kRowNumber.most}),
    field<&SliceSpec::first>("first", "0", "first row on the first device", kRowNumber),
    field<&SliceSpec::stride>("stride", "0",
                              "distance in rows between slices of consecutive devices", kRowNumber),
    field<&SliceSpec::end>("end", "0", "first row that is filled; 0: the end of the input",
                           kRowNumber),
    field<&SliceSpec::fill>("fill", "0", "word that fills rows beyond the input"),
    field<&SliceSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&SliceSpec::cb_depth>("cb_depth", "8",
                                "pages of rows in a CB; half of them travel at a time", kDepth),
};

void rules(const OpContext& context, RuleJudge& judge) {
    judge_row_moves(context.arch, context.inputs["input"_in].spec.page_size(),
                    context.params<SliceSpec>().schedule(), judge);
    const std::uint32_t rows = context.params<SliceSpec>().rows;
    judge.require(rows > 0, "rows", "is 0; allowed: at least 1");
    // A stated shape replaces the inferred one.
    const std::uint32_t made = num_rows(context.outputs[only(kOutputs)].spec.shape);
    judge.require(made == rows, "rows", fmt::format("is {}, and the output has {}", rows, made));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs["input"_in].spec;
    output.shape = {context.params<SliceSpec>().rows, row_length(output.shape)};
    return {{.spec = output}};
}

std::uint32_t first_of(const SliceSpec& spec, std::size_t position) {
    // One step takes a different slice on each device, so data-parallel ranks need no separate
    // programs.
    return spec.first + static_cast<std::uint32_t>(position) * spec.stride;
}

std::uint32_t end_of(const SliceSpec& spec) {
    // The end of the input is not known here; any row number is below this one.
    return spec.end == 0 ? UINT32_MAX : spec.end;
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const auto& spec = context.params<SliceSpec>();
    return on_each(context, [&](std::size_t p) {
        // A limit in device memory shortens the input: its last rows may be left over from a longer
        // step.
        return move_rows(kSpec.name, context.arch,
                         {.input = context.device_inputs["input"_in][p],
                          .output = context.device_outputs[only(kOutputs)][p],
                          .input_limit = is_given(context.device_inputs, "num_rows"_in)
                                             ? &context.device_inputs["num_rows"_in][p]
                                             : nullptr,
                          .first = first_of(spec, p),
                          .end = end_of(spec),
                          .fill = spec.fill},
                         spec.schedule());
    });
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<SliceSpec>();
    const HostTensor input = context.read("input"_in);
    const std::uint32_t given = context.has("num_rows"_in)
                                    ? context.read("num_rows"_in).as<std::uint32_t>()[0]
                                    : UINT32_MAX;
    const std::uint32_t end = std::min({num_rows(input.shape), end_of(spec), given});
    const std::uint32_t first = first_of(spec, context.position);
    // Rows beyond the end are filled, since every device must have the same shape.
    return {moved_rows(input, {spec.rows, row_length(input.shape)}, spec.fill,
                       [&](std::uint32_t row) -> std::optional<std::uint32_t> {
                           return first + row < end ? std::optional(first + row) : std::nullopt;
                       })};
}

LeastWork bound(const BoundContext& context) {
    // The count of rows is a number on the device that the copied part does not show.
    return context.has("num_rows"_in) ? LeastWork{} : copied_bytes(context, "input");
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<SliceSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .bound = bound,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::slice_rows
