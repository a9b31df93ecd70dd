// SPDX-License-Identifier: Apache-2.0
#include "ops/head_product/head_product.hpp"

#include <tbb/parallel_for.h>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/head_product/kernels/args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/row_strips/row_strips.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::head_product {
namespace {

using config::field;
using config::Limits;

constexpr Limits kRows{0, 1048576};

constexpr std::array kFields{
    field<&HeadProductSpec::rows_are>("rows_are", "inputs",
                                      "meaning of the rows of a head's weights"),
    field<&HeadProductSpec::first>("first", "0", "first valid row of the weights of a head", kRows),
    field<&HeadProductSpec::rows>("rows", "0", "number of valid rows; 0: all from the first",
                                  kRows),
    field<&HeadProductSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

struct Extents {
    std::uint32_t tokens, heads;
    std::uint32_t head_rows;  ///< rows of a head's part of the weights
    std::uint32_t rows;       ///< number of them that count
    std::uint32_t columns;
    std::uint32_t inner, outer;  ///< elements of input and output rows

    [[nodiscard]] std::uint32_t row_tiles() const { return div_up(rows, kTileRows); }
    [[nodiscard]] std::uint32_t column_tiles() const { return div_up(columns, kTileColumns); }
    [[nodiscard]] std::uint32_t token_tiles() const { return div_up(tokens, kTileRows); }
};

Extents extents_of(const HeadProductSpec& spec, const Shape& input, const Shape& weight) {
    const std::uint32_t heads = input[input.size() - 2];
    const std::uint32_t head_rows = weight[0] / heads;
    // The default uses all rows from the first on, so k and v parts of a weight need one key each.
    const std::uint32_t rows =
        spec.rows != 0 ? spec.rows : head_rows - std::min(head_rows, spec.first);
    // The same weights serve in both directions: absorbed queries take a head's k rows as inputs,
    // attention outputs take its v rows as outputs.
    const bool are_inputs = spec.rows_are == HeadRows::Inputs;
    return {num_rows(input) / heads,
            heads,
            head_rows,
            rows,
            weight[1],
            are_inputs ? rows : weight[1],
            are_inputs ? weight[1] : rows};
}

std::uint64_t buffer_bytes(const Extents& extents) {
    const std::uint64_t inner = div_up(extents.inner, kTileColumns);
    // Weights of a head stay in L1; rows of inputs arrive in two pages.
    return std::uint64_t{kTileBytes} *
           (3 * inner + extents.column_tiles() +
            std::uint64_t{extents.row_tiles()} * extents.column_tiles() + 2 * kStripTiles);
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<HeadProductSpec>();
    judge_grid(context.arch, spec.grid, judge);
    const Shape& input = context.inputs["input"_in].spec.shape;
    const Shape& weight = context.inputs["weight"_in].spec.shape;
    const std::uint32_t heads = input[input.size() - 2];
    judge.require(weight[0] % heads == 0, "weight",
                  fmt::format("has {} rows; allowed: a multiple of {} heads", weight[0], heads));
    const Extents extents = extents_of(spec, input, weight);
    judge.require(extents.rows > 0 && spec.first + extents.rows <= extents.head_rows, "rows",
                  fmt::format("{} from row {} on exceed the {} of a head", extents.rows, spec.first,
                              extents.head_rows));
    judge.require(
        row_length(input) == extents.inner, "input",
        fmt::format("has rows of {} elements; allowed: {}", row_length(input), extents.inner));
    const std::uint64_t bytes = buffer_bytes(extents);
    judge.require(bytes <= buffer_room(context.arch), "weight",
                  fmt::format("takes {} B of circular buffers; a core has {} B of L1 for them",
                              bytes, buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs["input"_in].spec;
    // At least 1, so that a wrong row number reaches its rule.
    output.shape.back() = std::max(1U, extents_of(context.params<HeadProductSpec>(), output.shape,
                                                  context.inputs["weight"_in].spec.shape)
                                           .outer);
    return {{.spec = output}};
}

void add_buffers(Program& program, const CoreRangeSet& cores, const Extents& extents) {
    const auto add = [&](Cb cb, std::uint32_t pages) {
        add_circular_buffer(program, cores, cb, DataFormat::Float16_b, {pages, kTileBytes});
    };
    const std::uint32_t inner = div_up(extents.inner, kTileColumns);
    add(Cb::InputRows, 2 * inner);
    add(Cb::Inputs, inner);
    add(Cb::WeightRows, extents.column_tiles());
    add(Cb::Weights, extents.row_tiles() * extents.column_tiles());
    add(Cb::Output, 2 * kStripTiles);
}

ShapeArgs shape_args(const Extents& extents, HeadRows rows_are) {
    return {.tokens = extents.tokens,
            .heads = extents.heads,
            .token_tiles = extents.token_tiles(),
            .inner_tiles = div_up(extents.inner, kTileColumns),
            .outer_tiles = div_up(extents.outer, kTileColumns),
            .row_tiles = extents.row_tiles(),
            .column_tiles = extents.column_tiles(),
            .is_transposed = rows_are == HeadRows::Outputs ? 1U : 0U};
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<HeadProductSpec>();
    const DeviceTensor& input = context.device_inputs["input"_in][position];
    const DeviceTensor& weight = context.device_inputs["weight"_in][position];
    const DeviceTensor& output = context.device_outputs[only(kOutputs)][position];
    const Extents extents = extents_of(spec, input.spec.shape, weight.spec.shape);
    // A unit is 32 tokens of one head. Units of a head are consecutive, so a core tilizes its
    // weights once.
    const SharedWork work =
        share_work(kSpec.name, context.arch, spec.grid, extents.heads * extents.token_tiles());

    Program program = CreateProgram();
    add_buffers(program, work.cores, extents);
    const ShapeArgs shapes = shape_args(extents, spec.rows_are);
    const ReaderArgs reading{.input_bytes = 2 * extents.inner,
                             .head_rows = extents.head_rows,
                             .first_row = spec.first,
                             .num_rows = extents.rows,
                             .weight_bytes = 2 * extents.columns};
    const ReaderTensors read{.input = &input.buffer, .weight = &weight.buffer};
    const WriterTensors written{.output = &output.buffer};
    const KernelHandle reader =
        CreateKernel(program, "ops/head_product/kernels/reader.cpp", work.cores,
                     reader_config(named(shapes, reading), read));
    const KernelHandle compute =
        CreateKernel(program, "ops/head_product/kernels/compute.cpp", work.cores,
                     compute_config(shapes, {.fp32_dest_acc_en = true}));
    const KernelHandle writer = CreateKernel(
        program, "ops/head_product/kernels/writer.cpp", work.cores,
        writer_config(named(shapes, WriterArgs{.row_bytes = 2 * extents.outer}), written));
    for (const WorkShare& share : work.shares) {
        const UnitRange range{.first_unit = share.first, .num_units = share.count};
        set_args(program, reader, share.core, range, addresses_of(read));
        set_args(program, compute, share.core, range);
        set_args(program, writer, share.core, range, addresses_of(written));
    }
    return program;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<HeadProductSpec>();
    const std::vector<float> input = floats_of(context.read("input"_in));
    const std::vector<float> weight = floats_of(context.read("weight"_in));
    const Extents extents =
        extents_of(spec, context.in("input"_in).shape(), context.in("weight"_in).shape());
    const bool are_inputs = spec.rows_are == HeadRows::Inputs;
    HostTensor output =
        make_host_tensor(context.outputs[only(kOutputs)].spec.shape, DataFormat::Float32);
    // One task a row and head: they share nothing.
    tbb::parallel_for(std::size_t{0}, std::size_t{extents.tokens} * extents.heads, [&](auto row) {
        const std::size_t first =
            row % extents.heads * extents.head_rows + spec.first;  // of the head's weights
        for (std::size_t n = 0; n < extents.outer; ++n) {
            double sum = 0;
            for (std::size_t k = 0; k < extents.inner; ++k) {
                const std::size_t place = are_inputs ? (first + k) * extents.columns + n
                                                     : (first + n) * extents.columns + k;
                sum += double{input[row * extents.inner + k]} * double{weight[place]};
            }
            output.as<float>()[row * extents.outer + n] = static_cast<float>(sum);
        }
    });
    return list_of(std::move(output));
}

LeastWork bound(const BoundContext& context) {
    const Extents extents = extents_of(context.params<HeadProductSpec>(),
                                       context.in("input"_in).shape, context.in("weight"_in).shape);
    // Rows of a head's weights that do not count are not read.
    LeastWork work = operand_bytes(context, {"weight"});
    const double pairs = static_cast<double>(extents.heads) * extents.rows * extents.columns;
    work.dram_bytes += bytes_of_elements(pairs, context.in("weight"_in).format);
    work.products = pairs * extents.tokens;
    return work;
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<HeadProductSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .bound = bound,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::head_product
