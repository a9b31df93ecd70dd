// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/silu/silu.hpp"
#include "ops/valid_tiles/eltwise_reference.hpp"

namespace tessera::ops::silu {

HostTensor reference(const HostTensor& gate, std::span<const std::uint32_t> num_routed_tokens) {
    return eltwise_reference({&gate}, num_routed_tokens, [](std::span<const double> values) {
        return values[0] / (1.0 + std::exp(-values[0]));
    });
}

}  // namespace tessera::ops::silu
