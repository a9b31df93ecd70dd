// SPDX-License-Identifier: Apache-2.0
#include "ops/attention_prefill/attention_prefill.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/attention_prefill/heads.hpp"
#include "ops/attention_prefill/kernels/args.hpp"
#include "ops/shared/attention/attention.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/row_strips/row_strips.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::attention_prefill {
namespace {

using attention::Shapes;
using config::field;
using config::Limits;

constexpr std::array kFields{
    field<&PrefillSpec::scale>("scale", config::kRequired, "factor of scores", Limits{1e-30, 1e30}),
    field<&PrefillSpec::block>("block", "4", "key tiles per block of work", Limits{1, 16}),
    field<&PrefillSpec::page_size>("page_size", "32", "positions of a page of the caches",
                                   Limits{1, 65536}),
    field<&PrefillSpec::kv_heads>("kv_heads", "1", "heads of keys and values, with `values`",
                                  Limits{1, 65536}),
    field<&PrefillSpec::window>("window", "0",
                                "positions that a token sees, including its own; 0: all",
                                Limits{0, 4294967295.0}),
    field<&PrefillSpec::strips>(
        "strips", "0", "heads that share keys in a unit of work; 0: as many as keep cores busy",
        Limits{0, 64}),
    field<&PrefillSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

/// Extents of a call, in elements.
struct Extents {
    std::uint32_t tokens, heads, nope, rope, value;
    std::uint32_t sequences;
    std::uint32_t key_rows;    ///< rows of kv
    std::uint32_t rows_each;   ///< key rows per sequence; 0: as many as its tokens
    std::uint32_t num_chosen;  ///< entries of a token; 0: no lists

    [[nodiscard]] std::uint32_t head() const { return nope + value; }  ///< in a row of kv
    [[nodiscard]] std::uint32_t most_keys() const {                    ///< per sequence
        return rows_each != 0 ? rows_each : key_rows;
    }
};

/// `shape` gives the shape of each input that `context` has.
template <class Context, class ShapeOf>
Extents extents_from(const Context& context, const ShapeOf& shape) {
    const std::uint32_t heads = shape(0)[shape(0).size() - 2];
    const std::uint32_t nope = row_length(shape(0));
    const std::uint32_t head = row_length(shape(2)) / heads;
    const std::uint32_t sequences = row_length(shape(4));
    const std::uint32_t key_rows = num_rows(shape(2));
    // Keys and values of a head are one row of kv, key first. With contexts each sequence has a
    // fixed part of the rows. Without them its rows are those of its tokens.
    return {.tokens = num_rows(shape(0)) / heads,
            .heads = heads,
            .nope = nope,
            .rope = context.has(kQueryRope) ? row_length(shape(kQueryRope)) : 0,
            // 0 and not a negative number, so that rules() can refuse rows that are too short.
            .value = head - std::min(head, nope),
            .sequences = sequences,
            .key_rows = key_rows,
            .rows_each = context.has(kContexts) ? key_rows / sequences : 0,
            .num_chosen = context.has(kChosen) ? row_length(shape(kChosen)) : 0};
}

Extents extents_of(const OpContext& context) {
    return extents_from(
        context, [&](std::size_t i) -> const Shape& { return context.inputs[i].spec.shape; });
}

Extents extents_of(const ReferenceContext& context) {
    return extents_from(context,
                        [&](std::size_t i) -> const Shape& { return context.in(i).shape(); });
}

/// Words of bits for each token of a tile and each tile of keys, in the reader's layout. A list of
/// chosen positions becomes bits, so that a mask needs no search.
std::uint32_t words_of_lists(const Extents& extents) {
    return extents.num_chosen == 0 ? 0
                                   : round_up(extents.num_chosen, kTileRows) +
                                         kTileRows * div_up(extents.most_keys(), kTileRows);
}

Shapes shapes_of(const OpContext& context) {
    const auto& spec = context.params<PrefillSpec>();
    // Both parts of a query begin with a tile of their own, as those of a key do.
    const Extents extents = extents_of(context);
    // A key's part of a row may start at any byte; then it is read to a separate buffer and moved.
    return {.query_tiles = div_up(extents.nope, kTileColumns) + div_up(extents.rope, kTileColumns),
            .value_tiles = div_up(std::max(extents.value, 1U), kTileColumns),
            .block = std::max(spec.block, 1U),
            .has_values = true,
            .scale = spec.scale,
            .detour_bytes = 2 * (extents.head() + extents.rope) + 2 * dram_alignment(context.arch),
            .page_words = 2 * round_up(extents.sequences, kTileRows),
            .chosen_words = words_of_lists(extents)};
}

void judge_rows(const OpContext& context, const Extents& extents, RuleJudge& judge) {
    const auto require_one_each = [&](std::size_t operand) {
        const std::uint32_t rows = num_rows(context.inputs[operand].spec.shape);
        judge.require(
            rows == extents.tokens, kInputs[operand].name,
            fmt::format("has {} rows; allowed: one for each of {} tokens", rows, extents.tokens));
    };
    if (extents.num_chosen != 0) {
        require_one_each(kChosen);
    }
    // Without contexts the keys are those of the tokens themselves.
    if (extents.rows_each == 0) {
        require_one_each(2);
        require_one_each(3);
        return;
    }
    const std::uint32_t rope_rows = num_rows(context.inputs["k_rope"_in].spec.shape);
    judge.require(rope_rows == extents.key_rows, "k_rope",
                  fmt::format("has {} rows; kv has {}", rope_rows, extents.key_rows));
    judge.require(
        extents.key_rows % extents.sequences == 0, "kv",
        fmt::format("has {} rows; allowed with contexts: as many for each of {} sequences",
                    extents.key_rows, extents.sequences));
}

/// Checks operands and parameters of the other form, in which keys and values have heads.
bool judge_form(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<PrefillSpec>();
    for (const std::size_t operand : {kQueryRope, kKeyRope}) {
        judge.require(context.has(operand), kInputs[operand].name,
                      "is missing; allowed: left out with `values` only");
    }
    for (const std::size_t operand : {kPageTable, kSinks}) {
        judge.require(!context.has(operand), kInputs[operand].name,
                      "is given without `values`, which it needs");
    }
    judge.require(spec.strips == 0, "strips",
                  fmt::format("is {}; allowed without `values`: 0", spec.strips));
    attention::judge_heads({1, spec.kv_heads}, spec.window, false, judge);
    return context.has(kQueryRope) && context.has(kKeyRope);
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<PrefillSpec>();
    judge_grid(context.arch, spec.grid, judge);
    judge.require(spec.scale > 0, "scale",
                  fmt::format("is {}; allowed: a positive number", spec.scale));
    judge.require(spec.block > 0, "block", "is 0; allowed: at least 1");
    if (context.has(kValues)) {
        judge_head_form(context, judge);
        return;
    }
    if (!judge_form(context, judge)) {
        return;
    }
    const Extents extents = extents_of(context);
    const std::uint32_t row = row_length(context.inputs["kv"_in].spec.shape);
    judge_rows(context, extents, judge);
    judge.require(row_length(context.inputs["k_rope"_in].spec.shape) == extents.rope, "k_rope",
                  fmt::format("has rows of {} elements; the queries' have {}",
                              row_length(context.inputs["k_rope"_in].spec.shape), extents.rope));
    judge.require(row % extents.heads == 0, "kv",
                  fmt::format("has rows of {} elements; allowed: a multiple of {} heads", row,
                              extents.heads));
    judge.require(extents.value > 0, "kv",
                  fmt::format("has {} elements of a head; with {} of its key they leave none for "
                              "values",
                              row / extents.heads, extents.nope));
    attention::judge_buffers(context.arch, shapes_of(context), judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    if (context.has(kValues)) {
        return infer_heads(context);
    }
    TensorSpec output = context.inputs["query"_in].spec;
    output.shape.back() = std::max(extents_of(context).value, 1U);
    return {{.spec = output}};
}

// Inputs that are missing are null; the kernel's accessors of them are not used.
ReaderTensors reader_tensors(const OpContext& context, std::size_t position) {
    const auto buffer = [&](std::size_t operand) {
        return context.has(operand) ? &context.device_inputs[operand][position].buffer : nullptr;
    };
    return {.q_nope = buffer("query"_in),
            .q_rope = buffer("q_rope"_in),
            .kv = buffer("kv"_in),
            .k_rope = buffer("k_rope"_in),
            .starts = buffer("sequence_starts"_in),
            .contexts = buffer(kContexts),
            .chosen = buffer(kChosen)};
}

ReaderArgs reader_args(const OpContext& context, const Shapes& shapes, const Extents& extents) {
    return {.tokens = extents.tokens,
            .heads = extents.heads,
            .nope_bytes = 2 * extents.nope,
            .rope_bytes = 2 * extents.rope,
            .value_bytes = 2 * extents.value,
            .row_tiles = shapes.query_tiles,
            .value_tiles = shapes.value_tiles,
            .block = shapes.block,
            .sequences = extents.sequences,
            .alignment = dram_alignment(context.arch),
            .rows_each = extents.rows_each,
            .num_chosen = extents.num_chosen};
}

Program make_program(const OpContext& context, std::size_t position) {
    if (context.has(kValues)) {
        return head_program(context, position);
    }
    const auto& spec = context.params<PrefillSpec>();
    const Shapes shapes = shapes_of(context);
    const Extents extents = extents_of(context);
    // Upper bound: the last tile of each sequence may be partial. Units are heads times tiles of
    // tokens: neither axis alone fills the grid for short prompts.
    const std::uint32_t units =
        extents.heads * (div_up(extents.tokens, kTileRows) + extents.sequences);
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, units);
    const ReaderTensors tensors = reader_tensors(context, position);
    // Cores take units in turn, because causal masks make later tiles longer.
    return program_of(context, work, shapes,
                      {.source = "ops/attention_prefill/kernels/reader.cpp",
                       .config = reader_config(reader_args(context, shapes, extents), tensors),
                       .addresses = addresses_of(tensors)},
                      context.device_outputs[only(kOutputs)][position]);
}

/// Rows of keys that tokens attend to, by the sequences and lists of the call.
class SeenKeys {
public:
    SeenKeys(const ReferenceContext& context, const Extents& extents)
        : extents_(extents), starts_(vector_of_ints(context.read(kStarts))) {
        if (extents.rows_each != 0) {
            contexts_ = vector_of_ints(context.read(kContexts));
        }
        if (extents.num_chosen != 0) {
            chosen_ = vector_of_ints(context.read(kChosen));
        }
    }

    [[nodiscard]] std::vector<std::size_t> of(std::size_t token) const {
        // Sequences are contiguous, so bisection finds the start before a token.
        const auto sequence = static_cast<std::size_t>(
            std::upper_bound(starts_.begin(), starts_.end(), token) - starts_.begin() - 1);
        const auto start = static_cast<std::size_t>(starts_[sequence]);
        const std::size_t first = extents_.rows_each != 0 ? sequence * extents_.rows_each : start;
        const std::size_t before =
            extents_.rows_each != 0 ? static_cast<std::size_t>(contexts_[sequence]) : 0;
        std::vector<std::size_t> rows;
        // A token attends to the context before its sequence and to the tokens up to itself.
        for (std::size_t position = 0; position <= before + token - start; ++position) {
            if (is_chosen(token, position)) {
                rows.push_back(first + position);
            }
        }
        return rows;
    }

private:
    [[nodiscard]] static std::vector<std::int64_t> vector_of_ints(const HostTensor& tensor) {
        const auto values = tensor.as<std::int32_t>();
        return {values.begin(), values.end()};
    }
    [[nodiscard]] bool is_chosen(std::size_t token, std::size_t position) const {
        const auto list =
            chosen_.begin() + static_cast<std::ptrdiff_t>(token * extents_.num_chosen);
        return chosen_.empty() ||
               std::find(list, list + extents_.num_chosen, static_cast<std::int64_t>(position)) !=
                   list + extents_.num_chosen;
    }

    Extents extents_;
    std::vector<std::int64_t> starts_;
    std::vector<std::int64_t> contexts_;
    std::vector<std::int64_t> chosen_;
};

std::vector<HostTensor> reference(const ReferenceContext& context) {
    if (context.has(kValues)) {
        return head_reference(context);
    }
    const Extents extents = extents_of(context);
    const std::vector<float> q_nope = floats_of(context.read("query"_in));
    const std::vector<float> q_rope = floats_of(context.read("q_rope"_in));
    const std::vector<float> kv = floats_of(context.read("kv"_in));
    const std::vector<float> k_rope = floats_of(context.read("k_rope"_in));
    const SeenKeys seen(context, extents);
    HostTensor output =
        make_host_tensor(context.outputs[only(kOutputs)].spec.shape, DataFormat::Float32);
    const std::size_t rows = std::size_t{extents.tokens} * extents.heads;
    tbb::parallel_for(std::size_t{0}, rows, [&](std::size_t row) {
        const std::vector<std::size_t> keys = seen.of(row / extents.heads);
        const auto kv_of = [&](std::size_t key) {
            return (keys[key] * extents.heads + row % extents.heads) * extents.head();
        };
        std::vector<double> sum(extents.value);
        // attend() is shared with decoding: the softmax is one rule.
        attention::attend(
            keys.size(), context.params<PrefillSpec>().scale,
            [&](std::size_t key) {
                double product = 0;
                for (std::size_t i = 0; i < extents.nope; ++i) {
                    product += double{q_nope[row * extents.nope + i]} * double{kv[kv_of(key) + i]};
                }
                for (std::size_t i = 0; i < extents.rope; ++i) {
                    product += double{q_rope[row * extents.rope + i]} *
                               double{k_rope[keys[key] * extents.rope + i]};
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
    return list_of(std::move(output));
}

/// Entries of `chosen` need no check: positions that a token does not attend to are ignored.
void check_values(const ReferenceContext& context) {
    if (context.has(kValues)) {
        check_head_values(context);
        return;
    }
    const Extents extents = extents_of(context);
    const HostTensor starts = context.read(kStarts);
    const auto first = starts.as<std::int32_t>();
    check_starts(first, extents.tokens);
    if (extents.rows_each == 0) {
        return;
    }
    const HostTensor contexts = context.read(kContexts);
    for (std::size_t i = 0; i < first.size(); ++i) {
        const std::int64_t end = i + 1 < first.size() ? first[i + 1] : extents.tokens;
        const std::int64_t most = std::int64_t{extents.rows_each} - (end - first[i]);
        const std::int32_t before = contexts.as<std::int32_t>()[i];
        require(before >= 0 && before <= most,
                "attention_prefill: contexts[{}] is {}; with {} tokens behind them, kv has room "
                "for 0 to {} of a sequence",
                i, before, end - first[i], most);
    }
}

}  // namespace

void check_starts(std::span<const std::int32_t> starts, std::int64_t tokens) {
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::int64_t least = i == 0 ? 0 : starts[i - 1];
        require(starts[i] >= least && starts[i] <= (i == 0 ? 0 : tokens),
                "attention_prefill: sequence_starts[{}] is {}; allowed: {} to {}: sequences "
                "follow each other from 0 on",
                i, starts[i], least, i == 0 ? 0 : tokens);
    }
}

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<PrefillSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .bound = work_of,
                        .reference = reference,
                        .check_values = check_values,
                        .checked_inputs = {kStarts, kContexts, kPageTable}};
    return kOp;
}

}  // namespace tessera::ops::attention_prefill
