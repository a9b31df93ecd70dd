// SPDX-License-Identifier: Apache-2.0
#include "ops/my_bmm/my_bmm.hpp"

#include <algorithm>

#include "ops/my_bmm/kernels/args.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "tessera/program.hpp"
#include "tessera/work_split.hpp"

namespace tessera::ops::my_bmm {
namespace {

constexpr std::array kFields{
    config::field<&MyBmmSpec::cb_depth>("cb_depth", "2", "tiles that each input CB holds", kDepth),
};

std::uint32_t tiles_of(std::uint32_t extent) {
    return (extent + kTileRows - 1) / kTileRows;
}

/// Rows of tiles that hold tokens, by expert, and the number of their output tiles.
struct Work {
    std::vector<std::uint32_t> rows;
    std::uint32_t tiles = 0;
};
Work work_of(std::span<const std::uint32_t> counts, std::uint32_t column_tiles) {
    Work work;
    for (const std::uint32_t count : counts) {
        work.rows.push_back(tiles_of(count));
        work.tiles += work.rows.back() * column_tiles;
    }
    return work;
}

Program make_program(const OpContext& context, std::size_t p) {
    const DeviceTensor& input = context.device_inputs["input"_in][p];
    const DeviceTensor& weights = context.device_inputs["weights"_in][p];
    const DeviceTensor& output = context.device_outputs[only(kOutputs)][p];
    const Shape& shape = output.spec.shape;
    const std::uint32_t k_tiles = tiles_of(input.spec.shape[2]);
    const std::uint32_t columns = tiles_of(shape[2]);
    const Work work = work_of(context.host_counts("counts"_in, p), columns);
    const GridSize grid = context.arch.workers.compute;
    const std::uint32_t num_cores = std::clamp(work.tiles, 1U, grid.columns * grid.rows);
    const CoreRangeSet cores = num_cores_to_corerangeset(num_cores, {grid.columns, grid.rows});

    Program program = CreateProgram();
    const std::uint32_t depth = context.params<MyBmmSpec>().cb_depth;
    add_circular_buffers(program, cores,
                         {{Cb::Input, DataFormat::Float16_b, depth},
                          {Cb::Weights, DataFormat::Float16_b, depth},
                          {Cb::Output, DataFormat::Float16_b, 2U}});
    const ReaderTensors read{.input = &input.buffer, .weights = &weights.buffer};
    const WriterTensors written{.output = &output.buffer};
    const KernelHandle reader = CreateKernel(program, "ops/my_bmm/kernels/reader.cpp", cores,
                                             reader_config(NoArgs{}, read));
    const KernelHandle compute = CreateKernel(program, "ops/my_bmm/kernels/compute.cpp", cores,
                                              ComputeConfig{.fp32_dest_acc_en = true});
    const KernelHandle writer = CreateKernel(program, "ops/my_bmm/kernels/writer.cpp", cores,
                                             writer_config(NoArgs{}, written));
    // Reader and writer compute the expert, row and column of a tile from these arguments.
    const TileLayout layout{.num_cores = num_cores,
                            .rows = tiles_of(shape[1]),
                            .columns = columns,
                            .num_experts = static_cast<std::uint32_t>(work.rows.size())};
    std::uint32_t index = 0;
    for (const CoreCoord& core : cores.cores()) {
        const std::uint32_t count = (work.tiles + num_cores - 1 - index) / num_cores;
        set_args(program, reader, core, addresses_of(read),
                 ReaderRange{.first_tile = index, .num_tiles = count, .k_tiles = k_tiles}, layout,
                 work.rows);
        set_args(program, compute, core, ComputeRange{.num_tiles = count, .k_tiles = k_tiles});
        set_args(program, writer, core, addresses_of(written),
                 WriterRange{.first_tile = index, .num_tiles = count}, layout, work.rows);
        ++index;
    }
    return program;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::vector<std::uint32_t> counts = context.counts("counts"_in);
    const Shape& weights = context.in("weights"_in).shape();
    HostTensor output =
        make_host_tensor(context.outputs[only(kOutputs)].spec.shape, DataFormat::Float32);
    const auto values = output.as<float>();
    const std::uint32_t tokens = output.shape[1];
    const std::uint32_t columns = weights[2];
    for (std::uint32_t expert = 0; expert < counts.size(); ++expert) {
        const HostTensor rows = context.in("input"_in).first_rows(expert, tokens);
        const HostTensor matrix =
            context.in("weights"_in).rows(std::uint64_t{expert} * weights[1], weights[1]);
        std::vector<float> row(weights[1]);
        std::vector<float> all(std::size_t{weights[1]} * columns);
        read_floats(matrix, 0, all);
        for (std::uint32_t token = 0; token < counts[expert]; ++token) {
            read_floats(rows, std::uint64_t{token} * weights[1], row);
            std::vector<double> sums(columns);
            for (std::size_t k = 0; k < row.size(); ++k) {
                for (std::size_t n = 0; n < columns; ++n) {
                    sums[n] += static_cast<double>(row[k]) * all[k * columns + n];
                }
            }
            for (std::size_t n = 0; n < columns; ++n) {
                values[(std::size_t{expert} * tokens + token) * columns + n] =
                    static_cast<float>(sums[n]);
            }
        }
    }
    std::vector<HostTensor> outputs;
    outputs.push_back(std::move(output));
    return outputs;
}

}  // namespace

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<MyBmmSpec>(kFields),
        .infer = [](const OpContext& context) -> std::vector<TensorPlan> {
            const Shape& input = context.inputs["input"_in].spec.shape;
            const Shape& weights = context.inputs["weights"_in].spec.shape;
            return {
                {.spec = {{input[0], input[1], weights[2]}, DataFormat::Float16_b, Layout::TILE}}};
        },
        .programs =
            [](const OpContext& context) {
                return on_each(context, [&](std::size_t p) { return make_program(context, p); });
            },
        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::my_bmm
