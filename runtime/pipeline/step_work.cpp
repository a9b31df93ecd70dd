// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/step_work.hpp"

#include "ops/bound.hpp"
#include "runtime/pipeline/counted_output.hpp"

namespace tessera::pipeline {

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

}  // namespace tessera::pipeline
