// SPDX-License-Identifier: Apache-2.0
#include "ops/gather_rows/gather_rows.hpp"

#include "ops/bound.hpp"
#include "ops/shared/expert_rows/row_moves.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::gather_rows {
namespace {

using config::field;
using config::Limits;

constexpr std::string_view kDepthProse = "pages of rows in a CB; half of them travel at a time";

constexpr std::array kFields{
    field<&GatherSpec::divisor>("divisor", "1", "an entry names row entry / divisor",
                                Limits{1, 65536}),
    field<&GatherSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&GatherSpec::cb_depth>("cb_depth", "8", kDepthProse, kDepth),
};

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<GatherSpec>();
    judge_row_moves(context.arch, context.inputs["input"_in].spec.page_size(), spec.schedule(),
                    judge);
    // An entry may count choices of several tokens: row entry / divisor turns a choice of top_k
    // into its token.
    judge.require(spec.divisor > 0, "divisor", "is 0; allowed: at least 1");
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs["input"_in].spec;
    const std::uint32_t columns = row_length(output.shape);
    output.shape = context.inputs["index"_in].spec.shape;
    output.shape.push_back(columns);
    return {{.spec = output}};
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const auto& spec = context.params<GatherSpec>();
    return on_each(context, [&](std::size_t p) {
        const auto& in = context.device_inputs;
        // Host code and kernels are those of row_moves: gather, put and slice differ only in the
        // source row. A limit skips rows after the routed ones, whose entries are stale.
        return move_rows(kSpec.name, context.arch,
                         {.input = in["input"_in][p],
                          .output = context.device_outputs[only(kOutputs)][p],
                          .index = &in["index"_in][p],
                          .limit = is_given(in, "limit"_in) ? &in["limit"_in][p] : nullptr,
                          .divisor = spec.divisor},
                         spec.schedule());
    });
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto divisor = static_cast<std::int32_t>(context.params<GatherSpec>().divisor);
    const HostTensor input = context.read("input"_in);
    const HostTensor index = context.read("index"_in);
    const auto rows = static_cast<std::int64_t>(num_rows(input.shape));
    Shape shape = index.shape;
    shape.push_back(row_length(input.shape));
    return {moved_rows(input, std::move(shape), 0,
                       [&](std::uint32_t row) -> std::optional<std::uint32_t> {
                           const std::int32_t entry = index.as<std::int32_t>()[row];
                           // The kernel does the same: an entry of no row gives a row of fill.
                           return entry < 0 || entry / divisor >= rows
                                      ? std::nullopt
                                      : std::optional(static_cast<std::uint32_t>(entry / divisor));
                       })};
}

/// Returns flags of counted rows: with `limit`, the first ones.
std::vector<std::vector<bool>> counted(const ReferenceContext& context) {
    return {context.has("limit"_in)
                ? first_rows(num_rows(context.outputs[only(kOutputs)].spec.shape),
                             context.read("limit"_in))
                : std::vector<bool>{}};
}

LeastWork bound(const BoundContext& context) {
    // A row that several entries of the index name may be read once.
    return operand_bytes(context, {"input"});
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<GatherSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .bound = bound,
                        .reference = reference,
                        .valid = valid_of_rows(counted)};
    return kOp;
}

}  // namespace tessera::ops::gather_rows
