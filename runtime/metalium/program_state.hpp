// SPDX-License-Identifier: Apache-2.0
// Contents of TT-Metalium's programs.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/program.hpp"
#include "tt-metalium/host_api.hpp"

namespace tt::tt_metal::detail {

struct SpecState;  // program_spec.cpp

/// Handle of a circular buffer that has only remote indices. It has no configuration of its own.
inline constexpr CBHandle kRemoteOnly = std::numeric_limits<CBHandle>::max();

struct ProgramState {
    tessera::Program program;
    std::vector<CircularBufferConfig> configs;  ///< of program.circular_buffers, by handle
    std::vector<std::shared_ptr<Buffer>> buffers;
    ProgramId id = 0;
    ProgramId runtime_id = 0;
    std::shared_ptr<const SpecState> spec;  ///< names of MakeProgramFromSpec, or null
    // Views that GetRuntimeArgs returns by reference.
    std::map<std::pair<KernelHandle, CoreCoord>, RuntimeArgsData> core_args;
    std::map<KernelHandle, std::vector<std::vector<RuntimeArgsData>>> grid_args;
    std::map<KernelHandle, RuntimeArgsData> common_args;
};

/// Returns the name of a program's launches in traces: the file of its compute kernel, or of its
/// first one, with the runtime id if the program has one.
[[nodiscard]] std::string name_of(const ProgramState& program);

}  // namespace tt::tt_metal::detail
