// SPDX-License-Identifier: Apache-2.0
// Writes the part of timing_text.hpp about stages of a run.
#include <fmt/format.h>

#include <cmath>

#include "runtime/report/core_figures.hpp"
#include "runtime/report/number_text.hpp"
#include "runtime/report/text_table.hpp"
#include "runtime/report/timing/stage_figures.hpp"
#include "runtime/report/timing/timing_figures.hpp"
#include "runtime/report/timing/timing_text.hpp"

namespace tessera::report {
namespace {

std::string stage_table(const TimingReport& report, const TextStyle& style) {
    std::vector<Column> columns{{"stage", Align::Left, 9, {}},
                                {"cycles", Align::Right, 9, {}},
                                {"share", Align::Right, 8, {}},
                                {"on links", Align::Right, 7, {}},
                                {"launches", Align::Right, 5, {}}};
    for (const StageFigures& stage : stage_figures(report)) {
        columns[0].cells.push_back({stage.name});
        columns[1].cells.push_back({show_cycles(stage.time)});
        columns[2].cells.push_back({show_share(share_of(
            static_cast<double>(stage.time), static_cast<double>(report.makespan.expected)))});
        columns[3].cells.push_back({show_bytes(static_cast<double>(stage.link_bytes))});
        columns[4].cells.push_back({show_count(static_cast<double>(stage.launches.size()))});
    }
    return to_text(columns, style);
}

/// Returns every launch that sent bytes to other devices.
std::string link_table(const TimingReport& report, const TextStyle& style) {
    std::vector<Column> columns{{"collective", Align::Left, 9, {}},
                                {"on links", Align::Right, 9, {}},
                                {"cycles", Align::Right, 8, {}}};
    for (const LaunchReport& launch : report.launches) {
        if (launch.work.link_bytes > 0) {
            columns[0].cells.push_back({launch.name});
            columns[1].cells.push_back({show_bytes(static_cast<double>(launch.work.link_bytes))});
            columns[2].cells.push_back({show_cycles(launch.device_time.expected)});
        }
    }
    return columns[0].cells.empty() ? "" : "\n" + to_text(columns, style);
}

std::string memory_line(const RunStages& stages) {
    std::string text;
    for (const RunStages::Memory& memory : stages.memory) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", memory.name,
                            show_bytes(static_cast<double>(memory.bytes)));
    }
    return text.empty() ? "" : "  memory of each device: " + text + "\n";
}

}  // namespace

std::string stages_text(const TimingReport& report, const TextStyle& style) {
    if (!report.stages) {
        return "";
    }
    std::string text;
    if (report.stages->tokens > 0) {
        text = fmt::format("  {} tokens: {} a second\n", report.stages->tokens,
                           show_count(std::round(tokens_per_second(report))));
    }
    return text + memory_line(*report.stages) + stage_table(report, style) +
           link_table(report, style);
}

}  // namespace tessera::report
