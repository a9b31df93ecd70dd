// SPDX-License-Identifier: Apache-2.0
#include "ops/expert_eltwise/expert_eltwise.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "ops/bound.hpp"
#include "ops/expert_eltwise/kernels/args.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/valid_tiles/expert_rows_reference.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::expert_eltwise {
namespace {

using valid_tiles::Cb;

/// Function of the elements that an op's inputs have at one place.
using ElementFunction = double (*)(std::span<const double> values);

/// Tensors of one launch.
struct Tensors {
    std::vector<const DeviceTensor*> inputs;  ///< one or two
    RoutedTokens num_routed_tokens;
    const DeviceTensor& output;
};

constexpr Operand kCounts{.name = "num_routed_tokens",
                          .shape = "(E/D, 1)",
                          .format = "uint32",
                          .layout = "ROW_MAJOR",
                          .host_read = HostRead::Yes};
constexpr Operand tiles_of_tokens(std::string_view name) {
    return {name, "(E/D, T, H')", "bfloat16", "TILE", "num_routed_tokens"};
}
constexpr std::array kOneInput{tiles_of_tokens("gate"), kCounts};
constexpr std::array kActivated{tiles_of_tokens("gate_activated"), tiles_of_tokens("up"), kCounts};
constexpr std::array kGateAndUp{tiles_of_tokens("gate"), tiles_of_tokens("up"), kCounts};
constexpr std::array kOutputs{tiles_of_tokens("output")};

constexpr std::array kFields{
    config::field<&ActivationSpec::split_by>("split_by", "device", kSplitByProse),
    config::field<&ActivationSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    config::field<&ActivationSpec::cb_depth>("cb_depth", "2", "tiles in a CB", kDepth),
    config::field<&ActivationSpec::fp32_dest_acc>("fp32_dest_acc", "true", "32-bit DST"),
};

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<ActivationSpec>();
    judge_grid(context.arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
}

void add_reader(Program& program, const SharedBlocks& work, const TokenTiles& tiles,
                const Tensors& tensors) {
    const bool has_second = tensors.inputs.size() == 2;
    const ReaderTensors read{.counts = &tensors.num_routed_tokens.device.buffer,
                             .input = &tensors.inputs.front()->buffer,
                             .second_input = has_second ? &tensors.inputs.back()->buffer : nullptr};
    const auto args = named(tile_args(tiles, tensors.num_routed_tokens), work.split_args(),
                            ReaderArgs{.num_inputs = has_second ? 2U : 1U});
    const KernelHandle reader = CreateKernel(program, "ops/expert_eltwise/kernels/reader.cpp",
                                             work.cores, reader_config(args, read));
    for (const BlockShare& share : work.shares) {
        set_args(program, reader, share.core, addresses_of(read), work.reader_args(share));
    }
}

// The functions differ in their compute kernel only.
void add_compute(Program& program, const SharedBlocks& work, std::string_view kernel,
                 const ActivationSpec& schedule) {
    const KernelHandle compute =
        CreateKernel(program, std::string(kernel), work.cores,
                     compute_config(NoArgs{}, {.fp32_dest_acc_en = schedule.fp32_dest_acc}));
    for (const BlockShare& share : work.shares) {
        set_args(program, compute, share.core, work.compute_args(share));
    }
}

SharedBlocks share(std::string_view op, const ArchSpec& arch, const TokenTiles& tiles,
                   std::span<const std::uint32_t> counts, const ActivationSpec& schedule) {
    const CoreCoord grid = schedule_grid(op, arch, schedule.grid);
    // On the device every core finds its share from the counts. The host would have to read them
    // back first.
    return schedule.split_by == SplitBy::Device
               ? share_on_device(grid, TileDistribution::Block)
               : share_blocks(grid, {num_valid_tiles(tiles, counts), num_zero_tiles(tiles, counts)},
                              TileDistribution::Block);
}

Program build_program(std::string_view op, std::string_view compute_kernel, const ArchSpec& arch,
                      const Tensors& tensors, const ActivationSpec& schedule) {
    const RoutedTokens& counts = tensors.num_routed_tokens;
    // With a split by the host its counts must agree with the tensor.
    check_counts(op, counts, schedule.split_by, tensors.output.spec.shape[1]);
    const TokenTiles tiles = token_tiles_of(tensors.output.spec.shape);
    const SharedBlocks work = share(op, arch, tiles, counts.host, schedule);

    Program program = CreateProgram();
    for (std::size_t i = 0; i < tensors.inputs.size(); ++i) {
        add_tile_buffer(program, work.cores, i == 0 ? Cb::Input : Cb::SecondInput,
                        tensors.output.spec.format, schedule.cb_depth);
    }
    add_counts_buffer(program, work.cores, Cb::ReaderCounts, counts);
    // The reader tells compute how many tiles it has, since the host does not know.
    if (work.split_by == SplitBy::Device) {
        add_blocks_buffer(program, work.cores, Cb::ComputeBlocks);
    }
    add_reader(program, work, tiles, tensors);
    add_compute(program, work, compute_kernel, schedule);
    add_writer(program, work, {.tiles = tiles, .output_depth = schedule.cb_depth}, tensors.output,
               counts);
    return program;
}

/// Returns the tensors of the device at `position`; counts are the last input.
Tensors tensors_of(const OpContext& context, std::size_t position) {
    // Counts are the last operand of every op of the table.
    const std::size_t counts = context.inputs.size() - 1;
    std::vector<const DeviceTensor*> inputs;
    for (std::size_t i = 0; i < counts; ++i) {
        inputs.push_back(&context.device_inputs[i][position]);
    }
    return {std::move(inputs),
            {context.device_inputs[counts][position], context.host_counts(counts, position)},
            context.device_outputs[only(kOutputs)][position]};
}

/// Returns one row of every input, element by element next to each other.
std::vector<double> interleaved_rows(const std::vector<const HostTensor*>& inputs,
                                     std::uint64_t first, std::uint32_t columns) {
    std::vector<float> row(columns);
    std::vector<double> values(inputs.size() * columns);
    for (std::size_t input = 0; input < inputs.size(); ++input) {
        read_floats(*inputs[input], first, row);
        for (std::uint32_t column = 0; column < columns; ++column) {
            // Element by element, so that the function sees all inputs of an element side by side.
            values[column * inputs.size() + input] = row[column];
        }
    }
    return values;
}

/// Applies `function` to the inputs' rows from element `first` on, as many as `out` has columns.
void apply(const std::vector<const HostTensor*>& inputs, std::uint64_t first,
           ElementFunction function, std::span<float> out) {
    const auto columns = static_cast<std::uint32_t>(out.size());
    const std::vector<double> values = interleaved_rows(inputs, first, columns);
    for (std::size_t column = 0; column < columns; ++column) {
        const auto at = std::span(values).subspan(column * inputs.size(), inputs.size());
        out[column] = static_cast<float>(function(at));
    }
}

/// Applies the function to one expert's first rows, into `out`.
void apply_to_expert(const ReferenceContext& context, std::uint32_t expert, std::uint32_t count,
                     ElementFunction function, std::span<float> out) {
    std::vector<HostTensor> rows;
    for (std::size_t i = 0; i + 1 < context.inputs.size(); ++i) {
        rows.push_back(context.in(i).first_rows(expert, count));
    }
    std::vector<const HostTensor*> inputs;
    inputs.reserve(rows.size());
    for (const HostTensor& input : rows) {
        inputs.push_back(&input);
    }
    const std::size_t columns = out.size() / count;
    // Rows are independent of each other.
    tbb::parallel_for(std::size_t{0}, std::size_t{count}, [&](std::size_t row) {
        apply(inputs, row * columns, function, out.subspan(row * columns, columns));
    });
}

/// Returns the reference of a step; only rows that hold tokens.
std::vector<HostTensor> reference_of_step(const ReferenceContext& context,
                                          ElementFunction function) {
    const std::vector<std::uint32_t> counts = context.counts(context.inputs.size() - 1);
    return list_of(packed_expert_rows(context.outputs[only(kOutputs)].spec.shape, counts,
                                      [&](std::uint32_t expert, std::span<float> rows) {
                                          apply_to_expert(context, expert, counts[expert], function,
                                                          rows);
                                      }));
}

constexpr std::array<std::string_view, 1> kSeparate{"separate"};
constexpr std::array<std::string_view, 1> kFused{"fused"};

double silu_of(double value) {
    // x / (1 + e^-x) instead of x * sigmoid(x): one rounding less.
    return value / (1.0 + std::exp(-value));
}

struct Row {
    std::string_view name;
    std::string_view summary;
    std::span<const std::string_view> schedules;
    std::span<const Operand> inputs;
    /// One rounding to bfloat16 is at most 2^-8 = 0.0039 of the element. Products are exact before
    /// it; the vector unit's functions in fp32 take the rest of 0.004.
    double max_relative_error;
    std::string_view kernel;
    ElementFunction function;
};
constexpr Row kSilu{"silu",
                    "silu(gate) = gate * sigmoid(gate) of routed tokens; other rows are zero",
                    kSeparate,
                    kOneInput,
                    0.004,
                    "ops/expert_eltwise/kernels/silu.cpp",
                    [](std::span<const double> values) { return silu_of(values[0]); }};
constexpr Row kMul{"mul",
                   "gate_activated * up of routed tokens; other rows are zero",
                   kSeparate,
                   kActivated,
                   1.0 / 256,
                   "ops/expert_eltwise/kernels/mul.cpp",
                   [](std::span<const double> values) { return values[0] * values[1]; }};
constexpr Row kSiluMul{
    "silu_mul",
    "silu(gate) * up of routed tokens in one pass; other rows are zero",
    kFused,
    kGateAndUp,
    0.004,
    "ops/expert_eltwise/kernels/silu_mul.cpp",
    [](std::span<const double> values) { return silu_of(values[0]) * values[1]; }};

// Counts are the last operand of every op of the table.
void check_counts(const Row& row, const ReferenceContext& context) {
    const std::size_t counts = row.inputs.size() - 1;
    check_batch_counts(row.name, named_table(row.inputs, context, counts),
                       num_rows(context.in(kFirst).shape()));
}

Op op_of(const Row& row) {
    // By element: results of very different sizes are each judged by their own.
    return {.spec = {.name = row.name,
                     .summary = row.summary,
                     .schedules = row.schedules,
                     .inputs = row.inputs,
                     .outputs = kOutputs,
                     .tolerance = {.max_relative_error = row.max_relative_error,
                                   .min_pcc = 0.99999,
                                   .floor = kElementWise}},
            .params = parameters<ActivationSpec>(kFields),
            .rules = rules,
            .infer = like_first_input,
            .reads_back =
                [](ParameterRef parameters) {
                    return parameters.as<ActivationSpec>().split_by == SplitBy::Host;
                },
            .programs =
                [&row](const OpContext& context) {
                    return on_each(context, [&](std::size_t position) {
                        return build_program(row.name, row.kernel, context.arch,
                                             tensors_of(context, position),
                                             context.params<ActivationSpec>());
                    });
                },
            .bound =
                [](const BoundContext& context) {
                    LeastWork work = operand_bytes(context);
                    work.dram_bytes += zero_bytes(context);
                    return work;
                },
            .reference =
                [&row](const ReferenceContext& context) {
                    return reference_of_step(context, row.function);
                },
            .check_values = [&row](const ReferenceContext& context) { check_counts(row, context); },
            .checked_inputs = {row.inputs.size() - 1}};
}

}  // namespace

const Op& silu() {
    static const Op kOp = op_of(kSilu);
    return kOp;
}

const Op& mul() {
    static const Op kOp = op_of(kMul);
    return kOp;
}

const Op& silu_mul() {
    static const Op kOp = op_of(kSiluMul);
    return kOp;
}

}  // namespace tessera::ops::expert_eltwise
