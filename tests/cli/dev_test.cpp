// SPDX-License-Identifier: Apache-2.0
// The script `dev`, in a folder where a build does nothing and `tessera` prints its arguments.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "tests/cli/tessera_process.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::test {
namespace {

/// A checkout with two configurations and all packages installed.
class Checkout {
public:
    Checkout() {
        namespace fs = std::filesystem;
        for (const char* folder :
             {"tools", "docs", "configs/runs", "build/release/bin", "build/release/tests",
              "build/release/Testing/Temporary", "tests/fuzz/corpus/yaml"}) {
            fs::create_directories(root() / folder);
        }
        fs::copy_file(fs::path(TESSERA_SOURCE_DIR) / "dev", root() / "dev");
        for (const char* file : {"CMakePresets.json", "build/release/build.ninja",
                                 "build/release/Testing/Temporary/LastTest.log",
                                 "configs/runs/moe_v2.yaml", "configs/runs/matmul_640.yaml"}) {
            folder_.write(file, "");
        }
        script("tools/dpkg-query", "echo install ok installed");
        script("tools/ninja", "echo \"ninja $*\" >&2");
        script("build/release/bin/tessera", "echo \"tessera $*\"; exit 3");
    }

    /// Runs ./dev with these words. Returns both outputs together, without the name of the folder.
    [[nodiscard]] std::string says(const std::string& words) {
        const std::string command =
            fmt::format("cd '{0}' && PRESET=release PATH='{0}/tools':$PATH ./dev {1} 2>&1",
                        root().string(), words);
        std::FILE* const pipe = popen(command.c_str(), "r");
        std::string text;
        std::array<char, 256> part{};
        while (std::fgets(part.data(), part.size(), pipe) != nullptr) {
            text += part.data();
        }
        exit_code_ = WEXITSTATUS(pclose(pipe));
        const std::string folder = root().string() + "/";
        for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
            text.erase(at, folder.size());
        }
        return text;
    }
    [[nodiscard]] int exit_code() const { return exit_code_; }
    void write(const std::string& name, const std::string& text) const {
        (void)folder_.write(name, text);
    }
    [[nodiscard]] std::string text_of(const std::string& name) const {
        return bytes_of(folder_.file(name));
    }
    /// Adds a program that runs this line of shell.
    void script(const std::string& name, const std::string& line) const {
        const auto path = folder_.write(name, "#!/bin/sh\n" + line + "\n");
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }

private:
    [[nodiscard]] const std::filesystem::path& root() const { return folder_.path(); }

    ScratchFolder folder_;
    int exit_code_ = 0;
};

struct Words {
    const char* of_dev;
    const char* of_tessera;
};
class DevRun : public ::testing::TestWithParam<Words> {};

TEST_P(DevRun, BuildsThenHandsItsWordsToTessera) {
    Checkout checkout;

    EXPECT_EQ(checkout.says(std::string("run ") + GetParam().of_dev),
              std::string("ninja -C build/release --quiet tessera\ntessera ") +
                  GetParam().of_tessera + "\n");
    EXPECT_EQ(checkout.exit_code(), 3);  // exit code of tessera
}

INSTANTIATE_TEST_SUITE_P(
    Words, DevRun,
    ::testing::Values(Words{"", "run configs/runs/moe_v2.yaml"},
                      Words{"--set params.tokens=64",
                            "run configs/runs/moe_v2.yaml --set params.tokens=64"},
                      Words{"moe_v2 --json", "run moe_v2 --json"},
                      Words{"matmul_640", "run matmul_640"},
                      Words{"mine/own.yaml --json", "run mine/own.yaml --json"},
                      Words{"list archs", "list archs"},
                      Words{"check matmul_640", "check matmul_640"}, Words{"--help", "--help"}));

TEST(Dev, AnUnknownCommandEndsWithItsUsage) {
    Checkout checkout;

    EXPECT_TRUE(checkout.says("biuld").starts_with("Usage: ./dev COMMAND [arguments]\n"));
    EXPECT_EQ(checkout.exit_code(), 2);
}

TEST(Dev, TestsEndWithHowManyPassedAndFailed) {
    Checkout checkout;
    checkout.script(
        "tools/ctest",
        "echo '<testsuite name=\"a\"\n\ttests=\"9\"\n\tfailures=\"1\"\n\tdisabled=\"0\"\n\t"
        "skipped=\"2\"\n>' > build/release/tests.xml; echo 'The following tests did not "
        "run:'; exit 8");

    EXPECT_EQ(checkout.says("test"),
              "ninja -C build/release --quiet all\nThe following tests did not run:\n"
              "6 passed, 1 failed\n");
    EXPECT_EQ(checkout.exit_code(), 1);
}

TEST(Dev, TestProgramsAreBuiltAndRunAlone) {
    Checkout checkout;
    for (const char* name : {"a_test", "b_test", "c_test"}) {
        checkout.script(
            std::string("build/release/tests/") + name,
            std::string("echo '<testsuites tests=\"3\" failures=\"0\">' > build/release/") + name +
                ".xml");
    }

    EXPECT_EQ(checkout.says("test --program=c_test --program=a_test --program=b_test --sample=1/2"),
              "dev: test programs a_test c_test\nninja -C build/release --quiet a_test c_test\n"
              "6 passed, 0 failed\n");
    EXPECT_EQ(checkout.exit_code(), 0);
}

TEST(Dev, ATestProgramThatIsKilledFails) {
    Checkout checkout;
    checkout.script("build/release/tests/a_test", "exit 139");

    (void)checkout.says("test --program=a_test");

    EXPECT_EQ(checkout.exit_code(), 1);
}

TEST(Dev, AnUnknownFuzzTargetIsNamedWithThoseThereAre) {
    Checkout checkout;
    checkout.write("tests/fuzz/corpus/yaml/seed", "");

    EXPECT_EQ(checkout.says("fuzz yam"), "dev: fuzz yam: unknown target; allowed: yaml\n");
    EXPECT_EQ(checkout.exit_code(), 2);
}

TEST(Dev, PutsTheScoresTablesBetweenTheirMarks) {
    Checkout checkout;
    checkout.script("build/release/bin/tessera",
                    "printf '| 1 |\\n\\n| 2 |\\n\\n| 3 |\\n\\n| 4 |\\n\\n| 5 |\\n\\n| 6 |\\n'");
    checkout.write("docs/accuracy.md",
                   "A\n<!-- score-bounds -->\n<!-- /score-bounds -->\n"
                   "B\n<!-- score-table -->\n| old |\n<!-- /score-table -->\n"
                   "C\n<!-- score-alternatives -->\n<!-- /score-alternatives -->\n"
                   "D\n<!-- score-unscored -->\n<!-- /score-unscored -->\n");
    checkout.write("README.md", "<!-- score-summary -->\n<!-- /score-summary -->\n");

    EXPECT_EQ(checkout.says("tables"), "ninja -C build/release --quiet tessera\n");

    EXPECT_EQ(checkout.text_of("docs/accuracy.md"),
              "A\n<!-- score-bounds -->\n| 3 |\n<!-- /score-bounds -->\n"
              "B\n<!-- score-table -->\n| 1 |\n<!-- /score-table -->\n"
              "C\n<!-- score-alternatives -->\n| 2 |\n<!-- /score-alternatives -->\n"
              "D\n<!-- score-unscored -->\n| 4 |\n<!-- /score-unscored -->\n");
    EXPECT_EQ(checkout.text_of("README.md"),
              "<!-- score-summary -->\n| 5 |\n\n| 6 |\n<!-- /score-summary -->\n");
}

TEST(Dev, ScoresNothingForAPageThatHasNoMark) {
    Checkout checkout;
    checkout.write("docs/accuracy.md", "A\n");

    EXPECT_EQ(checkout.says("tables"),
              "dev: docs/accuracy.md has no line <!-- score-table -->, below which its table "
              "belongs\n");
    EXPECT_EQ(checkout.exit_code(), 1);
}

TEST(Dev, WhatCannotBeBuiltIsNotRun) {
    Checkout checkout;
    checkout.script("tools/ninja", "echo 'no rule'; exit 1");

    EXPECT_EQ(checkout.says("run"), "no rule\n");
    EXPECT_EQ(checkout.exit_code(), 1);
}

}  // namespace
}  // namespace tessera::test
