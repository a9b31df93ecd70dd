// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/sweep_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/config/run_file.hpp"
#include "runtime/study/sweep_text.hpp"

namespace tessera::sweep {
namespace {

// Returns lines of text as YAML comments.
std::string commented(const std::string& text) {
    std::string lines;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines += "# " + text.substr(begin, end - begin) + "\n";
        begin = end + 1;
    }
    return lines;
}

constexpr const char* kCsv = "sweep.csv";
constexpr const char* kHtml = "sweep.html";

// Names a file by its case's place in the sweep: the name of a case is no file name.
std::string best_name(std::size_t num_cases, std::size_t case_index) {
    return num_cases == 0 ? "best.yaml" : fmt::format("best_{}.yaml", case_index + 1);
}

}  // namespace

// Checked before the sweep runs, so that hours of points are not lost to a file that cannot be
// written.
void require_places(const std::filesystem::path& directory, const config::LoadedSweep& sweep) {
    std::vector<std::string> names{kCsv, kHtml};
    const std::size_t num_cases = sweep.sweep.cases.size();
    for (std::size_t i = 0; i < std::max<std::size_t>(1, num_cases); ++i) {
        names.push_back(best_name(num_cases, i));
    }
    report::require_places(directory, names);
}

std::vector<report::NamedText> best_run_files(const config::LoadedSweep& sweep,
                                              const SweepResult& result) {
    std::vector<report::NamedText> files;
    // Answers and ranks have the cases in one order.
    const std::vector<std::string> lines = answers(result);
    for (const Ranked& entry : ranking(result)) {
        // A best point is a run file of its own: `tessera run best.yaml`.
        if (entry.rank == 1) {
            const std::string note = result.is_interrupted ? interrupted_text(result) + "\n" : "";
            const std::string head =
                fmt::format("From {} points of the sweep {}: {}\n{}{}\n", result.points.size(),
                            result.name, result.question, note, lines.at(files.size()));
            const std::size_t case_index = result.points[entry.point].case_index;
            files.push_back(
                {best_name(result.num_case_keys, case_index),
                 commented(head) + config::to_run_file(sweep.points[entry.point].loaded)});
        }
    }
    return files;
}

void write_files(const std::filesystem::path& directory, const config::LoadedSweep& sweep,
                 const SweepResult& result) {
    std::vector<report::NamedText> files = best_run_files(sweep, result);
    files.push_back({kCsv, to_csv(result)});
    files.push_back({kHtml, to_html(result)});
    report::write_together(directory, files);
}

}  // namespace tessera::sweep
