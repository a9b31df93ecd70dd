// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/single_op.hpp"

#include "tessera/errors.hpp"

namespace tessera::run {

void draw_into(const DeviceTensor& tensor, EmulatedSession& session, Maths maths, const Draw& draw,
               float stddev) {
    if (maths == Maths::On) {
        session.write(tensor, random_values(tensor.spec, draw, stddev));
    }
}

SingleOp single_op(const RunSpec& run, const ArchSpec& arch) {
    switch (run.workload.pipeline) {
        case Pipeline::Matmul:
            return matmul_op(run, arch);
        case Pipeline::Eltwise:
            return eltwise_op(run);
        case Pipeline::Reshard:
            return reshard_op(run);
        case Pipeline::Copy:
            return copy_op(run);
        case Pipeline::MoeV2:
            break;
    }
    throw InternalError("single_op: moe_v2 is a pipeline of many ops (please report this)");
}

}  // namespace tessera::run
