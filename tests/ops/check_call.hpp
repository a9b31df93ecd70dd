// SPDX-License-Identifier: Apache-2.0
// Checks the rules of ops with tensors that are not allocated on a device.
#pragma once

#include <span>
#include <vector>

#include "ops/op.hpp"

namespace tessera::ops {

/// Runs check_call with tensors of one device, by operand.
inline void check_call(const Op& op, const ArchSpec& arch, ParameterRef parameters,
                       std::span<const DeviceTensor* const> inputs,
                       std::span<const DeviceTensor* const> outputs) {
    OpCall call{parameters, {}, {}};
    for (const DeviceTensor* tensor : inputs) {
        call.inputs.push_back({*tensor});
    }
    for (const DeviceTensor* tensor : outputs) {
        call.outputs.push_back({*tensor});
    }
    check_call(op, arch, {}, call);
}

}  // namespace tessera::ops
