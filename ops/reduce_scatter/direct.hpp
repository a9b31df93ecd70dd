// SPDX-License-Identifier: Apache-2.0
// Each device's tiles of a slice straight to the device that keeps it.
#pragma once

#include <vector>

#include "ops/op.hpp"

namespace tessera::ops::reduce_scatter::direct {

/// The rules of Algorithm::Direct.
void rules(const OpContext& context, RuleJudge& judge);

/// Its programs, one for each device.
[[nodiscard]] std::vector<DeviceProgram> programs(const OpContext& context);

}  // namespace tessera::ops::reduce_scatter::direct
