// SPDX-License-Identifier: Apache-2.0
#include "ops/mul/mul.hpp"
#include "ops/valid_tiles/eltwise_reference.hpp"

namespace tessera::ops::mul {

HostTensor reference(const HostTensor& gate_activated, const HostTensor& up,
                     std::span<const std::uint32_t> num_routed_tokens) {
    return eltwise_reference({&gate_activated, &up}, num_routed_tokens,
                             [](std::span<const double> values) { return values[0] * values[1]; });
}

}  // namespace tessera::ops::mul
