// SPDX-License-Identifier: Apache-2.0
// The rules of ops on tensors of one device that no device holds.
#pragma once

#include <span>
#include <vector>

#include "ops/op.hpp"

namespace tessera::ops {

/// check_call of tensors on one device, by operand.
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
