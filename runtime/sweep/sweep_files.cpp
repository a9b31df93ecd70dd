// SPDX-License-Identifier: Apache-2.0
#include "runtime/sweep/sweep_files.hpp"

#include <fmt/format.h>

#include "runtime/config/run_file.hpp"
#include "runtime/report/file_set.hpp"
#include "runtime/sweep/sweep_csv.hpp"
#include "runtime/sweep/sweep_html.hpp"
#include "runtime/sweep/sweep_text.hpp"

namespace tessera::sweep {
namespace {

// Lines of text as YAML comments.
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

}  // namespace

std::string best_run_file(const config::LoadedSweep& sweep, const SweepResult& result) {
    const std::size_t best = ranking(result).front().point;
    return commented(fmt::format("The best of {} points of the sweep {}: {}\n{}",
                                 result.points.size(), result.name, result.question,
                                 answer_text(result))) +
           config::to_run_file(sweep.points.at(best).loaded);
}

void write_files(const std::filesystem::path& directory, const config::LoadedSweep& sweep,
                 const SweepResult& result) {
    report::write_together(directory, {{"sweep.csv", to_csv(result)},
                                       {"sweep.html", to_html(result)},
                                       {"best.yaml", best_run_file(sweep, result)}});
}

}  // namespace tessera::sweep
