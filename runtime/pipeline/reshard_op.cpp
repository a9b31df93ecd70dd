// SPDX-License-Identifier: Apache-2.0
#include "ops/reshard/reshard.hpp"
#include "runtime/pipeline/single_op.hpp"

namespace tessera::run {
namespace {

DeviceTensor allocate(EmulatedSession& session, std::uint32_t device, const std::string& name,
                      const TensorSpec& spec, const MemoryConfig& config) {
    if (!config.is_sharded()) {
        return session.allocate(device, name, spec, config.memory);
    }
    return session.allocate_sharded(device, name, spec, config.memory, config.layout,
                                    make_shard_spec(spec, config));
}

}  // namespace

SingleOp reshard_op(const RunSpec& run) {
    const ReshardWorkload& workload = run.workload.reshard;
    const TensorSpec spec{workload.shape, workload.format, workload.layout};
    const auto place = [&run, spec](EmulatedSession& session, std::uint32_t device, Maths maths) {
        const ReshardWorkload& tensor = run.workload.reshard;
        DeviceTensor input = allocate(session, device, "input", spec, tensor.from);
        DeviceTensor output = allocate(session, device, "output", spec, tensor.to);
        draw_into(input, session, maths, {run.workload.seed, device, "input"});
        Program program =
            ops::reshard::make_program(session.arch(), {input}, {output}, run.ops.reshard);
        return PlacedOp{std::move(program), std::move(output),
                        [&session, input] { return ops::reshard::reference(session.read(input)); }};
    };
    const auto schedule = ops::reshard::kSchedules[workload.to.is_sharded() ? 0 : 1];
    return {&ops::reshard::kSpec, std::string(schedule), spec, place};
}

}  // namespace tessera::run
