// SPDX-License-Identifier: Apache-2.0
// Every command of a page ends as the page says: with 0, or with the exit code that the command's
// comment names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/source_files.hpp"
#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TESSERA_SOURCE_DIR;

/// A file that a page tells its reader to write, and the test's source for it.
struct GivenFile {
    std::string_view page;
    std::string_view name;
    std::string_view source;
};

constexpr std::array kGivenFiles{
    GivenFile{"README.md", "reader.cpp", "examples/double/reader.cpp"},
    GivenFile{"README.md", "writer.cpp", "examples/double/writer.cpp"},
    GivenFile{"docs/first_kernel.md", "mine.cpp", "ops/moe_bmm/kernels/near_reader.cpp"},
    GivenFile{"docs/your_model.md", "my_config.json", "configs/models/qwen3-30b-a3b.json"},
};

/// A command of a page that is not run here.
struct LeftOut {
    std::string_view command;
    std::string_view reason;
};

constexpr std::array kLeftOut{
    LeftOut{"./dev test", "it runs this test"},
    LeftOut{"./dev bench", "benches are not tests"},
    LeftOut{"tessera score", "all rows take minutes; score_test.cpp runs a selection"},
    LeftOut{"tessera score --table", "the same"},
    LeftOut{"tessera exec --time build/vector_add/vector_add",
            "Examples.VectorAdd… and PackageConsumer build and run it"},
};

/// Blocks of a list are indented.
std::string_view without_indent(std::string_view line) {
    return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

bool is_command(std::string_view line) {
    return line.starts_with("tessera ") || line.starts_with("./dev ");
}

/// Words in capitals are placeholders: FILE, NAME, F.
bool has_placeholder(const std::string& command) {
    static const std::regex kPlaceholder(R"((^|[ =/])[A-Z]+(\.[a-z]+)?( |$)|…|\.\.\.)");
    return std::regex_search(command, kPlaceholder);
}

bool is_left_out(const std::string& command) {
    const std::string bare = command.substr(0, command.find(" #"));
    const std::string_view trimmed =
        std::string_view(bare).substr(0, bare.find_last_not_of(' ') + 1);
    return std::ranges::find(kLeftOut, trimmed, &LeftOut::command) != kLeftOut.end();
}

/// Commands and files of a page, in the order of the page.
struct Page {
    std::vector<std::string> commands;
    /// Blocks whose first line is a comment with only a file name.
    std::vector<std::pair<std::string, std::string>> files;
};

class PageReader {
public:
    explicit PageReader(const std::string& text) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            take(line);
        }
        take_prose();
    }
    [[nodiscard]] Page page() && { return std::move(page_); }

private:
    void take(const std::string& line) {
        if (without_indent(line).starts_with("```")) {
            take_prose();
            is_inside_ = !is_inside_;
            is_first_ = is_inside_;
            file_ = nullptr;
        } else if (is_inside_) {
            take_in_block(line);
        } else {
            // Code in prose may continue on the next line.
            prose_ += line + " ";
        }
    }

    void take_in_block(const std::string& line) {
        static const std::regex kFileName(R"((?://|#) ([A-Za-z0-9_/]+\.(?:cpp|hpp|yaml)))");
        std::smatch name;
        const std::string_view command = without_indent(line);
        if (is_first_ && std::regex_match(line, name, kFileName)) {
            file_ = &page_.files.emplace_back(name[1], "").second;
        } else if (file_ != nullptr) {
            *file_ += line + "\n";
        } else if (is_continued_) {
            page_.commands.back() += "\n" + line;
        } else if (is_command(command)) {
            add(std::string(command));
        }
        is_continued_ = line.ends_with('\\') && file_ == nullptr;
        is_first_ = false;
    }

    void take_prose() {
        static const std::regex kCode("`([^`]+)`");
        for (std::sregex_iterator code(prose_.begin(), prose_.end(), kCode), end; code != end;
             ++code) {
            // The name of a command without arguments is a mention, not an example.
            const std::string text = (*code)[1];
            if (is_command(text) && std::ranges::count(text, ' ') > 1) {
                add(text);
            }
        }
        prose_.clear();
    }

    void add(const std::string& command) { page_.commands.push_back(command); }

    Page page_;
    std::string prose_;
    std::string* file_ = nullptr;
    bool is_inside_ = false;
    bool is_first_ = false;
    bool is_continued_ = false;
};

int expected_exit_code(const std::string& command) {
    static const std::regex kCode(R"(#.*exit code (\d+))");
    std::smatch code;
    return std::regex_search(command, code, kCode) ? std::stoi(code[1]) : 0;
}

/// A reader's folder: a built checkout, with `tessera` on the path.
class Reader {
public:
    explicit Reader(const std::string& page) {
        for (const char* folder : {"tools", "build/release"}) {
            fs::create_directories(folder_.path() / folder);
        }
        for (const char* name : {"configs", "ops", "docs", "CMakePresets.json"}) {
            fs::create_symlink(kRoot / name, folder_.path() / name);
        }
        fs::copy(kRoot / "examples", folder_.path() / "examples", fs::copy_options::recursive);
        fs::copy_file(kRoot / "dev", folder_.path() / "dev");
        fs::create_symlink(fs::path(TESSERA_BUILD_DIR) / "bin",
                           folder_.path() / "build/release/bin");
        fs::create_symlink(fs::path(TESSERA_BUILD_DIR) / "bin/tessera", tool("tessera"));
        write_script("ninja", "exit 0");
        write_script("dpkg-query", "echo install ok installed");
        (void)folder_.write("build/release/build.ninja", "");
        for (const GivenFile& given : kGivenFiles) {
            if (given.page == page) {
                fs::copy_file(kRoot / given.source, folder_.path() / given.name);
            }
        }
    }

    void write(const std::string& name, const std::string& text) const {
        fs::create_directories((folder_.path() / name).parent_path());
        (void)folder_.write(name, text);
    }

    /// Returns the exit code and the output of a shell command.
    [[nodiscard]] std::pair<int, std::string> run(const std::string& command) const {
        (void)folder_.write("command.sh", command + "\n");
        const std::string shell =
            fmt::format("cd '{0}' && PRESET=release PATH='{0}/tools':$PATH bash -e command.sh 2>&1",
                        folder_.path().string());
        std::FILE* const pipe = popen(shell.c_str(), "r");
        std::string text;
        std::array<char, 4096> part{};
        while (std::fgets(part.data(), part.size(), pipe) != nullptr) {
            text += part.data();
        }
        return {WEXITSTATUS(pclose(pipe)), text};
    }

private:
    [[nodiscard]] fs::path tool(const std::string& name) const {
        return folder_.path() / "tools" / name;
    }
    void write_script(const std::string& name, const std::string& body) const {
        (void)folder_.write("tools/" + name, "#!/bin/sh\n" + body + "\n");
        fs::permissions(tool(name), fs::perms::owner_all);
    }

    ScratchFolder folder_;
};

std::vector<std::string> pages() {
    std::vector<std::string> pages{"README.md"};
    for (const auto& entry : fs::directory_iterator(kRoot / "docs")) {
        const std::string page = "docs/" + entry.path().filename().string();
        if (page.ends_with(".md") && !PageReader(text_of(page)).page().commands.empty()) {
            pages.push_back(page);
        }
    }
    std::ranges::sort(pages);
    return pages;
}

class DocumentedCommands : public testing::TestWithParam<std::string> {};

TEST_P(DocumentedCommands, EndAsThePageSays) {
    const Page page = PageReader(text_of(GetParam())).page();
    const Reader reader(GetParam());
    for (const auto& [name, text] : page.files) {
        reader.write(name, text);
    }

    for (const std::string& command : page.commands) {
        if (is_left_out(command) || has_placeholder(command)) {
            continue;
        }
        const auto [exit_code, output] = reader.run(command);
        EXPECT_EQ(exit_code, expected_exit_code(command)) << command << "\n" << output;
    }
}

std::string name_of_page(const testing::TestParamInfo<std::string>& page) {
    return fs::path(page.param).stem().string();
}

INSTANTIATE_TEST_SUITE_P(Pages, DocumentedCommands, testing::ValuesIn(pages()), name_of_page);

TEST(PageReader, FindsCommandsInBlocksAndProseAndFilesByTheirFirstLine) {
    const Page page = PageReader(
                          "```\ntessera run a \\\n  --quiet  # exit code 2\nother\n```\n"
                          "See `tessera list\nops` and `tessera list`.\n"
                          "```yaml\n# a.yaml\nmesh: x\n```\n")
                          .page();

    EXPECT_THAT(page.commands, testing::ElementsAre("tessera run a \\\n  --quiet  # exit code 2",
                                                    "tessera list ops"));
    EXPECT_THAT(page.files, testing::ElementsAre(testing::Pair("a.yaml", "mesh: x\n")));
    EXPECT_EQ(expected_exit_code(page.commands[0]), 2);
    EXPECT_TRUE(has_placeholder("tessera score FILE.csv"));
    EXPECT_FALSE(has_placeholder("tessera run a --set params.T=64"));
}

}  // namespace
}  // namespace tessera::test
