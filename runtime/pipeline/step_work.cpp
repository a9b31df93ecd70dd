// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/step_work.hpp"

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "runtime/pipeline/counted_output.hpp"

namespace tessera::pipeline {
namespace {

/// Returns the tiles of a tensor. With counts per expert, returns only tiles with valid rows, so
/// that rates are those of the work done.
std::uint64_t tiles_with_rows(const Shape& shape, std::span<const std::uint32_t> counts) {
    if (counts.empty() || shape.size() < 3) {
        return TensorSpec{shape, DataFormat::Float16_b, Layout::TILE}.num_pages();
    }
    // Rows of each expert are padded to whole tiles, which the kernels process.
    std::uint64_t tile_rows = 0;
    for (const std::uint32_t count : counts) {
        tile_rows += div_up(count, kTileRows);
    }
    return tile_rows * div_up(shape.back(), kTileColumns);
}

}  // namespace

void add_least_work(const PipelineStep& step, std::span<const StepValues> groups,
                    std::vector<LeastWork>& devices) {
    for (const StepValues& values : groups) {
        for (std::size_t position = 0; position < values.devices.size(); ++position) {
            const ops::BoundContext context{.spec = step.op->spec,
                                            .parameters = step.parameters.get(),
                                            .position = position,
                                            .num_devices = values.devices.size(),
                                            .input_plans = step.input_plans,
                                            .output_plans = step.output_plans,
                                            .inputs = values.inputs,
                                            .outputs = values.outputs,
                                            .counts =
                                                [&](const ops::Operand& operand) {
                                                    return counts_of(step, values, operand,
                                                                     position);
                                                },
                                            .valid = valid_of(step, values, position)};
            devices.at(values.devices[position]) += ops::least_work(*step.op, context);
        }
    }
}

std::uint64_t output_tiles(const PipelineStep& step, std::span<const StepValues> groups) {
    std::uint64_t tiles = 0;
    for (const StepValues& group : groups) {
        for (std::size_t position = 0; position < group.devices.size(); ++position) {
            for (std::size_t i = 0; i < step.outputs.size(); ++i) {
                tiles +=
                    tiles_with_rows(step.output_plans[i].spec.shape,
                                    counts_of(step, group, step.op->spec.outputs[i], position));
            }
        }
    }
    return tiles;
}

}  // namespace tessera::pipeline
