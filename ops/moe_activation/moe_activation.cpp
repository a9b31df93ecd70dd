// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_activation/moe_activation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ops/buffer_room.hpp"
#include "ops/expert_rows/tables.hpp"
#include "ops/host_floats.hpp"
#include "ops/schedule_fields.hpp"
#include "ops/work_share.hpp"

namespace tessera::ops::moe_activation {
namespace {

using config::field;

constexpr std::uint32_t kTileBytes = tile_bytes(DataFormat::Float16_b);

// Circular buffers, as the kernels number them.
enum : std::uint8_t {
    kGate = 0,
    kUp = 1,
    kUnits = 2,
    kReaderCounts = 3,
    kWriterCounts = 4,
    kWholeRow = 5,
    kOut = 16
};

constexpr std::array kFields{
    field<&MoeActivationSpec::function>("function", "silu", "with a gate, or without (no_mul)"),
    field<&MoeActivationSpec::gate>(
        "gate", "default",
        "where the gate stands in a row; default: interleaved for swigluoai, else first"),
    field<&MoeActivationSpec::alpha>("alpha", "1.702", "of swigluoai"),
    field<&MoeActivationSpec::limit>("limit", "7.0", "of swigluoai"),
    field<&MoeActivationSpec::counted_by>(
        "counted_by", "batches", "counts: first rows of equal batches, or a row each, -1 if none"),
    field<&MoeActivationSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&MoeActivationSpec::cb_depth>("cb_depth", "2", "units of rows in a CB", kDepth),
};

/// How rows lie in tiles of 1024 consecutive elements.
struct Units {
    std::uint32_t rows;         ///< of the tensor
    std::uint32_t columns;      ///< N
    std::uint32_t row_stride;   ///< bytes of a row in L1
    std::uint32_t unit_rows;    ///< rows in a unit
    std::uint32_t unit_tiles;   ///< tiles of a unit
    std::uint32_t batches;      ///< equal parts of the rows
    std::uint32_t counted_by;   ///< as the kernels number it
    std::uint32_t table_width;  ///< entries of a page of the counts
    std::uint32_t table_stride;
    bool is_paged;  ///< counts of batches, a page each

    [[nodiscard]] std::uint32_t count() const { return div_up(rows, unit_rows); }
};

// As the kernels number it.
enum : std::uint32_t { kAllRows = 0, kByBatches = 1, kByPresence = 2 };

std::uint32_t counted_by(std::span<const TensorPlan> inputs, const MoeActivationSpec& spec) {
    const bool by_batches = spec.counted_by == CountedBy::Batches;
    return inputs.size() < 2 ? kAllRows : by_batches ? kByBatches : kByPresence;
}

std::uint32_t batches_of(std::span<const TensorPlan> inputs, const MoeActivationSpec& spec) {
    return counted_by(inputs, spec) == kByBatches
               ? static_cast<std::uint32_t>(num_elements(inputs[1].spec.shape))
               : 1;
}

Units units_of(const ArchSpec& arch, std::span<const TensorPlan> inputs,
               const MoeActivationSpec& spec) {
    const Shape& shape = inputs[0].spec.shape;
    const std::uint32_t columns = row_length(shape) / (spec.is_gated() ? 2 : 1);
    const std::uint32_t stride = round_up(std::uint64_t{2} * columns, dram_alignment(arch));
    const std::uint32_t rows = std::max(1U, kTileBytes / stride);
    const std::uint32_t width = inputs.size() > 1 ? row_length(inputs[1].spec.shape) : 1;
    return {num_rows(shape),
            columns,
            stride,
            rows,
            div_up(std::uint64_t{rows} * stride, kTileBytes),
            batches_of(inputs, spec),
            counted_by(inputs, spec),
            width,
            round_up(std::uint64_t{4} * width, dram_alignment(arch)),
            inputs.size() > 1 && is_paged(inputs[1].spec.shape)};
}

/// Bytes of what a core holds of the counts: all of those of batches, or those of its rows.
std::uint64_t table_bytes(const ArchSpec& arch, const Units& units, const MoeActivationSpec& spec) {
    if (units.counted_by != kByPresence) {
        return 64 * std::uint64_t{units.batches};
    }
    const CoreCoord grid = schedule_grid(kSpec.name, arch, spec.grid);
    const std::uint32_t rows = div_up(units.count(), grid.x * grid.y) * units.unit_rows;
    return std::uint64_t{rows / units.table_width + 2} * units.table_stride;
}

std::uint64_t buffer_bytes(const ArchSpec& arch, const Units& units,
                           const MoeActivationSpec& spec) {
    return std::uint64_t{3} * spec.cb_depth * units.unit_tiles * kTileBytes +
           std::uint64_t{2} * units.row_stride + 2 * table_bytes(arch, units, spec) +
           2 * dram_alignment(arch);
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<MoeActivationSpec>();
    judge_grid(context.arch, spec.grid, judge);
    judge_depth(spec.cb_depth, judge);
    const std::uint32_t width = row_length(context.inputs[0].spec.shape);
    judge.require(!spec.is_gated() || width % 2 == 0, "input",
                  fmt::format("has rows of {}; with a gate they must be even", width));
    const std::uint32_t rows = num_rows(context.inputs[0].spec.shape);
    const std::uint32_t batches = batches_of(context.inputs, spec);
    judge.require(rows % batches == 0, "counts",
                  fmt::format("are {}; they must divide the {} rows", batches, rows));
    judge.require(counted_by(context.inputs, spec) != kByPresence ||
                      num_elements(context.inputs[1].spec.shape) == rows,
                  "counts", fmt::format("must have an entry for each of {} rows", rows));
    const std::uint64_t bytes =
        buffer_bytes(context.arch, units_of(context.arch, context.inputs, spec), spec);
    judge.require(bytes <= buffer_room(context.arch), "cb_depth",
                  fmt::format("{} takes {} B of circular buffers; a core has {} B of L1 for them",
                              spec.cb_depth, bytes, buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    TensorSpec output = context.inputs[0].spec;
    if (context.params<MoeActivationSpec>().is_gated()) {
        output.shape.back() = std::max(output.shape.back() / 2, 1U);
    }
    return {{.spec = output}};
}

/// What reader and writer are told of the rows.
std::vector<std::uint32_t> unit_args(const Units& units) {
    return {2 * units.columns,  units.row_stride,        units.unit_rows,  units.unit_tiles,
            units.rows,         units.batches,           units.counted_by, units.table_width,
            units.table_stride, units.is_paged ? 1U : 0U};
}

/// How the reader comes by the two halves of a row.
enum Halves : std::uint32_t { kNone, kFirst, kSecond, kInterleaved, kFirstApart, kSecondApart };

std::uint32_t halves_of(const Units& units, const MoeActivationSpec& spec,
                        std::uint32_t alignment) {
    if (!spec.is_gated()) {
        return kNone;
    }
    if (spec.gate_place() == Gate::Interleaved) {
        return kInterleaved;
    }
    const bool is_aligned = 2 * units.columns % alignment == 0;
    const bool is_first = spec.gate_place() == Gate::First;
    return is_aligned ? (is_first ? kFirst : kSecond) : (is_first ? kFirstApart : kSecondApart);
}

std::uint32_t word_of(double value) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

void add_buffers(Program& program, const CoreRangeSet& cores, const ArchSpec& arch,
                 const Units& units, const MoeActivationSpec& spec) {
    const std::uint32_t alignment = dram_alignment(arch);
    for (const std::uint8_t index : {kGate, kUp, kOut}) {
        CreateCircularBuffer(program, cores,
                             CircularBufferConfig(spec.cb_depth * units.unit_tiles * kTileBytes,
                                                  {{index, DataFormat::Float16_b}})
                                 .set_page_size(index, kTileBytes));
    }
    const Scratch scratch[]{{kUnits, alignment},
                            {kReaderCounts, table_bytes(arch, units, spec)},
                            {kWriterCounts, table_bytes(arch, units, spec)},
                            {kWholeRow, std::uint64_t{2} * units.row_stride}};
    add_scratch(program, cores, scratch, alignment);
}

Program make_program(const OpContext& context, std::size_t p) {
    const auto& spec = context.params<MoeActivationSpec>();
    const DeviceTensor& input = context.device_inputs[0][p];
    const DeviceTensor& counts =
        context.device_inputs.size() > 1 ? context.device_inputs[1][p] : input;
    const DeviceTensor& output = context.device_outputs[0][p];
    const std::uint32_t alignment = dram_alignment(context.arch);
    const Units units = units_of(context.arch, context.inputs, spec);
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, units.count());

    Program program = CreateProgram();
    add_buffers(program, work.cores, context.arch, units, spec);
    std::vector<std::uint32_t> reader_args = unit_args(units);
    std::vector<std::uint32_t> writer_args = reader_args;
    reader_args.push_back(halves_of(units, spec, alignment));
    append_accessors({&input, &counts}, reader_args);
    append_accessors({&output, &counts}, writer_args);
    const KernelHandle reader =
        CreateKernel(program, "ops/moe_activation/kernels/reader.cpp", work.cores,
                     ReaderDataMovementConfig(std::move(reader_args)));
    const ComputeConfig config{
        .fp32_dest_acc_en = true,
        .compile_args = {static_cast<std::uint32_t>(spec.function), units.unit_tiles,
                         word_of(spec.alpha), word_of(spec.limit), word_of(-spec.limit)},
        .defines = {},
        .named_compile_args = {}};
    CreateKernel(program, "ops/moe_activation/kernels/compute.cpp", work.cores, config);
    const KernelHandle writer =
        CreateKernel(program, "ops/moe_activation/kernels/writer.cpp", work.cores,
                     WriterDataMovementConfig(std::move(writer_args)));
    for (const WorkShare& share : work.shares) {
        SetRuntimeArgs(program, reader, share.core,
                       {input.buffer.address, counts.buffer.address, share.first, share.count});
        SetRuntimeArgs(program, writer, share.core,
                       {output.buffer.address, counts.buffer.address, share.first, share.count});
    }
    return program;
}

double silu(double x) {
    return x / (1 + std::exp(-x));
}

double gelu(double x) {
    return x / 2 * std::erfc(-x * std::sqrt(0.5));
}

double apply(const MoeActivationSpec& spec, double gate, double up) {
    switch (spec.function) {
        case Function::Silu:
            return silu(gate) * up;
        case Function::Gelu:
            return gelu(gate) * up;
        case Function::SwigluOai: {
            const double held = std::min(gate, spec.limit);
            return (std::clamp(up, -spec.limit, spec.limit) + 1) * held /
                   (1 + std::exp(-spec.alpha * held));
        }
        case Function::SiluNoMul:
            return silu(gate);
        case Function::GeluNoMul:
            return gelu(gate);
        case Function::Relu2NoMul:
            return gate > 0 ? gate * gate : 0;
    }
    return 0;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<MoeActivationSpec>();
    const HostTensor input = context.read(0);
    HostTensor output = make_host_tensor(context.outputs[0].spec.shape, DataFormat::Float32);
    const std::uint32_t width = row_length(input.shape);
    const std::uint32_t columns = row_length(output.shape);
    std::vector<float> row(width);
    for (std::uint32_t i = 0; i < num_rows(input.shape); ++i) {
        read_floats(input, std::uint64_t{i} * width, row);
        apply_to_row(spec, row, output.as<float>().subspan(std::size_t{i} * columns, columns));
    }
    return {std::move(output)};
}

std::vector<std::vector<bool>> counted(const ReferenceContext& context) {
    if (context.inputs.size() < 2) {
        return {{}};
    }
    const HostTensor counts = context.read(1);
    const std::uint32_t rows = num_rows(context.outputs[0].spec.shape);
    if (context.params<MoeActivationSpec>().counted_by == CountedBy::Batches) {
        return {first_rows(rows, counts)};
    }
    std::vector<bool> flags;
    for (const std::int32_t entry : counts.as<std::int32_t>()) {
        flags.push_back(entry != kNobody);
    }
    return {flags};
}

}  // namespace

void apply_to_row(const MoeActivationSpec& spec, std::span<const float> in, std::span<float> out) {
    const std::size_t n = out.size();
    for (std::size_t i = 0; i < n; ++i) {
        const Gate gate = spec.is_gated() ? spec.gate_place() : Gate::First;
        const std::size_t at = gate == Gate::Interleaved ? 2 * i : gate == Gate::Second ? n + i : i;
        const std::size_t up = gate == Gate::Interleaved ? 2 * i + 1
                               : gate == Gate::Second    ? i
                               : spec.is_gated()         ? n + i
                                                         : i;
        out[i] = static_cast<float>(apply(spec, in[at], in[up]));
    }
}

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<MoeActivationSpec>(kFields),
        .rules = rules,
        .infer = infer,
        .programs =
            [](const OpContext& context) {
                return on_each(context, [&](std::size_t p) { return make_program(context, p); });
            },
        .reference = reference,
        .valid = valid_of_rows(counted)};
    return kOp;
}

}  // namespace tessera::ops::moe_activation
