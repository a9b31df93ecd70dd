// SPDX-License-Identifier: Apache-2.0
// What every run has, whatever its pipeline: mesh, freedom of the machine, host, what it must meet.
// Defaults stand in the tables of runtime/config, not here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/noc_delivery.hpp"
#include "tessera/unwritten_memory.hpp"

namespace tessera {

struct MachineSpec {
    NocDelivery noc_delivery = NocDelivery::AtBarrier;
    std::uint64_t delivery_seed = 0;  ///< of NocDelivery::Random
    UnwrittenMemory unwritten_memory = UnwrittenMemory::AsLeft;
    std::uint64_t progress_limit = 0;  ///< rounds of a loop (loop_rounds.hpp)
};

struct HostSpec {
    std::uint32_t threads = 0;  ///< workers of the host; 0: one for each host core
};

enum class VerifyLevel : std::uint8_t { EveryStep, FinalOnly, Off };

/// Tolerances that a run's results must keep, in place of those of the ops (docs/verdicts.md).
struct VerifySpec {
    VerifyLevel level = VerifyLevel::EveryStep;
    std::optional<double> min_pcc = std::nullopt;             ///< none: the op's
    std::optional<double> max_relative_error = std::nullopt;  ///< of an element; none: the op's
};

struct RunSpec {
    std::string name;  ///< stem of the file
    MeshSpec mesh;
    MachineSpec machine;
    HostSpec host;
    VerifySpec verify;
};

}  // namespace tessera
