// SPDX-License-Identifier: Apache-2.0
// The algorithms of reduce_scatter with kernels of its own, and its reference.
#pragma once

#include <vector>

#include "ops/op.hpp"

namespace tessera::ops::reduce_scatter {

/// Algorithm::Line: sums from both ends of a line to each device.
namespace line {
/// Returns one program per device. Outputs 1 and 2 receive partial sums from the previous and from
/// the next device; they have the input's spec.
[[nodiscard]] std::vector<DeviceProgram> programs(const OpContext& context);
}  // namespace line

/// Algorithm::Direct: each device's tiles of a slice straight to the device that keeps it.
namespace direct {
void rules(const OpContext& context, RuleJudge& judge);
/// Returns its programs, one for each device.
[[nodiscard]] std::vector<DeviceProgram> programs(const OpContext& context);
}  // namespace direct

/// Returns the float32 sum of the devices' bfloat16 or float32 tensors, added in double. The result
/// is the slice of the context's device: the number of rows in `counts`, and zeros after them.
[[nodiscard]] std::vector<HostTensor> reference(const ReferenceContext& context);

}  // namespace tessera::ops::reduce_scatter
