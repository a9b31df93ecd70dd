// SPDX-License-Identifier: Apache-2.0
// Findings: behaviour of kernels that a chip executes, but that is most likely a mistake.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// Response of the machine to such behaviour.
enum class ChipRules : std::uint8_t {
    Strict,    ///< ends the launch with a KernelError
    AsOnChip,  ///< executes it as a chip does, and reports it as a finding
};

/// One line of a kernel with one kind of tolerated behaviour, over all cores and launches.
struct Finding {
    std::string kind;    ///< "pack_not_reserved"
    std::string text;    ///< "pack_tile into a page that was not reserved"
    std::string kernel;  ///< path of the kernel's source
    std::string file;    ///< file of the call, which may be a header
    std::uint32_t line = 0;
    std::string detail;           ///< description of the first core's first call
    std::uint32_t num_cores = 0;  ///< cores of all devices; cores of several launches add up
    std::uint64_t num_calls = 0;  ///< number of calls on all cores
};

/// Adds `more` to `all`. Merges findings of the same kind, file and line into one.
void merge_findings(std::vector<Finding>& all, const std::vector<Finding>& more);

/// Returns "tolerated: pack_tile into a page that was not reserved, compute.cpp:31, 64 cores: "
/// followed by `detail`.
[[nodiscard]] std::string text_of(const Finding& finding);

}  // namespace tessera
