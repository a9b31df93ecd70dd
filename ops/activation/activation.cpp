// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/activation.hpp"

#include <algorithm>
#include <cmath>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::activation {
namespace {

using config::field;

constexpr std::uint32_t kTileBytes = tile_bytes(DataFormat::Float16_b);

constexpr std::array kFields{
    field<&RowActivationSpec::function>("function", config::kRequired, "function of the gate"),
    field<&RowActivationSpec::gate>("gate", "none",
                                    "place of the gate in a row; the rest of the row is up"),
    field<&RowActivationSpec::alpha>("alpha", "1.702", "alpha of swigluoai"),
    field<&RowActivationSpec::limit>("limit", "7", "limit of swigluoai",
                                     config::Limits{1e-30, 1e30}),
    field<&RowActivationSpec::counted_by>("counted_by", "batches", kCountedByProse),
    field<&RowActivationSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&RowActivationSpec::cb_depth>("cb_depth", "2", "units of rows in a CB", kDepth),
};

std::string schedule_words(ParameterRef parameters) {
    return config::Value<ActivationFunction>::show(parameters.as<RowActivationSpec>().function);
}

bool has_gate(const RowActivationSpec& spec) {
    // Without a gate the whole row is activated.
    return spec.gate != GatePlace::None;
}

/// Rows in tiles of 1024 consecutive elements.
struct Units {
    CountedRows counted;
    std::uint32_t columns;     ///< N
    std::uint32_t row_stride;  ///< bytes of a row in L1
    std::uint32_t unit_rows;   ///< rows in a unit
    std::uint32_t unit_tiles;  ///< tiles of a unit

    [[nodiscard]] std::uint32_t count() const { return div_up(counted.rows, unit_rows); }
};

const TensorPlan* counts_of(std::span<const TensorPlan> inputs) {
    return is_given(inputs, "counts"_in) ? &inputs["counts"_in] : nullptr;
}

Units units_of(const ArchSpec& arch, std::span<const TensorPlan> inputs,
               const RowActivationSpec& spec) {
    const Shape& shape = inputs["input"_in].spec.shape;
    // Output columns: a gate halves the row.
    const std::uint32_t columns = row_length(shape) / (has_gate(spec) ? 2 : 1);
    // Rows have the same alignment in L1 as in DRAM, so each row can be read directly to its
    // address.
    const std::uint32_t stride = round_up(2 * columns, dram_alignment(arch));
    // Short rows share a tile; elements are independent, so their order in a tile is arbitrary.
    const std::uint32_t rows = std::max(1U, kTileBytes / stride);
    return {counted_rows(arch, shape, counts_of(inputs), spec.counted_by), columns, stride, rows,
            div_up(rows * stride, kTileBytes)};
}

/// Returns the bytes of counts that a core holds.
std::uint64_t table_bytes(const ArchSpec& arch, const Units& units, const RowActivationSpec& spec) {
    // The first core has the most units.
    const CoreCoord grid = schedule_grid(kSpec.name, arch, spec.grid);
    return units.counted.table_bytes(div_up(units.count(), grid.x * grid.y) * units.unit_rows);
}

std::uint64_t buffer_bytes(const ArchSpec& arch, const Units& units,
                           const RowActivationSpec& spec) {
    // Gate and up in bfloat16, results in up to float32.
    return std::uint64_t{4} * spec.cb_depth * units.unit_tiles * kTileBytes +
           std::uint64_t{2} * units.row_stride + 2 * table_bytes(arch, units, spec) +
           2 * dram_alignment(arch);
}

/// Returns the keys that change nothing with a function.
std::span<const std::string_view> untaken_by(ActivationFunction function) {
    static constexpr std::array<std::string_view, 2> kOfSwigluOai{"alpha", "limit"};
    return function == ActivationFunction::SwigluOai ? std::span<const std::string_view>{}
                                                     : kOfSwigluOai;
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<RowActivationSpec>();
    judge_untaken(kFields, &spec, untaken_by(spec.function), schedule_words(&spec), judge);
    judge_grid(context.arch, spec.grid, judge);
    judge_depth(spec.cb_depth, judge);
    const std::uint32_t width = row_length(context.inputs["input"_in].spec.shape);
    judge.require(!has_gate(spec) || width % 2 == 0, "input",
                  fmt::format("has {} columns; allowed with a gate: an even number", width));
    // swigluoai clamps gate and up separately, so it has no form without up.
    judge.require(has_gate(spec) || spec.function != ActivationFunction::SwigluOai, "gate",
                  "is none; swigluoai has one");
    const Units units = units_of(context.arch, context.inputs, spec);
    judge_counts(units.counted, counts_of(context.inputs), judge);
    const std::uint64_t bytes = buffer_bytes(context.arch, units, spec);
    judge.require(bytes <= buffer_room(context.arch), "cb_depth",
                  fmt::format("{} takes {} B of circular buffers; a core has {} B of L1 for them",
                              spec.cb_depth, bytes, buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs["input"_in].spec;
    // Halves of an odd row are refused by the rules; one column keeps the shape valid until then.
    if (has_gate(context.params<RowActivationSpec>())) {
        output.shape.back() = std::max(output.shape.back() / 2, 1U);
    }
    return {{.spec = output}};
}

/// Returns the row arguments of reader and writer; elements have `format`.
NamedCompileArgs unit_args(const Units& units, DataFormat format) {
    const std::uint32_t element = element_bytes(format);
    return named(UnitArgs{.row_bytes = element * units.columns,
                          .row_stride = element / 2 * units.row_stride,
                          .unit_rows = units.unit_rows,
                          .unit_tiles = units.unit_tiles},
                 units.counted.args());
}

Halves halves_of(const Units& units, const RowActivationSpec& spec, std::uint32_t alignment) {
    if (!has_gate(spec)) {
        return Halves::None;
    }
    if (spec.gate == GatePlace::Interleaved) {
        return Halves::Interleaved;
    }
    // Halves that begin at unaligned bytes cannot be read to aligned places; the row is then read
    // whole and parted by the core.
    const bool is_aligned = 2 * units.columns % alignment == 0;
    const bool is_first = spec.gate == GatePlace::First;
    return is_aligned ? (is_first ? Halves::First : Halves::Second)
                      : (is_first ? Halves::FirstApart : Halves::SecondApart);
}

void add_buffers(Program& program, const CoreRangeSet& cores, const ArchSpec& arch,
                 const Units& units, const RowActivationSpec& spec, DataFormat output) {
    const std::uint32_t alignment = dram_alignment(arch);
    // Gate and up are bfloat16; the output may be float32, whose pages are twice as long.
    for (const auto& [cb, format] :
         {std::pair{Cb::Gate, DataFormat::Float16_b}, std::pair{Cb::Up, DataFormat::Float16_b},
          std::pair{Cb::Output, output}}) {
        add_circular_buffer(program, cores, cb, format,
                            {spec.cb_depth * units.unit_tiles, tile_bytes(format)});
    }
    // Reader and writer have separate tables, so neither waits for the other.
    const Scratch scratch[]{{Cb::Units, alignment},
                            {Cb::ReaderCounts, table_bytes(arch, units, spec)},
                            {Cb::WriterCounts, table_bytes(arch, units, spec)},
                            {Cb::WholeRow, std::uint64_t{2} * units.row_stride}};
    add_scratch(program, cores, scratch, alignment);
}

void add_compute(Program& program, const CoreRangeSet& cores, const Units& units,
                 const RowActivationSpec& spec) {
    const ComputeArgs args{.function = static_cast<std::uint32_t>(spec.function),
                           .unit_tiles = units.unit_tiles,
                           .alpha_bits = float_word(spec.alpha),
                           .limit_bits = float_word(spec.limit),
                           .negative_limit_bits = float_word(-spec.limit),
                           .has_gate = has_gate(spec) ? 1U : 0U};
    // fp32 DST: sigmoid and products keep their bits until the packer rounds.
    CreateKernel(program, "ops/activation/kernels/compute.cpp", cores,
                 ComputeConfig{.fp32_dest_acc_en = true,
                               .compile_args = {},
                               .defines = {},
                               .named_compile_args = named(args)});
}

Program make_program(const OpContext& context, std::size_t p) {
    const auto& spec = context.params<RowActivationSpec>();
    const DeviceTensor& output = context.device_outputs[only(kOutputs)][p];
    const Buffer* counts = is_given(context.device_inputs, "counts"_in)
                               ? &context.device_inputs["counts"_in][p].buffer
                               : nullptr;
    const ReaderTensors read{.input = &context.device_inputs["input"_in][p].buffer,
                             .counts = counts};
    const WriterTensors written{.output = &output.buffer, .counts = counts};
    const Units units = units_of(context.arch, context.inputs, spec);
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, units.count());
    const Halves halves = halves_of(units, spec, dram_alignment(context.arch));

    Program program = CreateProgram();
    add_buffers(program, work.cores, context.arch, units, spec, output.spec.format);
    const KernelHandle reader = CreateKernel(
        program, "ops/activation/kernels/reader.cpp", work.cores,
        reader_config(
            named(ReaderArgs{.halves = index_of(halves)}, unit_args(units, DataFormat::Float16_b)),
            read));
    add_compute(program, work.cores, units, spec);
    const KernelHandle writer =
        CreateKernel(program, "ops/activation/kernels/writer.cpp", work.cores,
                     writer_config(unit_args(units, output.spec.format), written));
    // Counted rows are the first ones of each batch: adjacent units would give all of them to a few
    // cores. 2048 tokens, 64 experts, 768 columns: 0.30 M cycles in place of 2.9 M.
    const bool is_dealt = units.counted.form == expert_rows::CountedForm::ByBatches;
    const auto num_cores = static_cast<std::uint32_t>(work.shares.size());
    for (std::uint32_t core = 0; core < num_cores; ++core) {
        const WorkShare& share = work.shares[core];
        const UnitRange range{.first_unit = is_dealt ? core : share.first,
                              .num_units = share.count,
                              .step = is_dealt ? num_cores : 1};
        set_args(program, reader, share.core, range, addresses_of(read));
        set_args(program, writer, share.core, range, addresses_of(written));
    }
    return program;
}

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

// References compute in double and round once.
double activated(const RowActivationSpec& spec, double x, double up) {
    switch (spec.function) {
        case ActivationFunction::Silu:
            return x * sigmoid(x) * up;
        case ActivationFunction::Gelu:
            // erfc instead of 1 + erf: for large negative x the sum would cancel.
            return x / 2 * std::erfc(-x * std::sqrt(0.5)) * up;
        case ActivationFunction::GeluTanh:
            return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) * up;
        case ActivationFunction::Relu2:
            return x > 0 ? x * x * up : 0;
        case ActivationFunction::Sigmoid:
            return sigmoid(x) * up;
        case ActivationFunction::SwigluOai: {
            // NaN becomes the limit, as in binary_min_tile and binary_max_tile.
            const double gate = x < spec.limit ? x : spec.limit;
            const double below = up < spec.limit ? up : spec.limit;
            const double clamped = below > -spec.limit ? below : -spec.limit;
            return (clamped + 1) * gate * sigmoid(spec.alpha * gate);
        }
    }
    return 0;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<RowActivationSpec>();
    const HostTensor input = context.read("input"_in);
    HostTensor output =
        make_host_tensor(context.outputs[only(kOutputs)].spec.shape, DataFormat::Float32);
    const std::uint32_t width = row_length(input.shape);
    const std::uint32_t columns = row_length(output.shape);
    std::vector<float> row(width);
    // Rows that are not counted are computed too: Op::valid leaves them out of the comparison.
    for (std::uint32_t i = 0; i < num_rows(input.shape); ++i) {
        read_floats(input, std::uint64_t{i} * width, row);
        apply_to_row(spec, row, output.as<float>().subspan(std::size_t{i} * columns, columns));
    }
    return {std::move(output)};
}

std::vector<std::vector<bool>> counted(const ReferenceContext& context) {
    if (!context.has("counts"_in)) {
        // Without counts every row is valid.
        return {{}};
    }
    return {counted_flags(num_rows(context.outputs[only(kOutputs)].spec.shape),
                          context.read("counts"_in),
                          context.params<RowActivationSpec>().counted_by)};
}

void check_values(const ReferenceContext& context) {
    if (context.has("counts"_in)) {
        check_counted(kSpec.name, named_table(kInputs, context, "counts"_in),
                      num_rows(context.in("input"_in).shape()),
                      context.params<RowActivationSpec>().counted_by);
    }
}

LeastWork bound(const BoundContext& context) {
    return row_wise_bytes(context);
}

}  // namespace

void apply_to_row(const RowActivationSpec& spec, std::span<const float> in, std::span<float> out) {
    const std::size_t n = out.size();
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t gate = i;
        std::size_t up = n + i;
        if (spec.gate == GatePlace::Second) {
            std::swap(gate, up);
        } else if (spec.gate == GatePlace::Interleaved) {
            gate = 2 * i;
            up = gate + 1;
        }
        out[i] = static_cast<float>(activated(spec, in[gate], has_gate(spec) ? in[up] : 1.0));
    }
}

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<RowActivationSpec>(kFields),
        .schedule = [](const OpContext& context) { return schedule_words(context.parameters); },
        .rules = rules,
        .infer = infer,
        .programs = on_each(make_program),
        .bound = bound,
        .reference = reference,
        .valid = valid_of_rows(counted),
        .check_values = check_values,
        .checked_inputs = {"counts"_in}};
    return kOp;
}

}  // namespace tessera::ops::activation
