// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/api_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <string_view>

#include "runtime/kernels/content_hash.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sources_below(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension == ".hpp" || extension == ".inc" || extension == ".cpp") {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

// Names of the API have an underscore or are of capitals; words of C++ with one and a kernel's own
// entry are left out.
bool is_api_name(const std::string& name) {
    constexpr std::array<std::string_view, 6> kOfTheLanguage{"static_assert",    "static_cast",
                                                             "reinterpret_cast", "const_cast",
                                                             "bit_cast",         "kernel_main"};
    const bool is_capital =
        std::ranges::none_of(name, [](unsigned char c) { return std::islower(c) != 0; });
    return (is_capital || name.find('_') != name.npos) && !name.starts_with("_") &&
           std::ranges::find(kOfTheLanguage, name) == kOfTheLanguage.end();
}

}  // namespace

std::set<std::string> words_of_text(const std::string& text) {
    std::set<std::string> words;
    std::string word;
    for (const char c : text + ' ') {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
            word += c;
        } else if (!word.empty()) {
            words.insert(std::move(word));
            word.clear();
        }
    }
    return words;
}

// A name before a parenthesis, a macro, or a word that a row of a table of tile functions begins
// with; a row's init has the name with _init.
std::set<std::string> api_names(const fs::path& include_dir) {
    static const std::regex kName(R"(([A-Za-z_]\w+)\()");
    static const std::regex kMacro(R"(#define\s+([A-Za-z_]\w+))");
    static const std::regex kRow(R"((?:FORMULA|SFPU_\w+)\(\s*(\w+_tile\w*))");
    std::set<std::string> names;
    for (const fs::path& file : sources_below(include_dir / "tessera/kernel")) {
        const std::string text = read_file(file).value_or("");
        const auto add_matches = [&](const std::regex& pattern, const char* ending = "") {
            for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern);
                 at != std::sregex_iterator(); ++at) {
                names.insert((*at)[1].str() + ending);
            }
        };
        add_matches(kName);
        add_matches(kMacro);
        add_matches(kRow);
        add_matches(kRow, "_init");
    }
    std::erase_if(names, [](const std::string& name) { return !is_api_name(name); });
    return names;
}

std::map<std::string, std::size_t> uses_of(const std::set<std::string>& names,
                                           const std::vector<fs::path>& files) {
    std::map<std::string, std::size_t> uses;
    for (const fs::path& file : files) {
        for (const std::string& word : words_of_text(read_file(file).value_or(""))) {
            if (names.contains(word)) {
                ++uses[word];
            }
        }
    }
    return uses;
}

std::map<std::string, std::string> first_file_with(const std::set<std::string>& names,
                                                   const fs::path& folder) {
    std::map<std::string, std::string> found;
    for (const fs::path& file : sources_below(folder)) {
        for (const std::string& word : words_of_text(read_file(file).value_or(""))) {
            if (names.contains(word)) {
                found.try_emplace(word, file.lexically_normal().string());
            }
        }
    }
    return found;
}

}  // namespace tessera
