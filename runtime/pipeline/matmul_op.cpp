// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/matmul/matmul.hpp"
#include "runtime/pipeline/single_op.hpp"

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

}  // namespace

// in1 has deviation 1/√k, so that the product keeps the size of in0.
SingleOp matmul_op(const RunSpec& run, const ArchSpec& arch) {
    const MatmulWorkload& extents = run.workload.matmul;
    const MatmulShape shape{.m = extents.m, .k = extents.k, .n = extents.n};
    const OperandLayouts layouts = operand_layouts(arch, shape, run.ops.matmul);
    const auto place = [&run, layouts](EmulatedSession& session, std::uint32_t device,
                                       Maths maths) {
        const float in1_stddev = 1.0F / std::sqrt(static_cast<float>(run.workload.matmul.k));
        const std::uint64_t seed = run.workload.seed;
        DeviceTensor in0 = allocate(session, device, "in0", layouts.in0);
        DeviceTensor in1 = allocate(session, device, "in1", layouts.in1);
        DeviceTensor out = allocate(session, device, "out", layouts.out);
        draw_into(in0, session, maths, {seed, device, "in0"});
        draw_into(in1, session, maths, {seed, device, "in1"}, in1_stddev);
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
