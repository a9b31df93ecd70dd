// SPDX-License-Identifier: Apache-2.0
// What a recorded run costs on a machine and why, for people and for programs.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tessera/predicted_time.hpp"
#include "tessera/trace.hpp"

namespace tessera {

class Machine;
struct ReportModel;  // the library's own

/// Copies share what they hold; it never changes.
class Report {
public:
    /// Replays the trace with the machine's constants as expected and at both ends of their ranges.
    /// `name` is the run's in all that is written.
    /// Errors   as replay().
    Report(const Trace& trace, const Machine& machine, const std::string& name);

    /// From the first launch to the end of the last.
    [[nodiscard]] PredictedTime makespan() const noexcept;
    /// What `tessera retime` prints: cycles, what bounds them, where cores wait.
    [[nodiscard]] std::string text() const;
    /// report.json, as runtime/report/README.md has it.
    [[nodiscard]] std::string json() const;
    /// Writes report.html, report.json and trace.perfetto.json to a folder, which is created; all
    /// three or none.
    /// Errors   UsageError naming the path if a folder or file cannot be made.
    void write(const std::filesystem::path& folder) const;

private:
    std::shared_ptr<const ReportModel> model_;
};

}  // namespace tessera
