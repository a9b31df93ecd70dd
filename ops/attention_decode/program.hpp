// SPDX-License-Identifier: Apache-2.0
// The launch of a call: groups of cores that share a token's keys.
#pragma once

#include "ops/op.hpp"

namespace tessera::ops::attention_decode {

[[nodiscard]] std::vector<DeviceProgram> programs(const OpContext& context);

}  // namespace tessera::ops::attention_decode
