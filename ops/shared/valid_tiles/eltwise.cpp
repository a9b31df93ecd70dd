// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/valid_tiles/eltwise.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "ops/shared/host_floats.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops {
namespace {

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& schedule = context.params<ActivationSpec>();
    judge_grid(context.arch, schedule.grid, judge);
    judge_depth(schedule.cb_depth, judge);
}

void add_reader(Program& program, const SharedBlocks& work, const TokenTiles& tiles,
                const EltwiseTensors& tensors) {
    const Buffer& counts = tensors.num_routed_tokens.device.buffer;
    const Buffer& first = tensors.inputs.front()->buffer;
    const Buffer& second = tensors.inputs.back()->buffer;  // the first again if there is one
    std::vector<std::uint32_t> args{tiles.token_tiles,
                                    tiles.column_tiles,
                                    tiles.num_experts,
                                    counts.aligned_page_size,
                                    static_cast<std::uint32_t>(tensors.inputs.size()),
                                    work.split_by == SplitBy::Device ? 1U : 0U};
    TensorAccessorArgs(counts).append_to(args);
    TensorAccessorArgs(first).append_to(args);
    TensorAccessorArgs(second).append_to(args);
    const KernelHandle reader =
        CreateKernel(program, "ops/shared/valid_tiles/kernels/eltwise_reader.cpp", work.cores,
                     ReaderDataMovementConfig(std::move(args)));
    for (const BlockShare& share : work.shares) {
        const auto split = work.reader_args(share);
        SetRuntimeArgs(
            program, reader, share.core,
            {counts.address, first.address, second.address, split[0], split[1], split[2]});
    }
}

void add_compute(Program& program, const SharedBlocks& work, std::string_view kernel,
                 const ActivationSpec& schedule) {
    const ComputeConfig config{.fp32_dest_acc_en = schedule.fp32_dest_acc,
                               .compile_args = {},
                               .defines = {},
                               .named_compile_args = {}};
    const KernelHandle compute = CreateKernel(program, std::string(kernel), work.cores, config);
    for (const BlockShare& share : work.shares) {
        SetRuntimeArgs(program, compute, share.core, {work.compute_count(share)});
    }
}

SharedBlocks share(std::string_view op, const ArchSpec& arch, const TokenTiles& tiles,
                   std::span<const std::uint32_t> counts, const ActivationSpec& schedule) {
    const CoreCoord grid = schedule_grid(op, arch, schedule.grid);
    return schedule.split_by == SplitBy::Device
               ? share_on_device(grid, TileDistribution::Block)
               : share_blocks(grid, {num_valid_tiles(tiles, counts), num_zero_tiles(tiles, counts)},
                              TileDistribution::Block);
}

Program build_program(std::string_view op, std::string_view compute_kernel, const ArchSpec& arch,
                      const EltwiseTensors& tensors, const ActivationSpec& schedule) {
    const RoutedTokens& counts = tensors.num_routed_tokens;
    check_counts(op, counts, schedule.split_by, tensors.output.spec.shape[1]);
    const TokenTiles tiles = token_tiles_of(tensors.output.spec.shape);
    const SharedBlocks work = share(op, arch, tiles, counts.host, schedule);

    Program program = CreateProgram();
    for (std::size_t i = 0; i < tensors.inputs.size(); ++i) {
        add_tile_buffer(program, work.cores, i == 0 ? kInputCb : kSecondInputCb,
                        tensors.output.spec.format, schedule.cb_depth);
    }
    add_counts_buffer(program, work.cores, kReaderCountsCb, counts);
    if (work.split_by == SplitBy::Device) {
        add_blocks_buffer(program, work.cores, kComputeBlocksCb);
    }
    add_reader(program, work, tiles, tensors);
    add_compute(program, work, compute_kernel, schedule);
    add_writer(program, work, {.tiles = tiles, .output_depth = schedule.cb_depth}, tensors.output,
               counts);
    return program;
}

/// The tensors of the device at `position`; counts are the last input.
EltwiseTensors tensors_of(const OpContext& context, std::size_t position) {
    const std::size_t counts = context.inputs.size() - 1;
    std::vector<const DeviceTensor*> inputs;
    for (std::size_t i = 0; i < counts; ++i) {
        inputs.push_back(&context.device_inputs[i][position]);
    }
    return {std::move(inputs),
            {context.device_inputs[counts][position], context.host_counts(counts, position)},
            context.device_outputs[0][position]};
}

/// One row of every input, element by element next to each other.
std::vector<double> interleaved_rows(const std::vector<const HostTensor*>& inputs,
                                     std::uint64_t first, std::uint32_t columns) {
    std::vector<float> row(columns);
    std::vector<double> values(inputs.size() * columns);
    for (std::size_t input = 0; input < inputs.size(); ++input) {
        read_floats(*inputs[input], first, row);
        for (std::uint32_t column = 0; column < columns; ++column) {
            values[column * inputs.size() + input] = row[column];
        }
    }
    return values;
}

/// `function` of the inputs' rows from element `first` on, as many as `out` has columns.
void apply(const std::vector<const HostTensor*>& inputs, std::uint64_t first,
           const ElementFunction& function, std::span<float> out) {
    const auto columns = static_cast<std::uint32_t>(out.size());
    const std::vector<double> values = interleaved_rows(inputs, first, columns);
    for (std::size_t column = 0; column < columns; ++column) {
        const auto at = std::span(values).subspan(column * inputs.size(), inputs.size());
        out[column] = static_cast<float>(function(at));
    }
}

/// One expert's first rows, into `out`.
void apply_to_expert(const ReferenceContext& context, std::uint32_t expert, std::uint32_t count,
                     const ElementFunction& function, std::span<float> out) {
    std::vector<HostTensor> rows;
    for (std::size_t i = 0; i + 1 < context.inputs.size(); ++i) {
        rows.push_back(context.in(i).first_rows(expert, count));
    }
    std::vector<const HostTensor*> inputs;
    for (const HostTensor& input : rows) {
        inputs.push_back(&input);
    }
    const std::size_t columns = out.size() / count;
    tbb::parallel_for(std::size_t{0}, std::size_t{count}, [&](std::size_t row) {
        apply(inputs, row * columns, function, out.subspan(row * columns, columns));
    });
}

/// The reference of a step: of the rows that hold tokens only.
std::vector<HostTensor> reference_of_step(const ReferenceContext& context,
                                          const ElementFunction& function) {
    const std::vector<std::uint32_t> counts = context.counts(context.inputs.size() - 1);
    const Shape& shape = context.outputs[0].spec.shape;
    std::vector<std::size_t> first_rows(counts.size() + 1);
    std::partial_sum(counts.begin(), counts.end(), first_rows.begin() + 1);
    HostTensor output{shape, DataFormat::Float32,
                      std::vector<std::byte>(first_rows.back() * shape[2] * sizeof(float))};
    const std::span<float> values = output.as<float>();
    tbb::parallel_for(std::size_t{0}, counts.size(), [&](std::size_t expert) {
        if (counts[expert] != 0) {
            apply_to_expert(context, static_cast<std::uint32_t>(expert), counts[expert], function,
                            values.subspan(first_rows[expert] * shape[2],
                                           std::size_t{counts[expert]} * shape[2]));
        }
    });
    std::vector<HostTensor> outputs;
    outputs.push_back(std::move(output));
    return outputs;
}

}  // namespace

Op make_eltwise_op(const OpSpec& spec, std::string_view compute_kernel,
                   const ElementFunction& function) {
    return {.spec = spec,
            .params = parameters<ActivationSpec>(kActivationFields),
            .rules = rules,
            .infer = [](const OpContext& context) -> std::vector<TensorPlan> {
                return {{.spec = context.inputs[0].spec}};
            },
            .reads_back =
                [](const void* parameters) {
                    return static_cast<const ActivationSpec*>(parameters)->split_by ==
                           SplitBy::Host;
                },
            .programs =
                [name = spec.name, compute_kernel](const OpContext& context) {
                    return on_each(context, [&](std::size_t position) {
                        return build_program(name, compute_kernel, context.arch,
                                             tensors_of(context, position),
                                             context.params<ActivationSpec>());
                    });
                },
            .reference =
                [function](const ReferenceContext& context) {
                    return reference_of_step(context, function);
                }};
}

Program make_eltwise_program(const Op& op, std::string_view compute_kernel, const ArchSpec& arch,
                             const EltwiseTensors& tensors, const ActivationSpec& schedule) {
    std::vector<const DeviceTensor*> inputs = tensors.inputs;
    inputs.push_back(&tensors.num_routed_tokens.device);
    const DeviceTensor* const outputs[]{&tensors.output};
    check_call(op, arch, &schedule, inputs, outputs);
    return build_program(op.spec.name, compute_kernel, arch, tensors, schedule);
}

HostTensor eltwise_reference(const std::vector<const HostTensor*>& inputs,
                             std::span<const std::uint32_t> num_routed_tokens,
                             const ElementFunction& function) {
    const Shape& shape = inputs.at(0)->shape;
    const std::uint32_t tokens = shape.at(1);
    const std::uint32_t columns = shape.at(2);
    HostTensor output = make_host_tensor(shape, DataFormat::Float32);
    const auto out = output.as<float>();
    tbb::parallel_for(std::uint32_t{0}, shape.at(0) * tokens, [&](std::uint32_t row) {
        if (row % tokens < num_routed_tokens[row / tokens]) {
            const std::uint64_t first = std::uint64_t{row} * columns;
            apply(inputs, first, function, out.subspan(first, columns));
        }
    });
    return output;
}

}  // namespace tessera::ops
