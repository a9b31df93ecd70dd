// SPDX-License-Identifier: Apache-2.0
// Files that documents name exist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/source_files.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

const fs::path kRoot = TESSERA_SOURCE_DIR;

constexpr std::array<std::string_view, 10> kTopFolders{"emu/",   "ops/",     "runtime/", "include/",
                                                       "tests/", "bench/",   "configs/", "cmake/",
                                                       "docs/",  "examples/"};

/// A Markdown link to a file: its relative target, without the anchor of a heading.
const std::regex kLink(R"(\]\(([^)#:]+)(#[^)]*)?\))");

std::vector<std::string> links_in(const std::string& text) {
    std::vector<std::string> links;
    for (std::sregex_iterator link(text.begin(), text.end(), kLink), end; link != end; ++link) {
        links.push_back((*link)[1]);
    }
    return links;
}

/// Returns words of a document that look like paths of the project. Targets of links are excluded,
/// because they are relative to the document. Words with a pattern (`ops/<op>/`, `configs/*.yaml`)
/// match many files and are excluded, too.
std::vector<std::string> paths_in(const std::string& document) {
    const std::string text = std::regex_replace(document, kLink, "]");
    static const std::regex kWord(R"([A-Za-z0-9_.<>{}*…\[\]+-]+(/[A-Za-z0-9_.<>{}*…\[\]+-]*)+)");
    std::vector<std::string> paths;
    for (std::sregex_iterator word(text.begin(), text.end(), kWord), end; word != end; ++word) {
        std::string path = word->str();
        const bool is_pattern = path.find_first_of("<>{}*[]") != std::string::npos ||
                                path.find("…") != std::string::npos;
        const bool is_ours = std::ranges::any_of(
            kTopFolders, [&](std::string_view folder) { return path.starts_with(folder); });
        const bool is_inner =
            word->position() > 0 && text[static_cast<std::size_t>(word->position()) - 1] == '/';
        if (is_ours && !is_pattern && !is_inner) {
            path.erase(path.find_last_not_of(".") + 1);
            paths.push_back(path);
        }
    }
    return paths;
}

std::vector<std::string> missing_paths(const std::string& text) {
    std::vector<std::string> missing;
    for (const std::string& path : paths_in(text)) {
        if (!fs::exists(kRoot / path)) {
            missing.push_back(path);
        }
    }
    return missing;
}

/// Journals name files as they were called at the time of writing.
constexpr std::string_view kHistory = "docs/history/";

/// Returns the documents of the project: those at its root and below its folders, without journals.
std::vector<fs::path> documents() {
    std::vector<fs::path> documents;
    const auto add = [&](const fs::directory_entry& entry) {
        const fs::path path = fs::relative(entry.path(), kRoot);
        if (path.extension() == ".md" && !path.string().starts_with(kHistory)) {
            documents.push_back(path);
        }
    };
    std::ranges::for_each(fs::directory_iterator(kRoot), add);
    for (const std::string_view folder : kTopFolders) {
        std::ranges::for_each(fs::recursive_directory_iterator(kRoot / folder), add);
    }
    std::ranges::sort(documents);
    return documents;
}

TEST(DocsPaths, NameFilesThatExist) {
    const std::vector<fs::path> all = documents();

    EXPECT_THAT(all, IsSupersetOf<fs::path>(
                         {"README.md", "CONTRIBUTING.md", "docs/accuracy.md", "docs/glossary.md"}));
    for (const fs::path& document : all) {
        EXPECT_THAT(missing_paths(text_of(document.string())), IsEmpty()) << document;
    }
}

TEST(DocsPaths, LinksLeadToFiles) {
    std::size_t num_links = 0;
    for (const fs::path& document : documents()) {
        for (const std::string& link : links_in(text_of(document.string()))) {
            EXPECT_TRUE(fs::exists(kRoot / document.parent_path() / link))
                << document << " links to " << link;
            ++num_links;
        }
    }
    EXPECT_GT(num_links, 60U) << "docs/configuration.md alone has one for each op";
}

TEST(DocsPaths, FindsLinksInMarkdown) {
    EXPECT_THAT(links_in("![a](b/c.svg), [d](../e.md#f), [g](https://example.org) and [h](#i)"),
                ElementsAre("b/c.svg", "../e.md"));
}

TEST(DocsPaths, FindsANameWithoutAFile) {
    EXPECT_THAT(missing_paths("See `emu/none/here.cpp` and emu/CMakeLists.txt.\n"),
                ElementsAre("emu/none/here.cpp"));
    EXPECT_THAT(missing_paths("(runtime/none.hpp), ops/none. "),
                ElementsAre("runtime/none.hpp", "ops/none"));
}

TEST(DocsPaths, LeavesPatternsAndForeignPathsAlone) {
    EXPECT_THAT(paths_in("`ops/<op>/kernels/*.cpp` configs/runs/*.yaml build/release/bin/tessera "
                         "https://example.org/emu/core"),
                IsEmpty());
}

}  // namespace
}  // namespace tessera
