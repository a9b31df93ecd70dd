// SPDX-License-Identifier: Apache-2.0
// The pipelines of one op: how each places its tensors on a device and what is expected of it.
// The run itself is run_op's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ops/op_spec.hpp"
#include "runtime/pipeline/random_values.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::run {

/// The op on one device, with its tensors there.
struct PlacedOp {
    Program program;
    DeviceTensor output;
    /// What the output should be, from the inputs as the device holds them.
    std::function<HostTensor()> reference;
};

/// One op with its workload and schedule. `place` draws the device's inputs from the seed; with
/// Maths::Off it leaves them as they are.
struct SingleOp {
    const ops::OpSpec* op = nullptr;
    std::string schedule;  ///< as YAML names it
    TensorSpec output;     ///< on each device
    std::function<PlacedOp(EmulatedSession& session, std::uint32_t device, Maths maths)> place;
};

/// Writes random_values into a tensor, or nothing with Maths::Off.
void draw_into(const DeviceTensor& tensor, EmulatedSession& session, Maths maths, const Draw& draw,
               float stddev = 1);

[[nodiscard]] SingleOp copy_op(const RunSpec& run);
[[nodiscard]] SingleOp eltwise_op(const RunSpec& run);
[[nodiscard]] SingleOp matmul_op(const RunSpec& run, const ArchSpec& arch);
[[nodiscard]] SingleOp reshard_op(const RunSpec& run);

/// That of the run's pipeline, which is not moe_v2. Here and above, `run` outlives the result.
/// Errors   UsageError if the op's schedule does not go with its shape or the device, as far as
/// that
///          shows without tensors.
[[nodiscard]] SingleOp single_op(const RunSpec& run, const ArchSpec& arch);

}  // namespace tessera::run
