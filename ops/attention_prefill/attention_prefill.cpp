// SPDX-License-Identifier: Apache-2.0
#include "ops/attention_prefill/attention_prefill.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "ops/attention/attention.hpp"
#include "ops/expert_rows/tables.hpp"
#include "ops/row_strips/row_strips.hpp"
#include "ops/schedule_fields.hpp"
#include "ops/work_share.hpp"

namespace tessera::ops::attention_prefill {
namespace {

using attention::Shapes;
using config::field;
using config::Limits;

constexpr std::array kFields{
    field<&PrefillSpec::scale>("scale", config::kRequired, "of scores", Limits{1e-30, 1e30}),
    field<&PrefillSpec::block>("block", "4", "key tiles that are worked on together",
                               Limits{1, 16}),
    field<&PrefillSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

/// Extents of a call, in elements.
struct Extents {
    std::uint32_t tokens, heads, nope, rope, value;

    [[nodiscard]] std::uint32_t head() const { return nope + value; }  ///< of a row of kv
};

Extents extents_of(const Shape& nope, const Shape& rope, const Shape& kv) {
    const std::uint32_t heads = nope[nope.size() - 2];
    const std::uint32_t head = row_length(kv) / heads;
    return {num_rows(nope) / heads, heads, row_length(nope), row_length(rope),
            head - std::min(head, row_length(nope))};
}

Extents extents_of(const OpContext& context) {
    const auto shape = [&](std::size_t i) -> const Shape& { return context.inputs[i].spec.shape; };
    return extents_of(shape(0), shape(1), shape(2));
}

Shapes shapes_of(const OpContext& context) {
    const auto& spec = context.params<PrefillSpec>();
    const Extents extents = extents_of(context);
    return {.query_tiles = div_up(extents.nope, kTileColumns) + div_up(extents.rope, kTileColumns),
            .value_tiles = div_up(std::max(extents.value, 1U), kTileColumns),
            .block = std::max(spec.block, 1U),
            .has_values = true,
            .scale = spec.scale,
            .detour_bytes = 2 * (extents.head() + extents.rope) + 2 * dram_alignment(context.arch),
            .page_words = row_length(context.inputs[4].spec.shape)};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<PrefillSpec>();
    judge_grid(context.arch, spec.grid, judge);
    const Extents extents = extents_of(context);
    const std::uint32_t row = row_length(context.inputs[2].spec.shape);
    for (const std::size_t operand : {2UL, 3UL}) {
        const Shape& shape = context.inputs[operand].spec.shape;
        judge.require(num_rows(shape) == extents.tokens, kInputs[operand].name,
                      fmt::format("has {} rows; it must have one for each of {} tokens",
                                  num_rows(shape), extents.tokens));
    }
    judge.require(row_length(context.inputs[3].spec.shape) == extents.rope, "k_rope",
                  fmt::format("has rows of {} elements; the queries' have {}",
                              row_length(context.inputs[3].spec.shape), extents.rope));
    judge.require(
        row % extents.heads == 0, "kv",
        fmt::format("has rows of {} elements, which {} heads do not divide", row, extents.heads));
    judge.require(extents.value > 0, "kv",
                  fmt::format("has {} elements of a head; with {} of its key they leave none for "
                              "values",
                              row / extents.heads, extents.nope));
    judge.require(spec.scale > 0, "scale", fmt::format("is {}; it must be positive", spec.scale));
    judge.require(spec.block > 0, "block", "is 0; it must be at least 1");
    attention::judge_buffers(context.arch, shapes_of(context), judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs[0].spec;
    output.shape.back() = std::max(extents_of(context).value, 1U);
    return {{.spec = output}};
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<PrefillSpec>();
    const Shapes shapes = shapes_of(context);
    const Extents extents = extents_of(context);
    const std::uint32_t sequences = row_length(context.inputs[4].spec.shape);
    // At most: the last tile of each sequence may be partly filled.
    const std::uint32_t units = extents.heads * (div_up(extents.tokens, kTileRows) + sequences);
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, units);

    Program program = CreateProgram();
    attention::add_compute(program, context.arch, work.cores, shapes);
    std::vector<std::uint32_t> words{extents.tokens,     extents.heads,
                                     2 * extents.nope,   2 * extents.rope,
                                     2 * extents.value,  shapes.query_tiles,
                                     shapes.value_tiles, shapes.block,
                                     sequences,          dram_alignment(context.arch)};
    std::vector<std::uint32_t> addresses;
    for (const auto& tensors : context.device_inputs) {
        append_accessors({&tensors[position]}, words);
        addresses.push_back(tensors[position].buffer.address);
    }
    const KernelHandle reader = CreateKernel(program, "ops/attention_prefill/kernels/reader.cpp",
                                             work.cores, ReaderDataMovementConfig(words));
    const DeviceTensor& output = context.device_outputs[0][position];
    const KernelHandle writer = attention::add_writer(program, work.cores, shapes, output, {});
    for (std::uint32_t core = 0; core < work.shares.size(); ++core) {
        std::vector<std::uint32_t> args{core, static_cast<std::uint32_t>(work.shares.size())};
        args.insert(args.end(), addresses.begin(), addresses.end());
        SetRuntimeArgs(program, reader, work.shares[core].core, args);
        SetRuntimeArgs(program, writer, work.shares[core].core, {output.buffer.address, 0, 0});
    }
    return program;
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) { return make_program(context, p); });
}

/// The first token of the sequence of each.
std::vector<std::size_t> starts_of_tokens(const HostTensor& starts, std::size_t tokens) {
    std::vector<std::size_t> first(tokens, 0);
    for (const std::int32_t start : starts.as<std::int32_t>()) {
        const auto at = static_cast<std::size_t>(start);
        std::fill(first.begin() + static_cast<std::ptrdiff_t>(std::min(at, tokens)), first.end(),
                  at);
    }
    return first;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const Extents extents =
        extents_of(context.in(0).shape(), context.in(1).shape(), context.in(2).shape());
    const std::vector<float> q_nope = vector_of(context.read(0));
    const std::vector<float> q_rope = vector_of(context.read(1));
    const std::vector<float> kv = vector_of(context.read(2));
    const std::vector<float> k_rope = vector_of(context.read(3));
    const auto first = starts_of_tokens(context.read(4), extents.tokens);
    HostTensor output = make_host_tensor(context.outputs[0].spec.shape, DataFormat::Float32);
    const std::size_t rows = std::size_t{extents.tokens} * extents.heads;
    tbb::parallel_for(std::size_t{0}, rows, [&](std::size_t row) {
        const std::size_t token = row / extents.heads;
        const auto kv_of = [&](std::size_t key) {
            return ((first[token] + key) * extents.heads + row % extents.heads) * extents.head();
        };
        std::vector<double> sum(extents.value);
        attention::attend(
            token + 1 - first[token], context.params<PrefillSpec>().scale,
            [&](std::size_t key) {
                double product = 0;
                for (std::size_t i = 0; i < extents.nope; ++i) {
                    product += double{q_nope[row * extents.nope + i]} * double{kv[kv_of(key) + i]};
                }
                for (std::size_t i = 0; i < extents.rope; ++i) {
                    product += double{q_rope[row * extents.rope + i]} *
                               double{k_rope[(first[token] + key) * extents.rope + i]};
                }
                return product;
            },
            [&](std::size_t key, double weight) {
                for (std::size_t i = 0; i < sum.size(); ++i) {
                    sum[i] += weight * double{kv[kv_of(key) + extents.nope + i]};
                }
            });
        std::transform(sum.begin(), sum.end(),
                       output.as<float>().subspan(row * extents.value).begin(),
                       [](double value) { return static_cast<float>(value); });
    });
    std::vector<HostTensor> outputs;
    outputs.push_back(std::move(output));
    return outputs;
}

void check_values(const ReferenceContext& context) {
    const HostTensor starts = context.read(4);
    const auto entries = starts.as<std::int32_t>();
    const Shape& q = context.in(0).shape();
    const auto tokens = static_cast<std::int64_t>(num_rows(q) / q[q.size() - 2]);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::int64_t least = i == 0 ? 0 : entries[i - 1];
        require(entries[i] >= least && entries[i] <= (i == 0 ? 0 : tokens),
                "attention_prefill: sequence_starts[{}] is {}; it must be {} to {}: sequences "
                "follow each other from 0 on",
                i, entries[i], least, i == 0 ? 0 : tokens);
    }
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<PrefillSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .reference = reference,
                        .check_values = check_values,
                        .checked_inputs = {4}};
    return kOp;
}

}  // namespace tessera::ops::attention_prefill
