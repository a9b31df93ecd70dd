// SPDX-License-Identifier: Apache-2.0
#include "emu/core/compute_state.hpp"

namespace tessera {

// `scratch` stays uninitialised on purpose: a launch makes one of these per core.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
ComputeState::ComputeState(const ComputeConfig& config, const DstSpec& dst_spec)
    : dst(config, dst_spec),
      fidelity(config.math_fidelity),
      is_approximate(config.math_approx_mode) {
}

}  // namespace tessera
