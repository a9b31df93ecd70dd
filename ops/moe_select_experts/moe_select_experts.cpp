// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_select_experts/moe_select_experts.hpp"

#include <bit>

#include "emu/base/round_up.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::moe_select_experts {
namespace {

using config::field;
using config::Limits;

constexpr Limits kCount{1, 65536};
/// Rows over all experts that a kernel keeps: logits, scores, choices, bias. Behind them are the
/// other outputs of one token, and which groups experts are chosen from.
constexpr std::uint32_t kRowsOfExperts = 4;
constexpr std::uint32_t kShortRows = 6;
constexpr std::uint32_t kAlignment = 64;  // of rows in L1: that of DRAM on every device

constexpr std::array kFields{
    field<&SelectExpertsSpec::scoring>("scoring", "sigmoid", "how logits become scores"),
    field<&SelectExpertsSpec::n_group>("n_group", "1", "groups of neighbouring experts", kCount),
    field<&SelectExpertsSpec::topk_group>("topk_group", "1", "groups that a token chooses from",
                                          kCount),
    field<&SelectExpertsSpec::top_k>("top_k", config::kRequired, "experts of a token", kCount),
    field<&SelectExpertsSpec::normalise>("normalise", "true",
                                         "whether the weights of a token are divided by their sum"),
    field<&SelectExpertsSpec::routed_scaling_factor>("routed_scaling_factor", "1",
                                                     "factor of all weights after normalisation"),
    field<&SelectExpertsSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

std::uint32_t row_bytes(std::uint32_t elements) {
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
    const std::uint32_t experts = context.inputs[0].spec.shape[1];
    judge_grid(context.arch, spec.grid, judge);
    judge.require(spec.n_group >= 1 && experts % spec.n_group == 0, "n_group",
                  fmt::format("{} does not divide {} experts", spec.n_group, experts));
    judge.require(spec.topk_group >= 1 && spec.topk_group <= spec.n_group, "topk_group",
                  fmt::format("is {}; allowed: 1 to n_group, {}", spec.topk_group, spec.n_group));
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
    const Shape& logits = context.inputs[0].spec.shape;
    const auto rows = [&](std::uint32_t columns, DataFormat format) {
        return TensorPlan{.spec = {{logits[0], columns}, format, Layout::ROW_MAJOR}};
    };
    return {rows(spec.top_k, DataFormat::Int32),     rows(spec.top_k, DataFormat::Float32),
            rows(spec.top_k, DataFormat::Float16_b), rows(spec.topk_group, DataFormat::Int32),
            rows(spec.n_group, DataFormat::Float32), rows(logits[1], DataFormat::Float32),
            rows(logits[1], DataFormat::Float32)};
}

std::uint32_t bits_of(double value) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

/// Of a tensor that is not there the kernel gets the words of another one and a flag.
void append_accessor(std::vector<std::uint32_t>& args, const DeviceTensor& tensor) {
    TensorAccessorArgs(tensor.buffer).append_to(args);
}

// Both RISCs of a core take half of its tokens each, where their rows fit into L1.
void create_kernels(Program& program, const ArchSpec& arch, const SharedWork& work,
                    std::uint64_t scratch, const std::vector<std::uint32_t>& compile_args,
                    const std::vector<std::uint32_t>& addresses) {
    const std::uint32_t riscs = 2 * scratch <= buffer_room(arch) ? 2 : 1;
    for (std::uint8_t risc = 0; risc < riscs; ++risc) {
        const auto bytes = static_cast<std::uint32_t>(scratch);
        CreateCircularBuffer(
            program, work.cores,
            CircularBufferConfig(bytes, {{risc, DataFormat::UInt32}}).set_page_size(risc, bytes));
        const KernelHandle kernel =
            CreateKernel(program, "ops/moe_select_experts/kernels/select.cpp", work.cores,
                         risc == 0 ? ReaderDataMovementConfig(compile_args)
                                   : WriterDataMovementConfig(compile_args));
        for (const WorkShare& share : work.shares) {
            const std::uint32_t begin = share.count * risc / riscs;
            const std::uint32_t end = share.count * (risc + 1U) / riscs;
            std::vector<std::uint32_t> own{share.first + begin, end - begin, risc};
            own.insert(own.end(), addresses.begin(), addresses.end());
            SetRuntimeArgs(program, kernel, share.core, own);
        }
    }
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<SelectExpertsSpec>();
    const DeviceTensor& logits = context.device_inputs[0][position];
    const bool has_bias = context.device_inputs.size() > 1;
    const DeviceTensor& bias = context.device_inputs[has_bias ? 1 : 0][position];
    const std::uint32_t experts = logits.spec.shape[1];
    const auto num_outputs =
        static_cast<std::uint32_t>(std::min(context.outputs.size(), kOutputs.size()));
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, logits.spec.shape[0]);
    std::vector<std::uint32_t> args{experts,
                                    spec.n_group,
                                    spec.topk_group,
                                    spec.top_k,
                                    static_cast<std::uint32_t>(spec.scoring),
                                    has_bias ? 1U : 0U,
                                    spec.normalise ? 1U : 0U,
                                    bits_of(spec.routed_scaling_factor),
                                    row_bytes(experts),
                                    short_row_bytes(spec),
                                    num_outputs,
                                    logits.spec.format == DataFormat::Float16_b ? 1U : 0U,
                                    bias.spec.format == DataFormat::Float16_b ? 1U : 0U};
    append_accessor(args, logits);
    append_accessor(args, bias);
    std::vector<std::uint32_t> addresses{logits.buffer.address, bias.buffer.address};
    for (std::size_t i = 0; i < kOutputs.size(); ++i) {
        const DeviceTensor& output = context.device_outputs[i < num_outputs ? i : 0][position];
        append_accessor(args, output);
        addresses.push_back(output.buffer.address);
    }
    Program program = CreateProgram();
    create_kernels(program, context.arch, work, scratch_bytes(spec, experts), args, addresses);
    return program;
}

std::vector<HostTensor> reference_of_step(const ReferenceContext& context) {
    const HostTensor logits = context.read(0);
    const HostTensor bias = context.inputs.size() > 1 ? context.read(1) : HostTensor{};
    return reference(logits, context.inputs.size() > 1 ? &bias : nullptr,
                     context.params<SelectExpertsSpec>());
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<SelectExpertsSpec>(kFields),
                        .schedule = schedule_words,
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .reference = reference_of_step};
    return kOp;
}

}  // namespace tessera::ops::moe_select_experts
