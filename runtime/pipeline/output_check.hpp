// SPDX-License-Identifier: Apache-2.0
// Compares what one op left on each device with its references.
#pragma once

#include <span>

#include "ops/op_spec.hpp"
#include "runtime/report/run_record.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::run {

/// An output of one device, in order of devices.
struct CheckedOutput {
    HostTensor test;
    HostTensor reference;
};

/// Ops that only move data must give the reference's bytes; others are compared over all devices
/// together, within `verify`'s bounds.
[[nodiscard]] report::StepCheck check_outputs(std::span<const CheckedOutput> outputs,
                                              const ops::OpSpec& op, const VerifySpec& verify);

}  // namespace tessera::run
