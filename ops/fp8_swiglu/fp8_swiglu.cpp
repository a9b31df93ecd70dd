// SPDX-License-Identifier: Apache-2.0
#include "ops/fp8_swiglu/fp8_swiglu.hpp"

#include <fmt/ranges.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/fp8_swiglu/kernels/args.hpp"
#include "ops/moe_permutation/moe_permutation.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::fp8_swiglu {
namespace {

using config::field;
using config::Limits;
using fp8::kBlock;

constexpr std::uint32_t kStripTiles = kBlock / kTileColumns;
constexpr std::uint32_t kCodeTile = tile_bytes(DataFormat::Fp8_e4m3);
constexpr std::uint32_t kFloatTile = tile_bytes(DataFormat::Float32);

constexpr std::array kFields{
    field<&SwigluSpec::tile>("tile", "8", "tokens of a CTA, as in moe_permutation",
                             Limits{.values = moe_permutation::kTokenTiles}),
    field<&SwigluSpec::gate_half>("gate_half", "second",
                                  "half of the columns that is the gate; the other half is up"),
    field<&SwigluSpec::output>("output", "fp8_e4m3",
                               "fp8_e4m3 with a scale for each 128 columns, or float32"),
    field<&SwigluSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&SwigluSpec::cb_depth>("cb_depth", "2", "strips that a CB holds", kDepth),
};

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<SwigluSpec>();
    const Shape& input = context.inputs["input"_in].spec.shape;
    judge_grid(context.arch, spec.grid, judge);
    judge_depth(spec.cb_depth, judge);
    judge.require(
        input[1] % (2 * kBlock) == 0, "input",
        fmt::format("has {} columns; allowed: halves of whole blocks of {}; a half has {}",
                    input[1], kBlock, input[1] / 2));
    const bool quantises = spec.output == DataFormat::Fp8_e4m3;
    judge.require(quantises || spec.output == DataFormat::Float32, "output",
                  fmt::format("is {}; allowed: fp8_e4m3 or float32", name_of(spec.output)));
    judge.require(
        quantises == (context.outputs.size() > 1), "output_scale",
        quantises ? "is missing; required with codes" : "is given; allowed with float32: none");
    const auto& tiles = moe_permutation::kTokenTiles;
    judge.require(std::ranges::find(tiles, spec.tile) != tiles.end(), "tile",
                  fmt::format("is {}; allowed: {}", spec.tile, fmt::join(tiles, ", ")));
    const std::uint32_t ctas = context.inputs["cta_idx_xy_to_mn_limit"_in].spec.shape[0];
    judge.require(input[0] == ctas * spec.tile, "input",
                  fmt::format("has {} rows; {} CTAs of tile {} have {}", input[0], ctas, spec.tile,
                              ctas * spec.tile));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const Shape& input = context.inputs["input"_in].spec.shape;
    const std::uint32_t columns = std::max(input[1] / 2, 1U);
    const DataFormat format = context.params<SwigluSpec>().output;
    std::vector<TensorPlan> plans{{.spec = {{input[0], columns}, format, Layout::ROW_MAJOR}}};
    // Scales are transposed, a row for each block of columns, as the products read them.
    if (format == DataFormat::Fp8_e4m3) {
        plans.push_back({.spec = {{std::max(columns / kBlock, 1U), input[0]},
                                  DataFormat::Float32,
                                  Layout::ROW_MAJOR}});
    }
    return plans;
}

StripArgs strip_args(const OpContext& context) {
    const std::uint32_t tile = context.params<SwigluSpec>().tile;
    return {.n_blocks = context.inputs["input"_in].spec.shape[1] / 2 / kBlock,
            .cta_tokens = tile,
            .strip_ctas = std::max(kTileRows / tile, 1U),
            .cta_strips = div_up(tile, kTileRows),
            .limit_bytes = context.inputs["cta_idx_xy_to_mn_limit"_in].spec.shape[0] * 4};
}

/// Bytes between the scales of the CTAs of a strip, which are read from the place before them that
/// DRAM is read at.
std::uint32_t scale_stride(std::uint32_t tile) {
    return fp8::aligned(std::min(tile, kTileRows) * 4 + 64);
}

void add_buffers(Program& program, const CoreRangeSet& cores, const SwigluSpec& spec,
                 const StripArgs& strips) {
    const std::uint32_t table = fp8::aligned(strips.limit_bytes);
    const std::uint32_t depth = spec.cb_depth;
    const auto add = [&](Cb cb, DataFormat format, std::uint32_t bytes, std::uint32_t pages) {
        add_circular_buffer(program, cores, cb, format, {pages, bytes});
    };
    // Gate and up strips alternate in one buffer.
    add(Cb::Rows, DataFormat::Fp8_e4m3, kCodeTile, kStripTiles * depth);
    add(Cb::Gate, DataFormat::Fp8_e4m3, kCodeTile, kStripTiles);
    // A strip of each half is tiled before both are multiplied.
    add(Cb::Up, DataFormat::Fp8_e4m3, kCodeTile, kStripTiles);
    add(Cb::Scales, DataFormat::Float32, kFloatTile, 2 * depth);
    // Values stay in fp32 until the largest of the row is known. The next strip is activated while
    // the writer makes the scales of this one.
    add(Cb::Values, DataFormat::Float32, kFloatTile, 2 * kStripTiles);
    add(Cb::Largest, DataFormat::Float32, kFloatTile, 1);
    add(Cb::Scale, DataFormat::Float32, kFloatTile, 1);
    add(Cb::Units, DataFormat::UInt32, 32, 1);
    add(Cb::Table, DataFormat::UInt32, table, 1);
    add(Cb::ReadScaleRow, DataFormat::UInt32, scale_stride(spec.tile), strips.strip_ctas);
    add(Cb::WriterTable, DataFormat::UInt32, table, 1);
    add(Cb::Output, spec.output, tile_bytes(spec.output), kStripTiles * depth);
    add(Cb::ScaleRow, DataFormat::UInt32, kTileRows * 4, 1);
}

ComputeConfig compute_config(const SwigluSpec& spec) {
    ComputeConfig config;
    config.fp32_dest_acc_en = true;
    config.named_compile_args =
        named(ComputeArgs{.quantises = spec.output == DataFormat::Fp8_e4m3 ? 1U : 0U});
    // Scales and values pass to DST unrounded.
    config.unpack_to_dest_mode.assign(index_of(Cb::Scale) + 1U, UnpackToDestMode::Default);
    for (const Cb cb : {Cb::Scales, Cb::Values, Cb::Scale}) {
        config.unpack_to_dest_mode[index_of(cb)] = UnpackToDestMode::UnpackToDestFp32;
    }
    return config;
}

ReaderArgs reader_args(const SwigluSpec& spec, std::uint32_t n_blocks) {
    // The published kernel has up first; vLLM has the gate first. So the half is a parameter.
    const bool is_first = spec.gate_half == GateHalf::First;
    return {.first_gate = is_first ? 0 : n_blocks,
            .first_up = is_first ? n_blocks : 0,
            .scale_stride = scale_stride(spec.tile)};
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<SwigluSpec>();
    const auto in = [&](std::size_t i) { return &context.device_inputs[i][position].buffer; };
    const auto out = [&](std::size_t i) { return &context.device_outputs[i][position].buffer; };
    const bool quantises = spec.output == DataFormat::Fp8_e4m3;
    const StripArgs strips = strip_args(context);
    const ReaderTensors read{.rows = in("input"_in),
                             .scales = in("input_scale"_in),
                             .limit = in("cta_idx_xy_to_mn_limit"_in),
                             .num_ctas = in("num_non_exiting_ctas"_in)};
    const WriterArgs writing{.element_bytes = element_bytes(spec.output),
                             .quantises = quantises ? 1U : 0U};
    const WriterTensors written{.limit = in("cta_idx_xy_to_mn_limit"_in),
                                .num_ctas = in("num_non_exiting_ctas"_in),
                                .output = out("output"_out),
                                .scales = quantises ? out("output_scale"_out) : nullptr};
    const CoreCoord grid = schedule_grid(kSpec.name, context.arch, spec.grid);
    // All cores of the grid: how many CTAs are live is known on the device only.
    const CoreRangeSet cores{CoreRange{{0, 0}, {grid.x - 1, grid.y - 1}}};

    Program program = CreateProgram();
    add_buffers(program, cores, spec, strips);
    const KernelHandle reader =
        CreateKernel(program, "ops/fp8_swiglu/kernels/reader.cpp", cores,
                     reader_config(named(strips, reader_args(spec, strips.n_blocks)), read));
    CreateKernel(program, "ops/fp8_swiglu/kernels/compute.cpp", cores, compute_config(spec));
    const KernelHandle writer = CreateKernel(program, "ops/fp8_swiglu/kernels/writer.cpp", cores,
                                             writer_config(named(strips, writing), written));
    fp8::set_share_args(program, reader, grid, addresses_of(read));
    fp8::set_share_args(program, writer, grid, addresses_of(written));
    return program;
}

std::vector<fp8::Cta> live_ctas(const ReferenceContext& context) {
    const HostTensor limits = context.read("cta_idx_xy_to_mn_limit"_in);
    const HostTensor live = context.read("num_non_exiting_ctas"_in);
    const auto ends = limits.as<std::int32_t>();
    // The experts of CTAs do not matter here.
    return fp8::ctas_of(ends, ends, live.as<std::int32_t>()[0], context.params<SwigluSpec>().tile);
}

/// One row, 128 columns of the output.
struct Strip {
    std::size_t row;
    std::size_t block;
};

/// Returns the strip's values before they are rounded.
std::array<float, kBlock> activated(const ReferenceContext& context, const HostTensor& input,
                                    const HostTensor& scales, const Strip& strip) {
    const std::size_t columns = input.shape[1] / 2;
    // Both halves use the same rule, so exchanging them changes nothing else.
    const bool is_first = context.params<SwigluSpec>().gate_half == GateHalf::First;
    const auto half = [&](std::size_t which, std::size_t i) {
        const std::size_t column = which * columns + strip.block * kBlock + i;
        const float scale = scales.as<float>()[column / kBlock * scales.shape[1] + strip.row];
        return fp8::value_of(input.as<std::uint8_t>()[strip.row * 2 * columns + column]) * scale;
    };
    std::array<float, kBlock> values{};
    for (std::size_t i = 0; i < kBlock; ++i) {
        const double gate = half(is_first ? 0 : 1, i);
        const double up = half(is_first ? 1 : 0, i);
        // In double until the rounding to float, from which the codes are made.
        values[i] = static_cast<float>(gate / (1 + std::exp(-gate)) * up);
    }
    return values;
}

void store(std::span<const float> values, const Strip& strip, std::vector<HostTensor>& outputs) {
    const std::size_t first = strip.row * outputs["output"_out].shape[1] + strip.block * kBlock;
    if (outputs.size() == 1) {
        std::ranges::copy(values, outputs["output"_out].as<float>().subspan(first, kBlock).begin());
        return;
    }
    outputs["output_scale"_out]
        .as<float>()[strip.block * outputs["output_scale"_out].shape[1] + strip.row] =
        fp8::quantise(values, ScaleRule::Trtllm,
                      outputs["output"_out].as<std::uint8_t>().subspan(first, kBlock));
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor input = context.read("input"_in);
    const HostTensor scales = context.read("input_scale"_in);
    std::vector<HostTensor> outputs;
    for (const TensorPlan& plan : context.outputs) {
        outputs.push_back(make_host_tensor(plan.spec.shape, plan.spec.format));
    }
    const std::size_t blocks = outputs["output"_out].shape[1] / kBlock;
    const auto ctas = live_ctas(context);
    // CTAs are independent of each other.
    tbb::parallel_for(std::size_t{0}, ctas.size(), [&](std::size_t i) {
        for (std::uint32_t row = 0; row < ctas[i].num_rows; ++row) {
            for (std::size_t block = 0; block < blocks; ++block) {
                const Strip strip{ctas[i].first_row + row, block};
                store(activated(context, input, scales, strip), strip, outputs);
            }
        }
    });
    return outputs;
}

std::vector<std::vector<ElementRange>> valid(const ReferenceContext& context) {
    const auto ctas = live_ctas(context);
    const Shape& shape = context.outputs["output"_out].spec.shape;
    return {fp8::rows_that_count(ctas, shape[1]),
            fp8::scales_that_count(ctas, shape[1] / kBlock, shape[0])};
}

void check_values(const ReferenceContext& context) {
    fp8::check_ctas(kSpec.name,
                    {named_table(kInputs, context, "num_non_exiting_ctas"_in),
                     named_table(kInputs, context, "cta_idx_xy_to_mn_limit"_in)},
                    context.params<SwigluSpec>().tile);
}

LeastWork bound(const BoundContext& context) {
    // Scales and lists are small beside the codes of valid rows.
    LeastWork work;
    const double valid = valid_elements(context, "output"_out);
    work.dram_bytes = bytes_of_elements(valid, context.out("output"_out).format) +
                      bytes_of_elements(2 * valid, context.in("input"_in).format);
    return work;
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<SwigluSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .bound = bound,
                        .reference = reference,
                        .valid = valid,
                        .check_values = check_values,
                        .checked_inputs = {"cta_idx_xy_to_mn_limit"_in, "num_non_exiting_ctas"_in}};
    return kOp;
}

}  // namespace tessera::ops::fp8_swiglu
