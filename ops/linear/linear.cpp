// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/linear.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <optional>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/linear/split_k.hpp"
#include "ops/shared/core_sharing.hpp"
#include "ops/shared/expert_rows/near_banks.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::linear {
namespace {

constexpr std::array kFields = joined(
    kProductFields<LinearSpec>,
    std::array{
        config::field<&LinearSpec::split_k>(
            "split_k", "0",
            "cores that share K; 0: chosen by the shape, 1 with a stated grid; 1: cores have whole "
            "columns, in strips",
            config::Limits{0, kMostMembers}),
        config::field<&LinearSpec::both_nocs>(
            "both_nocs", "true",
            "if cores share K, and without a grid, the writer reads the weights of some banks over "
            "NoC 1, "
            "so that links are equally full; false: the reader reads all")});

/// Keys of the schedule of expert products.
constexpr std::array<std::string_view, 4> kKeysOfStrips{"strip", "k_block", "k_chunk", "cb_depth"};

bool has_strips(const LinearSpec& spec) {
    return std::ranges::any_of(kFields, [&](const config::Field& field) {
        return std::ranges::find(kKeysOfStrips, field.key) != kKeysOfStrips.end() &&
               field.show(&spec) != field.default_text;
    });
}

/// Returns whether each core has all of K, as in the schedule of expert products.
bool has_whole_k(const LinearSpec& spec) {
    const bool is_chosen = has_strips(spec) || !may_choose_sharing(spec.grid);
    return spec.split_k == 1 || (spec.split_k == 0 && is_chosen) ||
           spec.weight_reads == WeightReads::NearBanks;
}

/// Presents a matrix as a stack of one, whose tiles have the same places.
template <class Tensor>
Tensor as_stack(Tensor weights) {
    weights.spec.shape.insert(weights.spec.shape.begin(), 1);
    return weights;
}

/// Returns whether the weights are read by cores next to their banks. They are read once for every
/// 32 rows, so that more rows choose cores that share K.
bool is_near_banks(const OpContext& context) {
    const auto& spec = context.params<LinearSpec>();
    const bool is_chosen =
        spec.split_k == 0 && num_rows(context.inputs["input"_in].spec.shape) <= kTileRows;
    if (spec.weight_reads == WeightReads::AllBanks ||
        (spec.weight_reads == WeightReads::Auto && !is_chosen)) {
        return false;
    }
    const TensorPlan weights = as_stack(context.inputs["weight"_in]);
    const NearOperands operands{context.inputs["input"_in].spec, weights.spec,
                                !context.has("bias"_in)};
    return near_banks_of(context.arch, operands, spec).has_value();
}

/// Returns how cores share K; nothing for the schedules of expert products.
std::optional<SplitK> split_of(const OpContext& context) {
    const auto& spec = context.params<LinearSpec>();
    if (has_whole_k(spec) || is_near_banks(context)) {
        return std::nullopt;
    }
    return split_k_of(context.arch, spec.grid,
                      shape_of(context.inputs["input"_in].spec, context.inputs["weight"_in].spec,
                               context.has("bias"_in)),
                      spec.split_k);
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<LinearSpec>();
    if (spec.split_k > 1) {
        judge_untaken(kFields, context.parameters, kKeysOfStrips,
                      fmt::format("split_k of {}", spec.split_k), judge);
    }
    const bool has_grid = grid_fault(context.arch, spec.grid).empty();
    const bool is_split = has_grid && split_of(context).has_value();
    // Without a grid nothing can be said about the cores that share K; judge_product() rejects it.
    judge.require(
        is_split || spec.split_k <= 1 || !has_grid, "split_k",
        fmt::format("is {}; allowed: 0, 1, or as many cores as the grid and the {} tiles "
                    "of K have, whose parts fit in L1",
                    spec.split_k,
                    div_up(row_length(context.inputs["input"_in].spec.shape), kTileColumns)));
    if (is_split) {
        return;
    }
    // One matrix is the case of one expert, so that limits and messages are those of expert_rows.
    const TensorPlan weights = as_stack(context.inputs["weight"_in]);
    const TensorPlan bias =
        context.has("bias"_in) ? as_stack(context.inputs["bias"_in]) : TensorPlan{};
    judge_product(context.arch,
                  {.rows = context.inputs["input"_in],
                   .weights = weights,
                   .bias = context.has("bias"_in) ? &bias : nullptr},
                  false, context.params<LinearSpec>(), judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs["input"_in].spec;
    // Weights are (N, K), as checkpoints of linear layers store them; the product takes them
    // transposed.
    output.shape.back() = context.inputs["weight"_in].spec.shape[0];
    return {{.spec = output}};
}

Program strip_program(const OpContext& context, std::size_t p) {
    const DeviceTensor weights = as_stack(context.device_inputs["weight"_in][p]);
    const DeviceTensor bias =
        context.has("bias"_in) ? as_stack(context.device_inputs["bias"_in][p]) : DeviceTensor{};
    LinearSpec schedule = context.params<LinearSpec>();
    if (!is_near_banks(context)) {
        schedule.weight_reads = WeightReads::AllBanks;
    }
    return expert_product(kSpec.name, context.arch,
                          {.rows = context.device_inputs["input"_in][p],
                           .weights = weights,
                           .output = context.device_outputs[0][p],
                           .bias = context.has("bias"_in) ? &bias : nullptr},
                          schedule);
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const std::optional<SplitK> split = split_of(context);
    return on_each(context, [&](std::size_t p) {
        if (!split) {
            return strip_program(context, p);
        }
        const auto& spec = context.params<LinearSpec>();
        return split_k_program(
            context.arch, spec.grid,
            {.rows = context.device_inputs["input"_in][p],
             .weights = context.device_inputs["weight"_in][p],
             .output = context.device_outputs[0][p],
             .bias = context.has("bias"_in) ? &context.device_inputs["bias"_in][p] : nullptr},
            *split, {.fidelity = spec.math_fidelity, .both_nocs = spec.both_nocs});
    });
}

std::string schedule_words(const OpContext& context) {
    return std::string(kSchedules[is_near_banks(context) ? 2 : split_of(context) ? 0 : 1]);
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::vector<float> rows = floats_of(context.read("input"_in));
    const std::vector<float> weights = floats_of(context.read("weight"_in));
    const std::vector<float> bias =
        context.has("bias"_in) ? floats_of(context.read("bias"_in)) : std::vector<float>{};
    const Shape& matrix = context.in("weight"_in).shape();
    const std::size_t n = matrix[0];
    const std::size_t k = matrix[1];
    HostTensor output = make_host_tensor(context.outputs[0].spec.shape, DataFormat::Float32);
    // Rows are independent, so that the host's threads share them without a lock.
    tbb::parallel_for(std::size_t{0}, rows.size() / k, [&](std::size_t row) {
        const auto out = output.as<float>().subspan(row * n, n);
        product_row(std::span(rows).subspan(row * k, k), weights, 1, out);
        for (std::size_t i = 0; i < bias.size(); ++i) {
            out[i] += bias[i];
        }
    });
    return list_of(std::move(output));
}

LeastWork bound(const BoundContext& context) {
    return product_work(context, context.in("input"_in).shape.back());
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<LinearSpec>(kFields),
                        .schedule = schedule_words,
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .bound = bound,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::linear
