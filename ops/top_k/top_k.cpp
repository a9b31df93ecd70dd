// SPDX-License-Identifier: Apache-2.0
#include "ops/top_k/top_k.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"
#include "ops/top_k/kernels/args.hpp"

namespace tessera::ops::top_k {
namespace {

using config::field;
using config::Limits;

constexpr std::array kFields{
    field<&TopKSpec::k>("k", config::kRequired, "number of columns; all if the row has fewer",
                        Limits{1, 1048576}),
    field<&TopKSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

/// Elements and their columns are sorted together, so they take two words.
std::vector<Scratch> scratch_of(std::uint32_t columns, std::uint32_t k) {
    // The row is held whole: selecting looks at each element once a digit.
    const std::uint64_t chosen = std::min(columns, k);
    // The sorted entries are overwritten by the ids, of which there are k also in shorter rows.
    return {{Cb::Scores, std::uint64_t{4} * columns},
            {Cb::Histogram, std::uint64_t{4} * kHistogramWords},
            {Cb::Chosen, 8 * chosen},
            {Cb::Sorted, std::max(8 * chosen, std::uint64_t{4} * k)},
            {Cb::Positions, 64}};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<TopKSpec>();
    const Shape& scores = context.inputs[0].spec.shape;
    judge_grid(context.arch, spec.grid, judge);
    judge.require(spec.k > 0, "k", "is 0; allowed: at least 1");
    judge_scratch(context.arch, scratch_of(row_length(scores), spec.k), "scores", judge);
    // A position limits how many columns of its row are seen, as causal attention needs.
    if (context.inputs.size() > 1) {
        const std::uint64_t entries = num_elements(context.inputs[1].spec.shape);
        judge.require(entries == num_rows(scores), "positions",
                      fmt::format("has {} entries; allowed: one for each of {} rows", entries,
                                  num_rows(scores)));
    }
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs[0].spec;
    output.shape.back() = std::max(context.params<TopKSpec>().k, 1U);
    output.format = DataFormat::Int32;
    return {{.spec = output}};
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<TopKSpec>();
    const DeviceTensor& scores = context.device_inputs[0][position];
    const bool has_positions = context.device_inputs.size() > 1;
    const DeviceTensor* positions = has_positions ? &context.device_inputs[1][position] : nullptr;
    const DeviceTensor& indices = context.device_outputs[0][position];
    const std::uint32_t columns = row_length(scores.spec.shape);
    // Rows are independent; a row is not shared by cores, since the threshold needs all of it.
    const SharedWork work =
        share_work(kSpec.name, context.arch, spec.grid, num_rows(scores.spec.shape));

    Program program = CreateProgram();
    add_scratch(program, work.cores, scratch_of(columns, spec.k), dram_alignment(context.arch));
    const SelectArgs args{.columns = columns,
                          .k = spec.k,
                          .list_width = has_positions ? row_length(positions->spec.shape) : 0};
    const SelectTensors tensors{.scores = &scores.buffer,
                                .positions = has_positions ? &positions->buffer : nullptr,
                                .indices = &indices.buffer};
    const KernelHandle kernel = CreateKernel(program, "ops/top_k/kernels/select.cpp", work.cores,
                                             reader_config(args, tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, kernel, share.core,
                 RowRange{.first_row = share.first, .num_rows = share.count},
                 addresses_of(tensors));
    }
    return program;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor scores = context.read(0);
    const HostTensor positions = context.inputs.size() > 1 ? context.read(1) : HostTensor{};
    const std::size_t columns = row_length(scores.shape);
    HostTensor output = filled_int32(context.outputs[0].spec.shape, -1);
    const std::size_t k = row_length(output.shape);
    for (std::size_t row = 0; row < num_rows(scores.shape); ++row) {
        const auto values = scores.as<float>().subspan(row * columns, columns);
        const std::int64_t last = positions.shape.empty()
                                      ? static_cast<std::int64_t>(columns) - 1
                                      : std::int64_t{positions.as<std::int32_t>()[row]};
        // A position of -1 sees nothing; one beyond the row sees all of it.
        std::vector<std::int32_t> order(static_cast<std::size_t>(
            std::clamp<std::int64_t>(last + 1, 0, static_cast<std::int64_t>(columns))));
        std::iota(order.begin(), order.end(), 0);
        // Stable: equal elements keep the order of their columns, and the lower one is taken first.
        std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) {
            const float x = values[static_cast<std::size_t>(a)];
            const float y = values[static_cast<std::size_t>(b)];
            // NaN is below everything, as in the kernel.
            return x > y || (!std::isnan(x) && std::isnan(y));
        });
        std::copy_n(order.begin(), std::min(k, order.size()),
                    output.as<std::int32_t>().subspan(row * k).begin());
    }
    return list_of(std::move(output));
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<TopKSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::top_k
