// SPDX-License-Identifier: Apache-2.0
#include "ops/index_scores/index_scores.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/index_scores/kernels/args.hpp"
#include "ops/shared/attention/cache_places.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::index_scores {
namespace {

using config::field;
using config::Limits;

constexpr std::array kFields{
    field<&IndexScoresSpec::factor>("factor", "1", "factor of the weights of heads"),
    field<&IndexScoresSpec::page_size>("page_size", "32", "positions of a page of the cache",
                                       Limits{1, 65536}),
    field<&IndexScoresSpec::key_tiles>("key_tiles", "8", "tiles of 32 keys of a unit of work",
                                       Limits{1, 1024}),
    field<&IndexScoresSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

struct Extents {
    // A unit is a token and a run of keys: long sequences are shared by cores.
    std::uint32_t tokens, heads, elements;
    std::uint32_t positions;  ///< positions in a sequence's pages

    [[nodiscard]] std::uint32_t head_tiles() const { return div_up(heads, kTileRows); }
    [[nodiscard]] std::uint32_t element_tiles() const { return div_up(elements, kTileColumns); }
    [[nodiscard]] std::uint32_t chunks(const IndexScoresSpec& spec) const {
        return div_up(positions, spec.key_tiles * kTileRows);
    }
};

Extents extents_of(const IndexScoresSpec& spec, const Shape& q, const Shape& table) {
    const std::uint32_t heads = q[q.size() - 2];
    // A sequence has as many pages as the table has columns, so scores have a column for each
    // position.
    return {num_rows(q) / heads, heads, row_length(q), table[1] * spec.page_size};
}

/// Keys have two pages of rows: one arrives while the other is scored.
std::vector<CbPlan> tile_buffers(const Extents& extents, DataFormat keys) {
    constexpr auto kFloat = DataFormat::Float32;
    const std::uint32_t heads = extents.head_tiles();
    const std::uint32_t elements = extents.element_tiles();
    return {{Cb::HeadRows, keys, elements},     {Cb::Heads, keys, heads * elements},
            {Cb::KeyRows, keys, 2 * elements},  {Cb::Keys, keys, elements},
            {Cb::WeightColumns, kFloat, heads}, {Cb::Weights, kFloat, heads},
            {Cb::KeyScales, kFloat, 2},         {Cb::Output, kFloat, 2}};
}

std::vector<Scratch> scratch_of(const Extents& extents, std::uint32_t table_width) {
    // Slots of single words are 64 bytes apart, so that each can be read by itself.
    return {{Cb::Positions, 2 * 64},
            {Cb::Pages, std::uint64_t{4} * table_width},
            {Cb::WeightRow, std::uint64_t{extents.heads} * (64 + 8) + 2 * 64},
            {Cb::ScaleRow, std::uint64_t{kTileRows} * 64},
            {Cb::OutputRow, std::uint64_t{kTileRows} * 4}};
}

constexpr std::uint32_t kAnnouncement = 64;  // bytes, of each of 4 to compute and to the writer

std::uint64_t buffer_bytes(const ArchSpec& arch, const Extents& extents, DataFormat keys,
                           std::uint32_t table_width) {
    return bytes_of(scratch_of(extents, table_width), dram_alignment(arch)) + 8 * kAnnouncement +
           bytes_of(tile_buffers(extents, keys));
}

/// Checks heads of queries and their weights.
void judge_heads(const OpContext& context, const Extents& extents, RuleJudge& judge) {
    // A head's elements are multiplied tile by tile; a partial tile would need a mask.
    judge.require(extents.elements % kTileColumns == 0, "q",
                  fmt::format("has heads of {} elements; allowed: whole tiles of {}",
                              extents.elements, kTileColumns));
    const Shape& weights = context.inputs["weights"_in].spec.shape;
    judge.require(row_length(weights) == extents.heads && num_rows(weights) == extents.tokens,
                  "weights",
                  fmt::format("is {}; allowed: one for each of {} heads of {} tokens",
                              to_string(weights), extents.heads, extents.tokens));
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<IndexScoresSpec>();
    judge_grid(context.arch, spec.grid, judge);
    judge.require(spec.page_size > 0, "page_size", "is 0; allowed: at least 1");
    judge.require(spec.key_tiles > 0, "key_tiles", "is 0; allowed: at least 1");
    const TensorSpec& q = context.inputs["q"_in].spec;
    const Shape& table = context.inputs["page_table"_in].spec.shape;
    const Extents extents = extents_of(spec, q.shape, table);
    judge_heads(context, extents, judge);
    judge_cache_rows(kInputs["cache"_in], context.inputs["cache"_in].spec,
                     {.columns = extents.elements, .page_size = spec.page_size},
                     dram_alignment(context.arch), judge);
    if (context.has("cache_scale"_in)) {
        judge_cache_rows(kInputs["cache_scale"_in], context.inputs["cache_scale"_in].spec,
                         {.columns = 1, .page_size = spec.page_size}, 1, judge);
    }
    const bool is_fp8 = q.format == DataFormat::Fp8_e4m3;
    // Codes need both scales, and bfloat16 has none.
    judge.require(context.has("q_scale"_in) == is_fp8 && context.has("cache_scale"_in) == is_fp8,
                  "q",
                  fmt::format("is {}; q_scale and cache_scale are {}", name_of(q.format),
                              is_fp8 ? "required" : "not allowed"));
    judge.require(
        extents.tokens % table[0] == 0, "page_table",
        fmt::format("has {} sequences; allowed: a divisor of {} tokens", table[0], extents.tokens));
    const std::uint64_t entries = num_elements(context.inputs["positions"_in].spec.shape);
    judge.require(
        entries == extents.tokens, "positions",
        fmt::format("has {} entries; allowed: one for each of {} tokens", entries, extents.tokens));
    const std::uint64_t bytes = buffer_bytes(context.arch, extents, q.format, table[1]);
    judge.require(bytes <= buffer_room(context.arch), "q",
                  fmt::format("with {} heads takes {} B of circular buffers; a core has {} B of L1 "
                              "for them",
                              extents.heads, bytes, buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    // Weights are float32 outputs: they include the factor.
    const auto& spec = context.params<IndexScoresSpec>();
    TensorSpec weights = context.inputs["weights"_in].spec;
    // Weights are an optional second output, for checks.
    weights.format = DataFormat::Float32;
    TensorSpec scores = weights;
    scores.shape.back() = extents_of(spec, context.inputs["q"_in].spec.shape,
                                     context.inputs["page_table"_in].spec.shape)
                              .positions;
    return {{.spec = scores}, {.spec = weights}};
}

void add_buffers(Program& program, const CoreRangeSet& cores, const std::vector<CbPlan>& buffers) {
    add_circular_buffers(program, cores, buffers);
    for (const Cb cb : {Cb::ComputeUnits, Cb::WriterUnits}) {
        add_circular_buffer(program, cores, cb, DataFormat::UInt32, {4, kAnnouncement});
    }
}

ComputeConfig config_of_compute(const Extents& extents, const std::vector<CbPlan>& buffers) {
    ComputeConfig config = compute_config(
        ComputeArgs{.head_tiles = extents.head_tiles(), .element_tiles = extents.element_tiles()},
        {.fp32_dest_acc_en = true});
    // All fp32 buffers pass to DST unrounded.
    for (const CbPlan& buffer : buffers) {
        if (buffer.format == DataFormat::Float32) {
            unpack_to_fp32(config, buffer.index);
        }
    }
    return config;
}

bool has_weights_out(const OpContext& context) {
    return context.outputs.size() > "head_weights"_out;
}

/// Returns the tensors of the reader: the operands, and the weights, which the reader writes
/// because it computes them.
ReaderTensors reader_tensors(const OpContext& context, std::size_t position) {
    const auto operand = [&](std::size_t i) {
        return context.has(i) ? &context.device_inputs[i][position].buffer : nullptr;
    };
    return {.q = operand("q"_in),
            .weights = operand("weights"_in),
            .cache = operand("cache"_in),
            .page_table = operand("page_table"_in),
            .positions = operand("positions"_in),
            .q_scale = operand("q_scale"_in),
            .cache_scale = operand("cache_scale"_in),
            .weights_out = has_weights_out(context)
                               ? &context.device_outputs["head_weights"_out][position].buffer
                               : nullptr};
}

ReaderArgs reader_args(const OpContext& context, const Extents& extents) {
    const auto& spec = context.params<IndexScoresSpec>();
    const Shape& table = context.inputs["page_table"_in].spec.shape;
    const bool has_scales = context.has("cache_scale"_in);
    return {.heads = extents.heads,
            .row_bytes = extents.elements * element_bytes(context.inputs["q"_in].spec.format),
            .element_tiles = extents.element_tiles(),
            .chunks = extents.chunks(spec),
            .key_tiles = spec.key_tiles,
            .page_size = spec.page_size,
            .table_width = table[1],
            .tokens_each = extents.tokens / table[0],
            .factor = float_word(spec.factor),
            .has_scales = context.has("q_scale"_in) ? 1U : 0U,
            .position_width = row_length(context.inputs["positions"_in].spec.shape),
            .stores_weights = has_weights_out(context) ? 1U : 0U,
            .cache_positions = positions_of_row(context.inputs["cache"_in].spec.shape,
                                                extents.elements, spec.page_size),
            .scale_positions = has_scales
                                   ? positions_of_row(context.inputs["cache_scale"_in].spec.shape,
                                                      1, spec.page_size)
                                   : 1U};
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<IndexScoresSpec>();
    const TensorSpec& q = context.inputs["q"_in].spec;
    const Shape& table = context.inputs["page_table"_in].spec.shape;
    const Extents extents = extents_of(spec, q.shape, table);
    const DeviceTensor& scores = context.device_outputs["scores"_out][position];
    // Tokens are split by chunks of keys, so that one long token does not occupy a single core
    // only.
    const SharedWork work =
        share_work(kSpec.name, context.arch, spec.grid, extents.tokens * extents.chunks(spec));
    const auto buffers = tile_buffers(extents, q.format);

    Program program = CreateProgram();
    add_buffers(program, work.cores, buffers);
    add_scratch(program, work.cores, scratch_of(extents, table[1]), dram_alignment(context.arch));
    const ReaderTensors read = reader_tensors(context, position);
    const WriterTensors written{.scores = &scores.buffer};
    const KernelHandle reader =
        CreateKernel(program, "ops/index_scores/kernels/reader.cpp", work.cores,
                     reader_config(reader_args(context, extents), read));
    CreateKernel(program, "ops/index_scores/kernels/compute.cpp", work.cores,
                 config_of_compute(extents, buffers));
    const KernelHandle writer = CreateKernel(
        program, "ops/index_scores/kernels/writer.cpp", work.cores,
        writer_config(WriterArgs{.num_positions = extents.positions, .key_tiles = spec.key_tiles},
                      written));
    for (const WorkShare& share : work.shares) {
        set_args(program, reader, share.core,
                 UnitRange{.first_unit = share.first, .num_units = share.count},
                 addresses_of(read));
        set_args(program, writer, share.core, addresses_of(written));
    }
    return program;
}

/// Operands of a reference, as float32.
struct Operands {
    std::vector<float> q, weights, cache, q_scale, cache_scale;

    explicit Operands(const ReferenceContext& context)
        : q(floats_of(context.read("q"_in))),
          weights(floats_of(context.read("weights"_in))),
          cache(floats_of(context.read("cache"_in))),
          q_scale(context.has("q_scale"_in) ? floats_of(context.read("q_scale"_in))
                                            : std::vector<float>{}),
          cache_scale(context.has("cache_scale"_in) ? floats_of(context.read("cache_scale"_in))
                                                    : std::vector<float>{}) {}

    [[nodiscard]] double score(std::size_t head, std::size_t row, std::size_t elements) const {
        double product = 0;
        for (std::size_t i = 0; i < elements; ++i) {
            product += double{q[head * elements + i]} * double{cache[row * elements + i]};
        }
        const double scale =
            q_scale.empty() ? 1.0 : double{q_scale[head]} * double{cache_scale[row]};
        return std::max(product, 0.0) * double{weights[head]} * scale;
    }
};

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<IndexScoresSpec>();
    const Extents extents =
        extents_of(spec, context.in("q"_in).shape(), context.in("page_table"_in).shape());
    const Operands operands(context);
    const CachePages pages(context.read("page_table"_in), spec.page_size);
    const HostTensor positions = context.read("positions"_in);
    const std::size_t tokens_each = extents.tokens / pages.num_sequences();
    HostTensor scores =
        make_host_tensor(context.outputs["scores"_out].spec.shape, DataFormat::Float32);
    // Positions that a token does not attend to stay minus infinity.
    std::ranges::fill(scores.as<float>(), -std::numeric_limits<float>::infinity());
    tbb::parallel_for(std::size_t{0}, std::size_t{extents.tokens}, [&](std::size_t token) {
        const std::int32_t last = positions.as<std::int32_t>()[token];
        // In double over all heads; the kernel's sum in parts has 24 bits.
        for (std::int32_t key = 0; key <= last; ++key) {
            const std::size_t row = pages.row(token / tokens_each, static_cast<std::size_t>(key));
            double sum = 0;
            for (std::size_t head = 0; head < extents.heads; ++head) {
                sum += operands.score(token * extents.heads + head, row, extents.elements);
            }
            scores.as<float>()[token * extents.positions + static_cast<std::size_t>(key)] =
                static_cast<float>(sum * spec.factor);
        }
    });
    std::vector<HostTensor> outputs;
    outputs.push_back(std::move(scores));
    if (context.outputs.size() > "head_weights"_out) {
        HostTensor weights =
            make_host_tensor(context.in("weights"_in).shape(), DataFormat::Float32);
        std::ranges::transform(operands.weights, weights.as<float>().begin(), [&](float weight) {
            return static_cast<float>(double{weight} * spec.factor);
        });
        outputs.push_back(std::move(weights));
    }
    return outputs;
}

void check_values(const ReferenceContext& context) {
    check_cache_places(kSpec.name,
                       {.page_table = context.read("page_table"_in),
                        .positions = context.read("positions"_in),
                        .sequences = {},
                        .page_size = context.params<IndexScoresSpec>().page_size,
                        .cache_positions = positions_of(context.in("cache"_in).shape(),
                                                        row_length(context.in("q"_in).shape()))});
}

LeastWork bound(const BoundContext& context) {
    const Extents extents = extents_of(context.params<IndexScoresSpec>(), context.in("q"_in).shape,
                                       context.in("page_table"_in).shape);
    const std::vector<std::int32_t> positions = context.integers("positions"_in);
    const std::uint32_t sequences = context.in("page_table"_in).shape[0];
    // Keys that several tokens of a sequence see may be read once.
    std::vector<double> longest(sequences);
    double scores = 0;
    for (std::size_t token = 0; token < positions.size(); ++token) {
        const double visible =
            std::clamp(positions[token] + 1.0, 0.0, double{1} * extents.positions);
        double& keys = longest[token * sequences / positions.size()];
        keys = std::max(keys, visible);
        scores += visible;
    }
    const double keys = std::accumulate(longest.begin(), longest.end(), 0.0);
    LeastWork work = operand_bytes(context, {"cache", "cache_scale", "page_table", "scores"});
    work.dram_bytes += bytes_of_elements(keys * extents.elements, context.in("cache"_in).format) +
                       bytes_of_elements(scores, DataFormat::Float32);
    work.products = scores * extents.heads * extents.elements;
    work.vector_ops = scores * extents.heads;
    return work;
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<IndexScoresSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .bound = bound,
                        .reference = reference,
                        .check_values = check_values,
                        .checked_inputs = {"page_table"_in, "positions"_in}};
    return kOp;
}

}  // namespace tessera::ops::index_scores
