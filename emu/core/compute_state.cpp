// SPDX-License-Identifier: Apache-2.0
#include "emu/core/compute_state.hpp"

#include "emu/core/circular_buffer.hpp"

namespace tessera {

// `scratch` stays uninitialised on purpose: a launch makes one of these per core.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
ComputeState::ComputeState(const ComputeConfig& config, const DstSpec& dst_spec)
    : dst(config, dst_spec),
      fidelity(config.math_fidelity),
      is_approximate(config.math_approx_mode) {
    const std::size_t num_modes = config.unpack_to_dest_mode.size();
    for (std::size_t cb = 0; cb < num_modes && cb < kMaxCircularBuffers; ++cb) {
        if (config.unpack_to_dest_mode[cb] == UnpackToDestMode::UnpackToDestFp32) {
            unpacks_to_dst |= std::uint64_t{1} << cb;
        }
    }
}

}  // namespace tessera
