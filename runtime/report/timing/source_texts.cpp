// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/source_texts.hpp"

#include <fstream>
#include <iterator>
#include <optional>
#include <set>

namespace tessera::report {
namespace {

namespace fs = std::filesystem;

/// Limit of a file's text. Kernels are shorter; a report with such a file would be too large.
constexpr std::uintmax_t kLongest = 256 * 1024;

std::optional<std::string> text_of(const fs::path& path) {
    std::error_code error;  // a missing file has no text
    if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kLongest) {
        return std::nullopt;
    }
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

std::vector<SourceText> source_texts(const TimingReport& report, const FindFile& find) {
    std::set<std::string> files;
    for (const LaunchReport& launch : report.launches) {
        for (const SourceLine& line : launch.lines) {
            files.insert(line.file);
        }
    }
    files.erase("");
    std::vector<SourceText> sources;
    for (const std::string& file : files) {
        const auto path = find(file);
        if (auto text = path ? text_of(*path) : std::nullopt) {
            sources.push_back({file, std::move(*text)});
        }
    }
    return sources;
}

}  // namespace tessera::report
