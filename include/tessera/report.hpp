// SPDX-License-Identifier: Apache-2.0
// Reports of a recorded run's predicted time on a machine: text, JSON, HTML and Perfetto.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tessera/predicted_time.hpp"
#include "tessera/trace.hpp"

namespace tessera {

class Machine;
struct ReportModel;  // the library's own

/// Predicted times of a run and their causes. Immutable; copies share the data.
class Report {
public:
    /// Replays the trace with the expected constants and with both ends of their ranges. `name` is
    /// the run's name in all outputs.
    /// Errors   as replay().
    Report(const Trace& trace, const Machine& machine, const std::string& name);

    /// Returns the time from the start of the first launch to the end of the last.
    [[nodiscard]] PredictedTime makespan() const noexcept;
    /// Returns the text that `tessera retime` prints: cycles, bounds, and waits of cores.
    [[nodiscard]] std::string text() const;
    /// Returns the text of report.json (runtime/report/README.md defines its fields).
    [[nodiscard]] std::string json() const;
    /// Writes report.html, report.json and trace.perfetto.json to `folder`, which it creates.
    /// Writes all three files or none.
    /// Errors   UsageError naming the path if a folder or file cannot be created.
    void write(const std::filesystem::path& folder) const;

private:
    std::shared_ptr<const ReportModel> model_;
};

}  // namespace tessera
