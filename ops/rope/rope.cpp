// SPDX-License-Identifier: Apache-2.0
#include "ops/rope/rope.hpp"

#include "ops/bound.hpp"
#include "ops/rope/kernels/args.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/row_strips/row_strips.hpp"

namespace tessera::ops::rope {
namespace {

using config::field;
using config::Limits;
using rotary_table::part_width;
using rotary_table::RotatedPair;

constexpr std::uint32_t kAlignment = 16;  // elements: where a row's factors may be put
constexpr std::uint32_t kMatrixTiles = kStripTiles * kStripTiles;
/// Matrices that sort elements and partners, factors of both as rows and as tiles, positions.
const std::vector<StripBuffer> kBuffers{
    {index_of(Cb::Own), DataFormat::Float16_b, kMatrixTiles},
    {index_of(Cb::Partner), DataFormat::Float16_b, kMatrixTiles},
    {index_of(Cb::FactorRows), DataFormat::Float32, kStripTiles},
    {index_of(Cb::PartnerFactorRows), DataFormat::Float32, kStripTiles},
    {index_of(Cb::Factors), DataFormat::Float32, kStripTiles},
    {index_of(Cb::PartnerFactors), DataFormat::Float32, kStripTiles}};

constexpr std::array kFields{
    field<&RopeSpec::layout>("layout", "interleaved",
                             "elements that rotate together, and their order in the output"),
    field<&RopeSpec::first>("first", "0", "first element of a head that is rotated",
                            Limits{.least = 0, .most = 112, .multiple_of = kAlignment}),
    field<&RopeSpec::dim>("dim", "0", "elements that are rotated; 0: all from the first",
                          Limits{0, 128}),
    field<&RopeSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

// 0 takes all elements from the first on.
std::uint32_t rotated(const RopeSpec& spec, std::uint32_t columns) {
    return spec.dim != 0 ? spec.dim : columns - std::min(columns, spec.first);
}

// Without positions token i is at position i of the table.
std::uint32_t num_tokens(const OpContext& context) {
    const Shape& list =
        context.inputs[context.has("positions"_in) ? "positions"_in : "table"_in].spec.shape;
    return context.has("positions"_in) ? static_cast<std::uint32_t>(num_elements(list)) : list[0];
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<RopeSpec>();
    const TensorSpec& input = context.inputs["input"_in].spec;
    const std::uint32_t columns = row_length(input.shape);
    const std::uint32_t dim = rotated(spec, columns);
    judge_row_strips(context.arch, spec.grid, input, bytes_of(kBuffers), judge);
    // The pair of an element is in the same strip, whose elements one matrix sorts.
    const std::uint32_t most = std::min(columns, kStripColumns);
    judge.require(dim >= 2 && dim % 2 == 0 && spec.first + dim <= most, "dim",
                  fmt::format("is {} from element {} on; allowed: an even number that ends "
                              "within the {}{} of a head",
                              dim, spec.first, columns > most ? "first " : "", most));
    // Factors of a row are read to this place, which DRAM's alignment bounds.
    judge.require(spec.first % kAlignment == 0, "first",
                  fmt::format("is {}; allowed: a multiple of {}", spec.first, kAlignment));
    // The table has cosines and sines, each padded to whole lines.
    judge.require(context.inputs["table"_in].spec.shape[1] == 2 * part_width(dim), "table",
                  fmt::format("has rows of {} elements; allowed for {} rotated ones: {}",
                              context.inputs["table"_in].spec.shape[1], dim, 2 * part_width(dim)));
    judge.require(num_rows(input.shape) % num_tokens(context) == 0, "input",
                  fmt::format("has {} rows; allowed: a multiple of {} tokens",
                              num_rows(input.shape), num_tokens(context)));
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    const auto& spec = context.params<RopeSpec>();
    return on_each(context, [&](std::size_t p) {
        const DeviceTensor& input = context.device_inputs["input"_in][p];
        const bool has_positions = is_given(context.device_inputs, "positions"_in);
        const DeviceTensor& list =
            context.device_inputs[has_positions ? "positions"_in : "table"_in][p];
        const std::uint32_t width = has_positions ? row_length(list.spec.shape) : 0;
        const std::uint32_t dim = rotated(spec, row_length(input.spec.shape));
        // The layout shares a word with the width of the list: an op's reader has four words for
        // itself.
        return row_strips_program(
            kSpec.name, context.arch,
            {.input = input,
             .output = context.device_outputs[only(kOutputs)][p],
             .compute = "ops/rope/kernels/compute.cpp",
             .reader = "ops/rope/kernels/reader.cpp",
             .reader_args =
                 named(HeadArgs{.first = spec.first,
                                .dim = dim,
                                .layout_and_width =
                                    static_cast<std::uint32_t>(spec.layout) << kLayoutShift | width,
                                .rows_each = num_rows(input.spec.shape) / num_tokens(context)}),
             .operands = {&context.device_inputs["table"_in][p], &list},
             .buffers = kBuffers},
            spec.grid);
    });
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<RopeSpec>();
    const HostTensor input = context.read("input"_in);
    const HostTensor table = context.read("table"_in);
    const bool has_positions = context.has("positions"_in);
    const HostTensor positions = has_positions ? context.read("positions"_in) : HostTensor{};
    const std::size_t tokens = has_positions ? num_elements(positions.shape) : table.shape[0];
    const std::size_t rows_each = num_rows(input.shape) / tokens;
    const std::uint32_t dim = rotated(spec, row_length(input.shape));
    const std::size_t part = part_width(dim);
    return {for_each_row(input, [&](std::size_t row, std::vector<double>& values) {
        const std::size_t token = row / rows_each;
        const std::size_t position =
            has_positions ? static_cast<std::size_t>(positions.as<std::int32_t>()[token]) : token;
        const auto factors = table.as<float>().subspan(position * 2 * part, 2 * part);
        // The head before any change: pairs read each other's elements.
        const std::vector<double> head(values.begin() + spec.first, values.end());
        for (std::uint32_t element = 0; element < dim; ++element) {
            const RotatedPair pair = rotary_table::rotated_pair(spec.layout, dim, element);
            values[spec.first + element] =
                head[pair.own] * static_cast<double>(factors[element]) +
                head[pair.partner] * static_cast<double>(factors[part + element]);
        }
    })};
}

void check_values(const ReferenceContext& context) {
    if (!context.has("positions"_in)) {
        // Without positions every row of the table is one of a token.
        return;
    }
    const HostTensor positions = context.read("positions"_in);
    const auto entries = positions.as<std::int32_t>();
    const std::uint32_t rows = context.in("table"_in).shape()[0];
    for (std::size_t i = 0; i < entries.size(); ++i) {
        require(entries[i] >= 0 && static_cast<std::uint32_t>(entries[i]) < rows,
                "rope: positions[{}] is {}; the table has rows 0 to {}", i, entries[i], rows - 1);
    }
}

LeastWork bound(const BoundContext& context) {
    // Only the positions of tokens are read of the table.
    return operand_bytes(context, {"table"});
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<RopeSpec>(kFields),
                        .rules = rules,
                        .infer = like_first_input,
                        .programs = programs,
                        .bound = bound,
                        .reference = reference,
                        .check_values = check_values,
                        .checked_inputs = {"positions"_in}};
    return kOp;
}

}  // namespace tessera::ops::rope
