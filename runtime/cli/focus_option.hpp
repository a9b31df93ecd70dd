// SPDX-License-Identifier: Apache-2.0
// --focus: a part of the run that the report draws at full detail.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/report/timing/focus.hpp"
#include "runtime/report/timing/timing_report.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): a name of CLI11
class App;
}

namespace tessera::cli {

/// Adds --focus with its words: step=gate device=2 core=4,0 window=0..20000.
void add_focus_option(CLI::App& command, std::vector<std::string>& words);

/// Parses the words of --focus; none if there are no words.
/// Errors   UsageError as report::parse_focus, and for a step, a device or a core that the run does
///          not have.
[[nodiscard]] std::optional<report::Focus> focus_of(const std::vector<std::string>& words,
                                                    std::span<const std::string> steps,
                                                    const ArchSpec& arch, const MeshSpec& mesh);

/// Returns a line that says so if the window of --focus begins after the end of the run, or of its
/// step: the report then draws nothing of it. Empty for other windows.
[[nodiscard]] std::string focus_note(const report::TimingReport& report);

}  // namespace tessera::cli
