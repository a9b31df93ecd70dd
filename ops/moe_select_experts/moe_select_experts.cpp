// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_select_experts/moe_select_experts.hpp"

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::moe_select_experts {
namespace {

using config::field;
using config::Limits;

constexpr Limits kCount{1, 65536};
/// Rows over all experts that a kernel keeps: logits, scores, choices, bias. They are followed by
/// the other outputs of one token, and the groups from which experts are chosen.
constexpr std::uint32_t kRowsOfExperts = 4;
constexpr std::uint32_t kShortRows = 6;
constexpr std::uint32_t kAlignment = 64;  // rows in L1 have DRAM's alignment on any device

constexpr std::array kFields{
    field<&SelectExpertsSpec::scoring>("scoring", "sigmoid", "how logits become scores"),
    field<&SelectExpertsSpec::n_group>("n_group", "1", "groups of neighbouring experts", kCount),
    field<&SelectExpertsSpec::topk_group>("topk_group", "1", "groups that a token chooses from",
                                          kCount),
    field<&SelectExpertsSpec::top_k>("top_k", config::kRequired, "experts of a token", kCount),
    field<&SelectExpertsSpec::normalise>("normalise", "true",
                                         "whether the weights of a token are divided by their sum; "
                                         "those of topk_softmax sum to 1 either way"),
    field<&SelectExpertsSpec::routed_scaling_factor>("routed_scaling_factor", "1",
                                                     "factor of all weights after normalisation"),
    field<&SelectExpertsSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

std::uint32_t row_bytes(std::uint32_t elements) {
    // 4 bytes an element: bfloat16 logits are widened in the same rows.
    return round_up(elements * 4, kAlignment);
}

std::uint32_t short_row_bytes(const SelectExpertsSpec& spec) {
    return row_bytes(std::max(spec.top_k, spec.n_group));
}
std::uint64_t scratch_bytes(const SelectExpertsSpec& spec, std::uint32_t experts) {
    return std::uint64_t{kRowsOfExperts} * row_bytes(experts) +
           std::uint64_t{kShortRows} * short_row_bytes(spec);
}

std::string schedule_words(ParameterRef parameters) {
    const auto& spec = parameters.as<SelectExpertsSpec>();
    return config::Value<RouterScoring>::show(spec.scoring);
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<SelectExpertsSpec>();
    const std::uint32_t experts = context.inputs["router_logits"_in].spec.shape[1];
    judge_grid(context.arch, spec.grid, judge);
    judge.require(spec.n_group >= 1 && experts % spec.n_group == 0, "n_group",
                  fmt::format("{} does not divide {} experts", spec.n_group, experts));
    judge.require(spec.topk_group >= 1 && spec.topk_group <= spec.n_group, "topk_group",
                  fmt::format("is {}; allowed: 1 to n_group, {}", spec.topk_group, spec.n_group));
    // Experts of open groups only: a token cannot choose more.
    const std::uint32_t open = experts / std::max(spec.n_group, 1U) * spec.topk_group;
    judge.require(spec.top_k >= 1 && spec.top_k <= open, "top_k",
                  fmt::format("is {}; allowed: 1 to {}, the experts of {} of {} groups", spec.top_k,
                              open, spec.topk_group, spec.n_group));
    const std::uint64_t bytes = scratch_bytes(spec, experts);
    judge.require(bytes <= buffer_room(context.arch), "router_logits",
                  fmt::format("of {} experts take {} B of L1; a core has {} B", experts, bytes,
                              buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const auto& spec = context.params<SelectExpertsSpec>();
    const Shape& logits = context.inputs["router_logits"_in].spec.shape;
    const auto rows = [&](std::uint32_t columns, DataFormat format) {
        return TensorPlan{.spec = {{logits[0], columns}, format, Layout::ROW_MAJOR}};
    };
    return {rows(spec.top_k, DataFormat::Int32),     rows(spec.top_k, DataFormat::Float32),
            rows(spec.top_k, DataFormat::Float16_b), rows(spec.topk_group, DataFormat::Int32),
            rows(spec.n_group, DataFormat::Float32), rows(logits[1], DataFormat::Float32),
            rows(logits[1], DataFormat::Float32)};
}

// The softmax over the selected logits is a normalisation itself.
bool normalises(const SelectExpertsSpec& spec) {
    return spec.normalise || spec.scoring == RouterScoring::TopkSoftmax;
}

SelectArgs args_of(const OpContext& context) {
    // Outputs left out at the end are neither computed nor stored.
    const auto& spec = context.params<SelectExpertsSpec>();
    const TensorSpec& logits = context.inputs["router_logits"_in].spec;
    const bool has_bias = context.has("bias"_in);
    const bool has_bf16_bias =
        has_bias && context.inputs["bias"_in].spec.format == DataFormat::Float16_b;
    return {.experts = logits.shape[1],
            .n_group = spec.n_group,
            .topk_group = spec.topk_group,
            .top_k = spec.top_k,
            .scoring = static_cast<std::uint32_t>(spec.scoring),
            .has_bias = has_bias ? 1U : 0U,
            .normalises = normalises(spec) ? 1U : 0U,
            .factor_bits = float_word(spec.routed_scaling_factor),
            .row_bytes = row_bytes(logits.shape[1]),
            .short_row_bytes = short_row_bytes(spec),
            .num_outputs =
                static_cast<std::uint32_t>(std::min(context.outputs.size(), kOutputs.size())),
            .has_bf16_logits = logits.format == DataFormat::Float16_b ? 1U : 0U,
            .has_bf16_bias = has_bf16_bias ? 1U : 0U};
}

/// Outputs at the end may be left out.
SelectTensors tensors_of(const OpContext& context, std::size_t position) {
    const auto output = [&](std::size_t i) {
        return i < context.outputs.size() ? &context.device_outputs[i][position].buffer : nullptr;
    };
    return {.logits = &context.device_inputs["router_logits"_in][position].buffer,
            .bias = is_given(context.device_inputs, "bias"_in)
                        ? &context.device_inputs["bias"_in][position].buffer
                        : nullptr,
            .ids = output("topk_ids"_out),
            .weights = output("topk_weights"_out),
            .bf16_weights = output("topk_weights_bf16"_out),
            .groups = output("selected_groups"_out),
            .group_scores = output("group_scores"_out),
            .scores = output("scores"_out),
            .choices = output("scores_for_choice"_out)};
}

// Both RISCs of a core take half of its tokens each, if their rows fit into L1. This and a single
// pass for the best took softmax routing from 188 450 to 30 110 cycles (128 tokens, 256 experts, 64
// cores).
Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<SelectExpertsSpec>();
    const Shape& logits = context.inputs["router_logits"_in].spec.shape;
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, logits[0]);
    const SelectArgs args = args_of(context);
    const SelectTensors tensors = tensors_of(context, position);
    const std::uint64_t scratch = scratch_bytes(spec, logits[1]);
    const std::uint32_t riscs = 2 * scratch <= buffer_room(context.arch) ? 2 : 1;
    Program program = CreateProgram();
    for (std::uint32_t risc = 0; risc < riscs; ++risc) {
        const Cb cb = risc == 0 ? Cb::ReaderScratch : Cb::WriterScratch;
        add_circular_buffer(program, work.cores, cb, DataFormat::UInt32,
                            {1, static_cast<std::uint32_t>(scratch)});
        const KernelHandle kernel =
            CreateKernel(program, "ops/moe_select_experts/kernels/select.cpp", work.cores,
                         risc == 0 ? reader_config(args, tensors) : writer_config(args, tensors));
        for (const WorkShare& share : work.shares) {
            // Halves of a share, so that no token is left between them.
            const std::uint32_t begin = share.count * risc / riscs;
            const std::uint32_t end = share.count * (risc + 1U) / riscs;
            set_args(program, kernel, share.core,
                     SelectShare{.first_token = share.first + begin,
                                 .num_tokens = end - begin,
                                 .scratch_cb = index_of(cb)},
                     addresses_of(tensors));
        }
    }
    return program;
}

std::vector<HostTensor> reference_of_step(const ReferenceContext& context) {
    const HostTensor logits = context.read("router_logits"_in);
    const HostTensor bias = context.has("bias"_in) ? context.read("bias"_in) : HostTensor{};
    return reference(logits, context.has("bias"_in) ? &bias : nullptr,
                     context.params<SelectExpertsSpec>());
}

}  // namespace

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<SelectExpertsSpec>(kFields),
        .schedule = [](const OpContext& context) { return schedule_words(context.parameters); },
        .rules = rules,
        .infer = infer,
        .programs = on_each(make_program),
        .reference = reference_of_step};
    return kOp;
}

}  // namespace tessera::ops::moe_select_experts
