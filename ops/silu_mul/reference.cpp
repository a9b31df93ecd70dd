// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/silu_mul/silu_mul.hpp"
#include "ops/valid_tiles/eltwise_reference.hpp"

namespace tessera::ops::silu_mul {

HostTensor reference(const HostTensor& gate, const HostTensor& up,
                     std::span<const std::uint32_t> num_routed_tokens) {
    return eltwise_reference({&gate, &up}, num_routed_tokens, [](std::span<const double> values) {
        return values[0] / (1.0 + std::exp(-values[0])) * values[1];
    });
}

}  // namespace tessera::ops::silu_mul
