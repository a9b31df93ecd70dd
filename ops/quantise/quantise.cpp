// SPDX-License-Identifier: Apache-2.0
#include "ops/quantise/quantise.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::quantise {
namespace {

using config::field;
using fp8::kBlock;

constexpr std::array kFields{
    field<&QuantiseSpec::rule>("rule", "trtllm",
                               "rule that computes a scale from the largest magnitude"),
    field<&QuantiseSpec::block>("block", "1x128", "rows and columns that share a scale"),
    field<&QuantiseSpec::codes>(
        "codes", "fp8_e4m3",
        "fp8_e4m3; e2m1, two a byte; or integers: int8, int4, int8_bytes (uint8, code + 128)"),
    field<&QuantiseSpec::counted_by>("counted_by", "batches", kCountedByProse),
    field<&QuantiseSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

bool is_tiled(const TensorSpec& input) {
    return input.layout == Layout::TILE;
}

std::string schedule_words(ParameterRef parameters) {
    return config::Value<ScaleBlock>::show(parameters.as<QuantiseSpec>().block);
}

DataFormat format_of(Codes codes, bool is_tiled) {
    // Integers travel in formats that the unpacker multiplies exactly. bfp8_b and bfp4_b hold them
    // under one exponent; rows of int8 are bfloat16.
    switch (codes) {
        case Codes::Int8:
            return is_tiled ? DataFormat::Bfp8_b : DataFormat::Float16_b;
        case Codes::Int4:
            return DataFormat::Bfp4_b;
        case Codes::Int8Bytes:
        case Codes::E2m1:
            return DataFormat::UInt8;
        default:
            return DataFormat::Fp8_e4m3;
    }
}

/// Inputs by what they can be cut into.
enum class InputKind : std::uint8_t { Tiles, Rows, CountedRows };

/// Returns whether an input takes this pair: the one table from which rule and messages follow.
bool takes(InputKind kind, ScaleBlock block, Codes codes) {
    const bool is_micro = micro_block(block).has_value();
    const bool is_static = block == ScaleBlock::Static;
    if (is_micro != (codes == Codes::E2m1) || (is_static && codes != Codes::Fp8E4m3)) {
        return false;
    }
    // Tiles are weights, and each matrix has scales of its own.
    return kind == InputKind::Tiles
               ? !is_micro && !is_static && block != ScaleBlock::Tensor && codes != Codes::Int8Bytes
               : block != ScaleBlock::Matrix && codes != Codes::Int4 &&
                     (kind == InputKind::Rows || block != ScaleBlock::Square128);
}

/// Returns the names of the values that `holds` is true for.
template <class E, class Holds>
std::vector<std::string_view> names_where(const Holds& holds) {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : config::kEnumNames<E>) {
        if (holds(value)) {
            names.push_back(name);
        }
    }
    return names;
}

void judge_pair(InputKind kind, const QuantiseSpec& spec, RuleJudge& judge) {
    constexpr std::array<std::string_view, 3> kWords{"tiles", "rows",
                                                     "rows of a stack or with counts"};
    const std::string_view words = kWords[static_cast<std::size_t>(kind)];
    const auto blocks_of = [&](Codes codes) {
        return names_where<ScaleBlock>([&](ScaleBlock block) { return takes(kind, block, codes); });
    };
    const std::string codes = config::Value<Codes>::show(spec.codes);
    const auto blocks = blocks_of(spec.codes);
    judge.require(
        !blocks.empty(), "codes",
        fmt::format(
            "are {}; allowed for {}: {}", codes, words,
            fmt::join(names_where<Codes>([&](Codes other) { return !blocks_of(other).empty(); }),
                      ", ")));
    judge.require(blocks.empty() || takes(kind, spec.block, spec.codes), "block",
                  fmt::format("is {}; allowed for {} with codes {}: {}", schedule_words(&spec),
                              words, codes, fmt::join(blocks, ", ")));
}

void judge_blocks(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<QuantiseSpec>();
    const std::string block = schedule_words(&spec);
    const bool takes_scale = spec.block == ScaleBlock::Static || spec.block == ScaleBlock::Row16;
    judge.require(takes_scale == context.has("static_scale"_in), "static_scale",
                  takes_scale ? fmt::format("is missing; required with block {}", block)
                              : fmt::format("is given; allowed with block {}: none", block));
    const TensorSpec& input = context.inputs["input"_in].spec;
    const bool is_plain = input.shape.size() == 2 && !context.has("counts"_in);
    judge_pair(is_tiled(input) ? InputKind::Tiles
               : is_plain      ? InputKind::Rows
                               : InputKind::CountedRows,
               spec, judge);
    if (is_tiled(input)) {
        judge.require(input.shape.size() > 1 && input.format == DataFormat::Float16_b, "input",
                      "must be matrices of bfloat16, if they are tiles");
        judge.require(!context.has("counts"_in), "counts", "are given; allowed for tiles: none");
        return;
    }
    const auto columns = micro_block(spec.block);
    judge.require(!columns || input.format == DataFormat::Float16_b, "input",
                  fmt::format("is {}; allowed with codes e2m1: bfloat16", name_of(input.format)));
    judge.require(!columns || input.shape.back() % *columns == 0, "input",
                  fmt::format("has rows of {} elements; allowed with block {}: multiples of {}",
                              input.shape.back(), block, columns.value_or(1)));
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<QuantiseSpec>();
    const TensorSpec& input = context.inputs["input"_in].spec;
    judge_grid(context.arch, spec.grid, judge);
    judge_blocks(context, judge);
    // The rules differ for codes of fp8; integers have one.
    judge.require(spec.codes == Codes::Fp8E4m3 || spec.rule == ScaleRule::Trtllm, "rule",
                  fmt::format("is {}; allowed for codes of {}: trtllm",
                              config::Value<ScaleRule>::show(spec.rule),
                              spec.codes == Codes::E2m1 ? "e2m1" : "integers"));
    // Tiles are coded one at a time, so that no width exceeds L1.
    if (is_tiled(input)) {
        return;
    }
    const TensorPlan* counts = context.has("counts"_in) ? &context.inputs["counts"_in] : nullptr;
    judge_counts(counted_rows(context.arch, input.shape, counts, spec.counted_by), counts, judge);
    if (!micro_block(spec.block)) {
        judge_rows_room(context, judge);
    }
    const Shape scales = cut_of(input, spec.block).scales;
    const Shape& scale =
        context.outputs.size() > 1 ? context.outputs["scale"_out].spec.shape : scales;
    judge.require(scale == scales, "scale",
                  fmt::format("is {}; allowed: {}", to_string(scale), to_string(scales)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const auto& spec = context.params<QuantiseSpec>();
    TensorSpec codes = context.inputs["input"_in].spec;
    codes.format = format_of(spec.codes, is_tiled(codes));
    if (spec.codes == Codes::E2m1) {
        codes.shape.back() /= 2;  // two codes share a byte
    }
    // A static scale is an input, so there is no output for it.
    if (spec.block == ScaleBlock::Static) {
        return {{.spec = codes}};
    }
    // NVFP4 has scales of e4m3 for 16 columns. MXFP4 has e8m0 for 32, for which devices have no
    // format: these scales are bytes.
    const DataFormat scales = spec.block == ScaleBlock::Row16   ? DataFormat::Fp8_e4m3
                              : spec.block == ScaleBlock::Row32 ? DataFormat::UInt8
                                                                : DataFormat::Float32;
    return {{.spec = codes},
            {.spec = {cut_of(context.inputs["input"_in].spec, spec.block).scales, scales,
                      Layout::ROW_MAJOR}}};
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) {
        if (is_tiled(context.inputs["input"_in].spec)) {
            return tiles_program(context, p);
        }
        const ScaleBlock block = context.params<QuantiseSpec>().block;
        if (micro_block(block)) {
            return micro_program(context, p);
        }
        if (block == ScaleBlock::Tensor) {
            return tensor_program(context, p);
        }
        return is_in_pieces(block) ? pieces_program(context, p) : rows_program(context, p);
    });
}

/// Takes away rows with NaN, for which e2m1 has no code: padding.
void drop_nan_rows(const HostTensor& input, std::vector<bool>& rows) {
    const std::vector<float> values = floats_of(input);
    rows.resize(num_rows(input.shape), true);
    const std::size_t width = input.shape.back();
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) {
            rows[i / width] = false;
        }
    }
}

/// Returns the rows that count, of codes and of scales; the one scale of a tensor always counts.
std::vector<std::vector<bool>> counted(const ReferenceContext& context) {
    const auto& spec = context.params<QuantiseSpec>();
    auto rows = context.has("counts"_in) ? counted_flags(num_rows(context.in("input"_in).shape()),
                                                         context.read("counts"_in), spec.counted_by)
                                         : std::vector<bool>{};
    if (micro_block(spec.block)) {
        drop_nan_rows(context.read("input"_in), rows);
    }
    if (context.outputs.size() == 1) {
        return {rows};
    }
    return {rows, spec.block == ScaleBlock::Tensor ? std::vector<bool>{} : rows};
}

void check_values(const ReferenceContext& context) {
    if (context.has("counts"_in)) {
        check_counted(kSpec.name, named_table(kInputs, context, "counts"_in),
                      num_rows(context.in("input"_in).shape()),
                      context.params<QuantiseSpec>().counted_by);
    }
}

LeastWork bound(const BoundContext& context) {
    return row_wise_bytes(context);
}

}  // namespace

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<QuantiseSpec>(kFields),
        .schedule = [](const OpContext& context) { return schedule_words(context.parameters); },
        .rules = rules,
        .infer = infer,
        .programs = programs,
        .bound = bound,
        .reference = reference_of_blocks,
        .valid = valid_of_rows(counted),
        .check_values = check_values,
        .checked_inputs = {"counts"_in}};
    return kOp;
}

Cut cut_of(const TensorSpec& input, ScaleBlock block) {
    const Shape& shape = input.shape;
    const std::uint32_t width = shape.back();
    const bool is_square = block == ScaleBlock::Square128;
    const bool is_narrow = is_square || block == ScaleBlock::Row128 || block == ScaleBlock::Static;
    const std::uint32_t blocks = is_narrow ? div_up(width, kBlock) : 1;
    const std::uint32_t all_strips = div_up(width, kBlock);
    if (const auto columns = micro_block(block)) {
        return {.row_tiles = 1,
                .groups = div_up(num_rows(shape), kTileRows),
                .blocks = width / *columns,
                .strips = 1,
                .scales = {num_rows(shape), width / *columns}};
    }
    if (!is_tiled(input)) {
        const std::uint32_t row_tiles = is_square ? kBlock / kTileRows : 1;
        const std::uint32_t rows = num_rows(shape);
        return {.row_tiles = row_tiles,
                .groups = div_up(rows, row_tiles * kTileRows),
                .blocks = blocks,
                .strips = is_narrow ? row_tiles : all_strips,
                .scales = {block == ScaleBlock::Tensor ? 1
                           : is_square                 ? div_up(rows, kBlock)
                                                       : rows,
                           blocks}};
    }
    const std::uint32_t rows = shape[shape.size() - 2];
    const std::uint32_t row_tiles = block == ScaleBlock::Matrix ? div_up(rows, kTileRows)
                                    : is_square                 ? kBlock / kTileRows
                                                                : 1;
    const std::uint32_t groups = div_up(rows, row_tiles * kTileRows);
    const std::uint32_t matrices = num_rows(shape) / rows;
    Shape scales(shape.begin(), shape.end() - 2);
    scales.push_back(block == ScaleBlock::Matrix ? 1 : is_square ? groups : rows);
    scales.push_back(blocks);
    return {row_tiles, matrices * groups, blocks, row_tiles, scales};
}

// Integers are symmetric: bfp8_b and bfp4_b hold sign and magnitude, and have no -128 or -8.
float largest_code(Codes codes) {
    return codes == Codes::Fp8E4m3 ? 448.0F : codes == Codes::Int4 ? 7.0F : 127.0F;
}

}  // namespace tessera::ops::quantise
