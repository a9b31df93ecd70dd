// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/focus_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tessera/errors.hpp"

namespace tessera::cli {

void add_focus_option(CLI::App& command, std::vector<std::string>& words) {
    constexpr int kMostWords = 4;
    command
        .add_option("--focus", words,
                    "Draw only this part in --report, with every interval: step=gate device=2 "
                    "core=4,0 window=0..20000 (cycles), or some of these")
        ->type_name("PART")
        ->expected(1, kMostWords);
}

std::optional<report::Focus> focus_of(const std::vector<std::string>& words,
                                      std::span<const std::string> steps, const ArchSpec& arch,
                                      const MeshSpec& mesh) {
    if (words.empty()) {
        return std::nullopt;
    }
    const report::Focus focus = report::parse_focus(words);
    require(!focus.step || std::ranges::find(steps, *focus.step) != steps.end(),
            "--focus step={}: unknown step, allowed: {}", focus.step.value_or(""),
            fmt::join(steps, ", "));
    const std::uint32_t devices = mesh.shape.num_devices();
    require(!focus.device || *focus.device < devices, "--focus device={}: allowed: 0 to {}",
            focus.device.value_or(0), devices - 1);
    const GridSize grid = arch.workers.compute;
    const CoreCoord core = focus.core.value_or(CoreCoord{});
    require(core.x < grid.columns && core.y < grid.rows,
            "--focus core={},{}: the grid has {} × {} cores, from 0,0 on", core.x, core.y,
            grid.columns, grid.rows);
    return focus;
}

// A note and no error: the end is known after the run, whose other results are valid.
std::string focus_note(const report::TimingReport& report) {
    if (!report.focus) {
        return "";
    }
    const report::Focus& focus = *report.focus;
    const auto step =
        std::ranges::find(report.launches, focus.step.value_or(""), &report::LaunchReport::name);
    const bool is_of_step = step != report.launches.end();
    const Millicycles end = is_of_step ? step->makespan.expected : report.makespan.expected;
    if (focus.from < end) {
        return "";
    }
    return fmt::format(
        "tessera: --focus window={}..{}: {} has {} cycles, so the page draws nothing of the "
        "window; "
        "allowed: a window that begins before its end\n",
        focus.from / kMillicyclesPerCycle, focus.to / kMillicyclesPerCycle,
        is_of_step ? "step " + step->name : "the run", end / kMillicyclesPerCycle);
}

}  // namespace tessera::cli
