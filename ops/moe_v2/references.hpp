// SPDX-License-Identifier: Apache-2.0
// What a step's outputs should be: the op's reference on the step's inputs as they are on a device.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/moe_v2/step.hpp"
#include "tessera/session.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::moe_v2 {

/// References of the outputs of `step` on one device, in the order of the plan. That of a
/// projection holds the rows of its experts' tokens only, one after another, under the output's own
/// shape. Not here: all_reduce, whose reference takes all devices.
[[nodiscard]] std::vector<HostTensor> device_references(const Session& session, const Step& step,
                                                        std::uint32_t device, const OpsSpec& ops);

/// The sum over devices of the inputs of an all_reduce step.
[[nodiscard]] HostTensor all_reduce_reference(const Session& session, const Step& step);

}  // namespace tessera::ops::moe_v2
