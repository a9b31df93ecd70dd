// SPDX-License-Identifier: Apache-2.0
#include "ops/put_rows/put_rows.hpp"

#include <algorithm>

#include "ops/bound.hpp"
#include "ops/shared/expert_rows/row_moves.hpp"

namespace tessera::ops::put_rows {
namespace {

using config::field;
using config::Limits;

// Above any tensor that fits, and low enough that first + rows stays within 32 bits.
constexpr Limits kRowNumber{0, 1073741824};

constexpr std::array kFields{
    field<&PutSpec::rows>("rows", config::kRequired, "number of rows of the whole",
                          Limits{1, kRowNumber.most}),
    field<&PutSpec::first>("first", "0", "row of the whole that the first input row is written to",
                           kRowNumber),
    field<&PutSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&PutSpec::cb_depth>("cb_depth", "8",
                              "pages of rows in a CB; half of them travel at a time", kDepth),
};

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<PutSpec>();
    const std::uint32_t count = context.inputs["input"_in].spec.shape[0];
    judge_row_moves(context.arch, context.inputs["input"_in].spec.page_size(), spec.schedule(),
                    judge);
    // In 64 bits: the sum of two allowed row numbers may exceed 32 bits.
    judge.require(std::uint64_t{spec.first} + count <= spec.rows, "first",
                  fmt::format("is {}; allowed with {} rows: 0 to {}", spec.first, count,
                              spec.rows - std::min(spec.rows, count)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs["input"_in].spec;
    output.shape[0] = context.params<PutSpec>().rows;
    return {{.spec = output}};
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const auto& spec = context.params<PutSpec>();
    return on_each(context, [&](std::size_t p) {
        const DeviceTensor& input = context.device_inputs["input"_in][p];
        // Only the rows of the input move; the rest of the whole keeps what an earlier step wrote.
        return move_rows(kSpec.name, context.arch,
                         {.input = input,
                          .output = context.device_outputs[only(kOutputs)][p],
                          .output_first = spec.first,
                          .count = input.spec.shape[0]},
                         spec.schedule());
    });
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<PutSpec>();
    const HostTensor input = context.read("input"_in);
    Shape shape{spec.rows, row_length(input.shape)};
    // A second input is the whole as earlier steps left it. Without one the other rows are
    // undefined.
    HostTensor whole = context.has("whole"_in) ? context.read("whole"_in)
                                               : make_host_tensor(std::move(shape), input.format);
    const std::size_t width = input.bytes.size() / input.shape[0];
    std::ranges::copy(input.bytes,
                      whole.bytes.begin() + static_cast<std::ptrdiff_t>(spec.first * width));
    return {std::move(whole)};
}

std::vector<std::vector<bool>> counted(const ReferenceContext& context) {
    // Only the written rows are compared, because no step has written the rest.
    const auto& spec = context.params<PutSpec>();
    std::vector<bool> rows(spec.rows, false);
    std::fill_n(rows.begin() + spec.first, context.in("input"_in).shape()[0], true);
    return {rows};
}

LeastWork bound(const BoundContext& context) {
    // Rows are read and written once; the rest of the output stays as it is.
    LeastWork work = operand_bytes(context, {"whole", "output"});
    work.dram_bytes *= 2;
    return work;
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<PutSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .bound = bound,
                        .reference = reference,
                        .valid = valid_of_rows(counted)};
    return kOp;
}

}  // namespace tessera::ops::put_rows
