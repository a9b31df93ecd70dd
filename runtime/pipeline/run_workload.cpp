// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/run_workload.hpp"

#include "runtime/pipeline/moe_output_file.hpp"
#include "runtime/pipeline/run_moe_v2.hpp"
#include "runtime/pipeline/run_op.hpp"

namespace tessera::run {

std::vector<TensorDeclaration> output_tensors(const config::LoadedRun& loaded) {
    return loaded.run.workload.pipeline == Pipeline::MoeV2 ? moe_output_tensors(loaded.run)
                                                           : op_output_tensors(loaded);
}

report::RunRecord run_workload(const config::LoadedRun& loaded, const RunModes& modes,
                               const RunEnds& ends) {
    const OnStep on_step = ends.on_step ? ends.on_step : [](const StepStart&) {};
    if (loaded.run.workload.pipeline != Pipeline::MoeV2) {
        return run_op(loaded, modes, ends.outputs, on_step);
    }
    if (ends.inputs != nullptr) {
        return run_moe_v2(loaded, modes, *ends.inputs, ends.outputs, on_step);
    }
    return run_moe_v2(loaded, modes, draw_moe_inputs(loaded.run), ends.outputs, on_step);
}

}  // namespace tessera::run
