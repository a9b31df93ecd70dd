// SPDX-License-Identifier: Apache-2.0
// Settings of a run besides its tensors and steps: mesh, machine, host and tolerances. The tables
// in runtime/config hold the defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/arch_spec.hpp"
#include "tessera/findings.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/noc_delivery.hpp"
#include "tessera/unwritten_memory.hpp"

namespace tessera {

/// Choices of the emulated machine that a correct kernel's results do not depend on.
struct MachineSpec {
    NocDelivery noc_delivery = NocDelivery::AtBarrier;
    std::uint64_t delivery_seed = 0;  ///< seed of NocDelivery::Random
    UnwrittenMemory unwritten_memory = UnwrittenMemory::AsLeft;
    ChipRules rules = ChipRules::AsOnChip;
    std::uint64_t progress_limit = 0;  ///< iterations of a loop (loop_rounds.hpp)
};

/// Resources of the host that a run uses.
struct HostSpec {
    std::uint32_t threads = 0;  ///< workers of the host; 0: one for each host core
};

enum class VerifyLevel : std::uint8_t { EveryStep, FinalOnly, Off };

/// Tolerances of a run's results, which replace those of the ops (docs/verdicts.md).
struct VerifySpec {
    VerifyLevel level = VerifyLevel::EveryStep;
    std::optional<double> min_pcc = std::nullopt;  ///< least correlation; unset: the op's
    std::optional<double> max_relative_error = std::nullopt;  ///< for each element; unset: the op's
};

/// Settings of a run that are not tensors or steps.
struct RunSpec {
    std::string name;  ///< stem of the file
    MeshSpec mesh;
    MachineSpec machine;
    HostSpec host;
    VerifySpec verify;
};

}  // namespace tessera
