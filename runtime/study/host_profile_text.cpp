// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/report/text_table.hpp"
#include "runtime/study/host_profile.hpp"

namespace tessera::host_profile {
namespace {

struct Line {
    std::string name;
    double seconds = 0;
};

// Returns the ops in the order of their first run.
std::vector<Line> kernels_by_op(const report::RunRecord& record) {
    std::vector<Line> ops;
    for (const report::StepRecord& step : record.steps) {
        const std::string name = "  " + step.op;
        auto it = std::ranges::find(ops, name, &Line::name);
        if (it == ops.end()) {
            it = ops.insert(it, {name, 0});
        }
        it->seconds += step.host_seconds;
    }
    return ops;
}

std::vector<Line> phases_of(const report::RunRecord& record, double report_seconds) {
    const report::HostTimes& host = record.host;
    // Tensors are the rest: the other phases are measured.
    const double known = host.load + host.launch + host.verify + host.timing;
    std::vector<Line> lines{{"load", host.load},
                            {"tensors made and moved", std::max(0.0, host.total - known)},
                            {"kernels", host.launch}};
    const std::vector<Line> ops = kernels_by_op(record);
    lines.insert(lines.end(), ops.begin(), ops.end());
    lines.push_back({"verify", host.verify});
    lines.push_back({"timing", host.timing});
    lines.push_back({"  beside the phases above", host.beside});
    lines.push_back({"report", report_seconds});
    return lines;
}

std::string table_of(const std::vector<Line>& lines, const char* what, double total,
                     const report::TextStyle& style) {
    std::vector<report::Column> columns{{what, report::Align::Left, 1, {}},
                                        {"s", report::Align::Right, 1, {}},
                                        {"share", report::Align::Right, 1, {}}};
    for (const Line& line : lines) {
        const double share = total > 0 ? 100 * line.seconds / total : 0;
        columns[0].cells.push_back({line.name});
        columns[1].cells.push_back({fmt::format("{:.3f}", line.seconds)});
        columns[2].cells.push_back({fmt::format("{:.0f} %", share)});
    }
    return report::to_text(std::move(columns), style);
}

// Threads outside of kernels wait, or place programs and collect results.
std::vector<Line> works_of(const HostProfile& profile, double thread_seconds) {
    std::vector<Line> lines;
    for (std::size_t i = 0; i < kNumWorks; ++i) {
        lines.push_back({name_of(static_cast<Work>(i)), profile.seconds[i]});
    }
    const double busy = std::accumulate(profile.seconds.begin(), profile.seconds.end(), 0.0);
    lines.push_back({"idle", std::max(0.0, thread_seconds - busy)});
    return lines;
}

}  // namespace

std::string profile_text(const report::RunRecord& record, double report_seconds,
                         const HostProfile& profile, const report::TextStyle& style) {
    const double thread_seconds = record.host.launch * record.num_threads;
    return table_of(phases_of(record, report_seconds), "host time",
                    record.host.total + report_seconds, style) +
           '\n' +
           table_of(works_of(profile, thread_seconds),
                    fmt::format("kernels on {} threads", record.num_threads).c_str(),
                    thread_seconds, style);
}

}  // namespace tessera::host_profile
