// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/matmul/matmul.hpp"
#include "runtime/run/random_values.hpp"
#include "runtime/run/single_op.hpp"

namespace tessera::run {
namespace {

using ops::matmul::MatmulShape;
using ops::matmul::OperandLayout;
using ops::matmul::OperandLayouts;

DeviceTensor allocate(EmulatedSession& session, std::uint32_t device, const std::string& name,
                      const OperandLayout& layout) {
    if (layout.layout == TensorMemoryLayout::INTERLEAVED) {
        return session.allocate(device, name, layout.spec, layout.type);
    }
    return session.allocate_sharded(device, name, layout.spec, layout.type, layout.layout,
                                    layout.shard);
}

DeviceTensor place_input(const RunSpec& run, EmulatedSession& session, std::uint32_t device,
                         const char* name, const OperandLayout& layout, float stddev) {
    DeviceTensor tensor = allocate(session, device, name, layout);
    session.write(tensor, random_values(layout.spec, {run.workload.seed, device, name}, stddev));
    return tensor;
}

}  // namespace

// in1 has deviation 1/√k, so that the product keeps the size of in0.
SingleOp matmul_op(const RunSpec& run, const ArchSpec& arch) {
    const MatmulWorkload& extents = run.workload.matmul;
    const MatmulShape shape{.m = extents.m, .k = extents.k, .n = extents.n};
    const OperandLayouts layouts = operand_layouts(arch, shape, run.ops.matmul);
    const auto place = [&run, layouts](EmulatedSession& session, std::uint32_t device) {
        const float in1_stddev = 1.0F / std::sqrt(static_cast<float>(run.workload.matmul.k));
        DeviceTensor in0 = place_input(run, session, device, "in0", layouts.in0, 1);
        DeviceTensor in1 = place_input(run, session, device, "in1", layouts.in1, in1_stddev);
        DeviceTensor out = allocate(session, device, "out", layouts.out);
        Program program =
            ops::matmul::make_program(session.arch(), {in0, in1}, {out}, run.ops.matmul);
        return PlacedOp{std::move(program), std::move(out), [&session, in0, in1] {
                            return ops::matmul::reference(session.read(in0), session.read(in1));
                        }};
    };
    const auto schedule = static_cast<std::size_t>(run.ops.matmul.schedule);
    return {&ops::matmul::kSpec, std::string(ops::matmul::kSchedules[schedule]), layouts.out.spec,
            place};
}

}  // namespace tessera::run
