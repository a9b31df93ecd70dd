// SPDX-License-Identifier: Apache-2.0
#include "ops/linear/linear.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <optional>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/linear/multicast.hpp"
#include "ops/linear/split_k.hpp"
#include "ops/shared/bank_nocs.hpp"
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
            "so that links are equally full; false: the reader reads all"),
        config::field<&LinearSpec::multicast>(
            "multicast", "auto",
            "always: rows of cores share input tiles and columns of cores share weights, which one "
            "core reads and sends to the others; never: each core reads its own operands; auto: "
            "always for more than 128 rows (64 if one NoC reads as fast as both) and 96 columns, "
            "without grid, split_k and keys of other schedules")});

/// Keys of the schedule of expert products.
constexpr std::array<std::string_view, 4> kKeysOfStrips{"strip", "k_block", "k_chunk", "cb_depth"};

/// Keys that the schedule of operands by multicast does not take.
constexpr std::array<std::string_view, 8> kKeysOfOthers{"strip",        "k_block",  "k_chunk",
                                                        "cb_depth",     "split_k",  "bank_cores",
                                                        "weight_reads", "tile_rows"};

bool has_strips(const LinearSpec& spec) {
    return std::ranges::any_of(kFields, [&](const config::Field& field) {
        return std::ranges::find(kKeysOfStrips, field.key) != kKeysOfStrips.end() &&
               field.show(&spec) != field.default_text;
    });
}

/// Returns whether operands are shared by multicast if nothing is stated. Cores that share K read
/// weights again for every 128 rows. Up to 128 rows they are faster on a Wormhole (1.2 to 1.4 times
/// with 128 rows), since they read over both NoCs. If one NoC reads as fast as both, 65 rows are
/// enough: with 128 rows multicast took 0.47 to 0.96 of the time on a Blackhole. With two columns of
/// tiles too few cores have work.
bool prefers_multicast(const ArchSpec& arch, const ProductShape& shape) {
    constexpr std::uint32_t kLeastColumns = 3 * kTileColumns + 1;
    constexpr std::uint32_t kFewRows = 64;
    constexpr std::uint32_t kManyRows = 128;
    if (shape.rows <= kFewRows || shape.columns < kLeastColumns) {
        return false;
    }
    // The distribution over the NoCs takes long to find, so it is asked for last.
    return shape.rows > kManyRows ||
           std::ranges::none_of(banks_over_noc1(arch), [](auto banks) { return banks != 0; });
}

/// Returns how cores share operands by multicast; nothing for the other schedules.
std::optional<Multicast> multicast_for(const OpContext& context) {
    const auto& spec = context.params<LinearSpec>();
    const ProductShape shape = shape_of(context.inputs["input"_in].spec,
                                        context.inputs["weight"_in].spec, context.has("bias"_in));
    const bool is_chosen = spec.multicast == ShareByMulticast::Auto &&
                           prefers_multicast(context.arch, shape) && spec.split_k == 0 &&
                           spec.weight_reads == WeightReads::Auto &&
                           may_choose_sharing(spec.grid) && !has_strips(spec);
    if (spec.multicast != ShareByMulticast::Always && !is_chosen) {
        return std::nullopt;
    }
    return multicast_of(context.arch, spec.grid, shape);
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

/// Checks the schedule of operands by multicast; returns whether it is the one of the step.
bool judge_multicast(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<LinearSpec>();
    const bool is_multicast = multicast_for(context).has_value();
    if (spec.multicast == ShareByMulticast::Always) {
        judge_untaken(kFields, context.parameters, kKeysOfOthers, "multicast: always", judge);
        judge.require(is_multicast, "multicast",
                      "is always; allowed: never or auto, or more than 32 rows and 32 columns of "
                      "the output, and at least two rows and two columns of cores");
    }
    return is_multicast;
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<LinearSpec>();
    if (spec.split_k > 1) {
        judge_untaken(kFields, context.parameters, kKeysOfStrips,
                      fmt::format("split_k of {}", spec.split_k), judge);
    }
    const bool has_grid = grid_fault(context.arch, spec.grid).empty();
    if (has_grid && judge_multicast(context, judge)) {
        return;
    }
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
                           .output = context.device_outputs[only(kOutputs)][p],
                           .bias = context.has("bias"_in) ? &bias : nullptr},
                          schedule);
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const auto& spec = context.params<LinearSpec>();
    const std::optional<Multicast> multicast = multicast_for(context);
    const std::optional<SplitK> split = multicast ? std::nullopt : split_of(context);
    return on_each(context, [&](std::size_t p) {
        if (!multicast && !split) {
            return strip_program(context, p);
        }
        const SplitTensors tensors{
            .rows = context.device_inputs["input"_in][p],
            .weights = context.device_inputs["weight"_in][p],
            .output = context.device_outputs[only(kOutputs)][p],
            .bias = context.has("bias"_in) ? &context.device_inputs["bias"_in][p] : nullptr};
        return multicast
                   ? multicast_program(context.arch, tensors, *multicast, spec.math_fidelity)
                   : split_k_program(context.arch, spec.grid, tensors, *split,
                                     {.fidelity = spec.math_fidelity, .both_nocs = spec.both_nocs});
    });
}

std::string schedule_words(const OpContext& context) {
    return std::string(kSchedules[multicast_for(context)   ? 3
                                  : is_near_banks(context) ? 2
                                  : split_of(context)      ? 0
                                                           : 1]);
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::vector<float> rows = floats_of(context.read("input"_in));
    const std::vector<float> weights = floats_of(context.read("weight"_in));
    const std::vector<float> bias =
        context.has("bias"_in) ? floats_of(context.read("bias"_in)) : std::vector<float>{};
    const Shape& matrix = context.in("weight"_in).shape();
    const std::size_t n = matrix[0];
    const std::size_t k = matrix[1];
    HostTensor output =
        make_host_tensor(context.outputs[only(kOutputs)].spec.shape, DataFormat::Float32);
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
