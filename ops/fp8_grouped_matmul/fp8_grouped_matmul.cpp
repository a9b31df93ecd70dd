// SPDX-License-Identifier: Apache-2.0
#include "ops/fp8_grouped_matmul/fp8_grouped_matmul.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "ops/bound.hpp"
#include "ops/fp8_grouped_matmul/program.hpp"
#include "ops/moe_permutation/moe_permutation.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/placement.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::fp8_grouped_matmul {
namespace {

using config::field;
using config::Limits;
using fp8::kBlock;

constexpr std::array kFields{
    field<&GroupedMatmulSpec::tile>("tile", "8", "tokens of a CTA, as in moe_permutation",
                                    Limits{.values = moe_permutation::kTokenTiles}),
    field<&GroupedMatmulSpec::output>(
        "output", "fp8_e4m3", "fp8_e4m3 with a scale for each 128 columns, bfloat16 or float32"),
    field<&GroupedMatmulSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&GroupedMatmulSpec::join_ctas>(
        "join_ctas", "true",
        "CTAs of an expert whose rows fit in a tile of 32 share a unit, so that weights are read "
        "once for them; false: a CTA is a unit"),
    field<&GroupedMatmulSpec::both_nocs>(
        "both_nocs", "true",
        "without a grid the writer reads the weights of some banks over NoC 1, so that links are "
        "equally full; false: the reader reads all"),
    field<&GroupedMatmulSpec::weight_shards>(
        "weight_shards", "true",
        "placement of weights if a run states no memory. true: in shards of 128 rows of N and 32 "
        "columns of K, one DRAM bank after the other, so that one read brings four tiles; weights "
        "that a step makes or that another op reads stay interleaved. false: interleaved. The "
        "first "
        "step that reads the weights decides"),
    field<&GroupedMatmulSpec::row_chunk>(
        "row_chunk", "8", "blocks of 128 of K that a push of token rows brings", kTileCount),
    field<&GroupedMatmulSpec::k_push>(
        "k_push", "1", "blocks of 128 of K that a push of weights brings", kTileCount),
    field<&GroupedMatmulSpec::cb_depth>("cb_depth", "2", "pushes that a CB holds", kDepth),
};

/// Returns weights in shards of the tiles of a block and one K step.
TensorPlan in_weight_shards(const OpContext& context) {
    return in_dram_shards(context.arch, context.inputs["weights"_in], kBlockTiles, 1);
}

/// Blocks need not be whole here: rules refuse them afterwards.
std::vector<TensorPlan> place_inputs(const OpContext& context) {
    std::vector<TensorPlan> plans(context.inputs.begin(), context.inputs.end());
    if (context.params<GroupedMatmulSpec>().weight_shards) {
        plans["weights"_in] = in_weight_shards(context);
    }
    return plans;
}

std::string schedule_words(const OpContext& context) {
    std::string words(kSchedules.front());
    return context.inputs["weights"_in].shard ? words + ", weights in shards" : words;
}

void judge_blocks(const OpContext& context, RuleJudge& judge) {
    const Shape& weights = context.inputs["weights"_in].spec.shape;
    // Scales apply to whole blocks. Partial blocks would need a mask in the kernel, and models have
    // none.
    judge.require(weights[2] % kBlock == 0, "weights",
                  fmt::format("have K = {}; allowed: a multiple of {}", weights[2], kBlock));
    judge.require(weights[1] % kBlock == 0, "weights",
                  fmt::format("have N = {}; allowed: a multiple of {}", weights[1], kBlock));
    const TensorPlan& placed = context.inputs["weights"_in];
    judge.require(
        !placed.shard || lies_as(placed, in_weight_shards(context)), "weights",
        fmt::format("are in other shards than those of {0} x {1} that go round the banks "
                    "of DRAM; allowed: no memory stated, interleaved, or {{layout: block, "
                    "shard: [{0}, {1}]}}",
                    kBlock, kTileColumns));
    judge.require(
        !placed.shard || context.params<GroupedMatmulSpec>().weight_shards, "weight_shards",
        "is false, but an earlier step that reads these weights has placed them in shards; "
        "allowed: one value in all steps that read them, or memory: dram of the tensor");
}

void judge_rows(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<GroupedMatmulSpec>();
    const auto& tiles = moe_permutation::kTokenTiles;
    judge.require(std::ranges::find(tiles, spec.tile) != tiles.end(), "tile",
                  fmt::format("is {}; allowed: {}", spec.tile, fmt::join(tiles, ", ")));
    const bool gathers = context.has("permuted_idx_to_token_idx"_in);
    const std::size_t listed = gathers ? "permuted_idx_to_token_idx"_in : "activations"_in;
    const std::uint32_t rows = context.inputs[listed].spec.shape[0];
    const std::uint32_t ctas = context.inputs["cta_idx_xy_to_batch_idx"_in].spec.shape[0];
    // Rows of the output are those of the CTAs, as moe_permutation lays them out.
    judge.require(rows == ctas * spec.tile, kInputs[listed].name,
                  fmt::format("have {} rows; {} CTAs of tile {} have {}", rows, ctas, spec.tile,
                              ctas * spec.tile));
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<GroupedMatmulSpec>();
    judge_grid(context.arch, spec.grid, judge);
    judge_blocks(context, judge);
    judge_rows(context, judge);
    const bool is_format = spec.output == DataFormat::Fp8_e4m3 ||
                           spec.output == DataFormat::Float16_b ||
                           spec.output == DataFormat::Float32;
    judge.require(
        is_format, "output",
        fmt::format("is {}; allowed: fp8_e4m3, bfloat16 or float32", name_of(spec.output)));
    judge.require(spec.row_chunk > 0, "row_chunk", "is 0; allowed: at least 1");
    judge.require(spec.k_push > 0, "k_push", "is 0; allowed: at least 1");
    const bool has_scale = context.outputs.size() > 1;
    judge.require(has_scale == (spec.output == DataFormat::Fp8_e4m3), "output_scale",
                  has_scale ? fmt::format("is given; allowed with {}: none", name_of(spec.output))
                            : "is missing; required with codes");
    // The room cannot be judged for a format without tile size.
    if (!is_format) {
        return;
    }
    const std::uint64_t bytes = bytes_of(buffers_of(blocks_of(context), spec));
    judge.require(
        bytes <= buffer_room(context.arch), "tile",
        fmt::format("{} with K = {}, row_chunk {}, k_push {} and cb_depth {} takes {} B "
                    "of circular buffers; a core has {} B of L1 for them",
                    spec.tile, context.inputs["activations"_in].spec.shape[1], spec.row_chunk,
                    spec.k_push, spec.cb_depth, bytes, buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const auto& spec = context.params<GroupedMatmulSpec>();
    const std::uint32_t rows =
        context.inputs["cta_idx_xy_to_batch_idx"_in].spec.shape[0] * spec.tile;
    const std::uint32_t columns = context.inputs["weights"_in].spec.shape[1];
    std::vector<TensorPlan> plans{{.spec = {{rows, columns}, spec.output, Layout::ROW_MAJOR}}};
    if (spec.output == DataFormat::Fp8_e4m3) {
        // Scales are transposed: a row of the tensor is one block of columns of all rows, as the
        // published runner has them.
        plans.push_back(
            {.spec = {
                 {std::max(columns / kBlock, 1U), rows}, DataFormat::Float32, Layout::ROW_MAJOR}});
    }
    return plans;
}

std::vector<HostTensor> reference_of_step(const ReferenceContext& context) {
    Product product = reference(context);
    // Codes have a second output, their scales.
    std::vector<HostTensor> outputs;
    outputs.push_back(std::move(product.output));
    if (!product.scale.bytes.empty()) {
        outputs.push_back(std::move(product.scale));
    }
    return outputs;
}

std::vector<std::vector<ElementRange>> valid(const ReferenceContext& context) {
    // Rows after a CTA's limit mean nothing and are not compared.
    const HostTensor batch = context.read("cta_idx_xy_to_batch_idx"_in);
    const HostTensor limits = context.read("cta_idx_xy_to_mn_limit"_in);
    const HostTensor live = context.read("num_non_exiting_ctas"_in);
    const Shape& shape = context.outputs["output"_out].spec.shape;
    const auto ctas =
        fp8::ctas_of(batch.as<std::int32_t>(), limits.as<std::int32_t>(),
                     live.as<std::int32_t>()[0], context.params<GroupedMatmulSpec>().tile);
    return {fp8::rows_that_count(ctas, shape[1]),
            fp8::scales_that_count(ctas, shape[1] / kBlock, shape[0])};
}

void check_values(const ReferenceContext& context) {
    const std::uint32_t tile = context.params<GroupedMatmulSpec>().tile;
    const fp8::CtaTables tables{named_table(kInputs, context, "num_non_exiting_ctas"_in),
                                named_table(kInputs, context, "cta_idx_xy_to_mn_limit"_in)};
    fp8::check_ctas(kSpec.name, tables, tile);
    const auto ctas = static_cast<std::uint32_t>(tables.live.values.as<std::int32_t>()[0]);
    check_indices(kSpec.name, named_table(kInputs, context, "cta_idx_xy_to_batch_idx"_in),
                  context.in("weights"_in).shape()[0], Nobody::Forbidden, ctas);
    if (!context.has("permuted_idx_to_token_idx"_in)) {
        return;
    }
    const NamedTable tokens = named_table(kInputs, context, "permuted_idx_to_token_idx"_in);
    for (std::size_t cta = 0; cta < ctas; ++cta) {
        check_entries(kSpec.name, tokens, context.in("activations"_in).shape()[0],
                      Nobody::Forbidden, cta * tile,
                      static_cast<std::size_t>(tables.limits.values.as<std::int32_t>()[cta]));
    }
}

LeastWork bound(const BoundContext& context) {
    const auto live =
        static_cast<std::size_t>(std::max(context.integers("num_non_exiting_ctas"_in).at(0), 0));
    // Weights are operand 2 and rows may be gathered, so that only outputs and weights are sure.
    std::vector<std::int32_t> experts = context.integers("cta_idx_xy_to_batch_idx"_in);
    experts.resize(std::min(experts.size(), live));
    const std::set<std::int32_t> busy(experts.begin(), experts.end());
    const TensorSpec& weights = context.in("weights"_in);
    const double matrix = double{1} * weights.shape[1] * weights.shape[2];
    LeastWork work;
    work.products = weights.shape[2] * valid_elements(context, "output"_out);
    work.dram_bytes =
        bytes_of_elements(valid_elements(context, "output"_out), context.out("output"_out).format) +
        bytes_of_elements(static_cast<double>(busy.size()) * matrix, weights.format);
    return work;
}

}  // namespace

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<GroupedMatmulSpec>(kFields),
        .schedule = schedule_words,
        .rules = rules,
        .place_inputs = place_inputs,
        .infer = infer,
        .programs = on_each(make_program),
        .bound = bound,
        .reference = reference_of_step,
        .valid = valid,
        .check_values = check_values,
        .checked_inputs = {"cta_idx_xy_to_batch_idx"_in, "cta_idx_xy_to_mn_limit"_in,
                           "num_non_exiting_ctas"_in, "permuted_idx_to_token_idx"_in}};
    return kOp;
}

}  // namespace tessera::ops::fp8_grouped_matmul
