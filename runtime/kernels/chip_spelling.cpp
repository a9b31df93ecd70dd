// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/chip_spelling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <regex>
#include <sstream>

namespace tessera {
namespace {

bool is_part_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\'' || c == '.';
}

// Returns an integer with 32 bits if its suffix is that of `long` and its value fits; on the chip a
// larger one is a `long long`, too.
std::optional<std::string> narrowed(const std::string& literal) {
    const std::size_t suffix = literal.find_last_not_of("uUlL") + 1;
    std::string letters = literal.substr(suffix);
    const auto num_long =
        std::ranges::count_if(letters, [](char c) { return c == 'l' || c == 'L'; });
    if (suffix == 0 || num_long != 1) {
        return std::nullopt;
    }
    std::string digits = literal.substr(0, suffix);
    std::erase(digits, '\'');
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(digits.c_str(), &end, 0);
    if (end != digits.c_str() + digits.size() ||
        value > std::numeric_limits<std::uint32_t>::max()) {
        return std::nullopt;
    }
    std::erase_if(letters, [](char c) { return c == 'l' || c == 'L'; });
    return literal.substr(0, suffix) + letters;
}

std::string with_short_integers(const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_part_of_word(text[end])) {
            ++end;
        }
        if (end == at) {
            result += text[at++];
            continue;
        }
        const std::string word = text.substr(at, end - at);
        const bool is_number = std::isdigit(static_cast<unsigned char>(word.front())) != 0;
        result += is_number ? narrowed(word).value_or(word) : word;
        at = end;
    }
    return result;
}

/// Returns a path as a string of YAML.
std::string yaml_text(const std::filesystem::path& path) {
    std::string text = path.string();
    for (std::size_t at = text.find('\''); at != text.npos; at = text.find('\'', at + 2)) {
        text.insert(at, 1, '\'');
    }
    return "'" + text + "'";
}

}  // namespace

std::vector<std::string> files_to_respell(const std::string& output) {
    std::vector<std::string> files;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t error = line.find(": error: ");
        if (error == line.npos) {
            continue;
        }
        const bool is_unroll = line.find("invalid value '0'; must be positive", error) != line.npos;
        const bool is_long = line.find("unsigned long", error) != line.npos ||
                             line.find("'long'", error) != line.npos;
        // PATH:LINE:COLUMN
        const std::size_t column = line.rfind(':', error - 1);
        const std::size_t number = column == line.npos ? line.npos : line.rfind(':', column - 1);
        if ((!is_unroll && !is_long) || number == line.npos) {
            continue;
        }
        std::string file = line.substr(0, number);
        if (std::ranges::find(files, file) == files.end()) {
            files.push_back(std::move(file));
        }
    }
    return files;
}

std::string host_spelling(const std::string& text) {
    static const std::regex kUnroll(R"((#[ \t]*pragma[ \t]+GCC[ \t]+unroll[ \t]+)0\b)");
    return with_short_integers(std::regex_replace(text, kUnroll, "$011"));
}

void FileOverlay::replace(const std::filesystem::path& file, const std::string& contents) {
    rows_.push_back(fmt::format(
        "{{type: directory, name: {}, contents: [{{type: file, name: {}, external-contents: "
        "{}}}]}}",
        yaml_text(file.parent_path()), yaml_text(file.filename()), yaml_text(contents)));
}

std::string FileOverlay::text() const {
    return fmt::format("{{version: 0, use-external-names: false, roots: [{}]}}\n",
                       fmt::join(rows_, ", "));
}

}  // namespace tessera
