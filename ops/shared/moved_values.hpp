// SPDX-License-Identifier: Apache-2.0
// Reference of ops that move values without changing them.
#pragma once

#include <vector>

#include "ops/op.hpp"

namespace tessera::ops {

/// Returns the first input: the bytes of the output must equal its bytes.
[[nodiscard]] inline std::vector<HostTensor> first_input(const ReferenceContext& context) {
    return {context.read(kFirst)};
}

}  // namespace tessera::ops
