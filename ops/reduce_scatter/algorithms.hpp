// SPDX-License-Identifier: Apache-2.0
// The algorithms of reduce_scatter with kernels of its own, and its reference.
#pragma once

#include <vector>

#include "ops/op.hpp"

namespace tessera::ops::reduce_scatter {

/// Algorithm::Line: sums from both ends of a line to each device.
namespace line {
/// Returns its programs, one for each device. Outputs 1 and 2 are where partial sums from the
/// device before and from the one behind arrive; they have the input's spec.
[[nodiscard]] std::vector<DeviceProgram> programs(const OpContext& context);
}  // namespace line

/// Algorithm::Direct: each device's tiles of a slice straight to the device that keeps it.
namespace direct {
void rules(const OpContext& context, RuleJudge& judge);
/// Returns its programs, one for each device.
[[nodiscard]] std::vector<DeviceProgram> programs(const OpContext& context);
}  // namespace direct

/// Returns the float32 sum of the devices' bfloat16 or float32 tensors, added in double: the slice
/// of the context's device, as many rows as `counts` gives it, zeros after them.
[[nodiscard]] std::vector<HostTensor> reference(const ReferenceContext& context);

}  // namespace tessera::ops::reduce_scatter
