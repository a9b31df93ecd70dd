// SPDX-License-Identifier: Apache-2.0
#include "ops/copy/copy.hpp"
#include "runtime/pipeline/single_op.hpp"

namespace tessera::run {

SingleOp copy_op(const RunSpec& run) {
    const CopyWorkload& workload = run.workload.copy;
    const TensorSpec spec{workload.shape, workload.format, workload.layout};
    const auto place = [&run, spec](EmulatedSession& session, std::uint32_t device, Maths maths) {
        const CopyWorkload& tensor = run.workload.copy;
        DeviceTensor input = session.allocate(device, "input", spec, tensor.from);
        DeviceTensor output = session.allocate(device, "output", spec, tensor.to);
        draw_into(input, session, maths, {run.workload.seed, device, "input"});
        Program program = ops::copy::make_program(session.arch(), {input}, {output}, run.ops.copy);
        return PlacedOp{std::move(program), std::move(output),
                        [&session, input] { return ops::copy::reference(session.read(input)); }};
    };
    return {&ops::copy::kSpec, std::string(ops::copy::kSchedules[0]), spec, place};
}

}  // namespace tessera::run
