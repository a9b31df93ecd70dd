// SPDX-License-Identifier: Apache-2.0
// Outputs replace regular files only; other targets are refused before anything runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

/// Option of an output, with its command.
struct Output {
    const char* name;
    std::vector<std::string> arguments;  ///< the file or folder follows
    const char* file;                    ///< file that it writes in the folder "there"
    const char* place;                   ///< start of the refusal
};

class CliOutputFile : public testing::TestWithParam<Output> {
protected:
    CliOutputFile() { fs::create_directory(folder_.path() / "there"); }

    [[nodiscard]] std::string refusal() const {
        std::vector<std::string> arguments = GetParam().arguments;
        const bool is_folder = arguments.back() == "--report" || arguments.back() == "--out";
        arguments.push_back(is_folder ? "there" : GetParam().file);
        const Ending ending = run_tessera(arguments, folder_.path());
        EXPECT_EQ(ending.exit_code, 2);
        EXPECT_EQ(ending.out, "");
        return ending.err;
    }
    [[nodiscard]] std::string refusal_for(const char* obstacle) const {
        return std::string("tessera: ") + GetParam().place + GetParam().file + ": " + obstacle +
               ", allowed: a new name, or a regular file that may be written\n";
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder_.path() / "there")) {
            names.push_back("there/" + entry.path().filename().string());
        }
        return names;
    }

    ScratchFolder folder_;
    fs::path path_ = folder_.path() / GetParam().file;
};

TEST_P(CliOutputFile, ReplacesNoFifo) {
    ASSERT_EQ(mkfifo(path_.c_str(), 0666), 0);

    EXPECT_EQ(refusal(), refusal_for("is a FIFO"));
    EXPECT_TRUE(fs::is_fifo(path_));
    EXPECT_THAT(names(), ElementsAre(GetParam().file));
}

TEST_P(CliOutputFile, ReplacesNoSymbolicLink) {
    fs::create_symlink(folder_.write("target", "kept"), path_);

    EXPECT_EQ(refusal(), refusal_for("is a symbolic link"));
    EXPECT_EQ(bytes_of(folder_.file("target")), "kept");
    EXPECT_TRUE(fs::is_symlink(path_));
}

TEST_P(CliOutputFile, ReplacesNoReadOnlyFile) {
    folder_.write(GetParam().file, "kept");
    fs::permissions(path_, fs::perms{0444});

    EXPECT_EQ(refusal(), refusal_for("is read-only (mode 0444)"));
    EXPECT_EQ(bytes_of(path_), "kept");
}

const std::string kRows = TESSERA_SOURCE_DIR "/tests/golden/score/rows.csv";

INSTANTIATE_TEST_SUITE_P(
    EachWriter, CliOutputFile,
    testing::Values(
        Output{"Outputs", {"run", "moe_v2_tiny", "--outputs"}, "there/out", "--outputs "},
        Output{"Trace", {"run", "moe_v2_tiny", "--trace"}, "there/out", "--trace "},
        Output{"ReportPage", {"run", "moe_v2_tiny", "--report"}, "there/report.html", ""},
        Output{"ReportJson", {"run", "moe_v2_tiny", "--report"}, "there/report.json", ""},
        Output{"Perfetto", {"run", "moe_v2_tiny", "--report"}, "there/trace.perfetto.json", ""},
        Output{"SweepTable", {"sweep", "k_block", "--out"}, "there/sweep.csv", ""},
        Output{"SweepPage", {"sweep", "k_block", "--out"}, "there/sweep.html", ""},
        Output{"Score", {"score", kRows, "--csv"}, "there/out", "--csv "}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CliOutputFileName, MayBeOneThatTheSystemRefuses) {
    const std::string name(300, 'x');

    const Ending ending = run_tessera({"run", "moe_v2_tiny", "--outputs", name});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "tessera: --outputs " + name +
                              ": File name too long, allowed: a new name, or a regular file that "
                              "may be written\n");
}

TEST(CliReportFolder, IsRefusedBeforeTheRunIfItsNameIsTooLong) {
    const std::string name(300, 'x');

    const Ending ending = run_tessera({"run", "moe_v2_tiny", "--report", name});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.out, "");
    EXPECT_EQ(ending.err, "tessera: --report " + name +
                              ": File name too long, allowed: a folder that may be written\n");
}

TEST(CliReportFolder, IsRefusedBeforeTheRunIfItsFolderIsReadOnly) {
    const ScratchFolder folder;
    fs::permissions(folder.path(), fs::perms{0755});
    fs::create_directory(folder.path() / "rod");
    fs::permissions(folder.path() / "rod", fs::perms{0555});

    const Ending run =
        run_limited({"run", "moe_v2_tiny", "--report", "rod/r"}, RLIMIT_CORE, 0, folder.path());
    const Ending sweep =
        run_limited({"sweep", "k_block", "--out", "rod/r"}, RLIMIT_CORE, 0, folder.path());

    EXPECT_EQ(run.exit_code, 2);
    const std::string obstacle = "rod/r: cannot be created in " + folder.file("rod") +
                                 " (Permission denied), allowed: a folder that may be written\n";
    EXPECT_EQ(run.err, "tessera: --report " + obstacle);
    EXPECT_EQ(sweep.err, "tessera: --out " + obstacle);
}

TEST(CliReportFolder, IsRefusedBeforeTheRunIfItWouldLieInAFile) {
    const ScratchFolder folder;
    folder.write("file", "");

    const Ending ending =
        run_tessera({"run", "moe_v2_tiny", "--report", "file/report"}, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "tessera: --report file/report: cannot be created, because " +
                              folder.file("file") +
                              " is a file, allowed: a folder that may be written\n");
}

TEST(CliReportFolder, IsRefusedBeforeTheRunIfItsNameIsALoopOfLinks) {
    const ScratchFolder folder;
    std::filesystem::create_symlink("b", folder.file("a"));
    std::filesystem::create_symlink("a", folder.file("b"));

    const Ending ending = run_tessera({"run", "moe_v2_tiny", "--report", "a"}, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: --report a: Too many levels of symbolic links, allowed: a "
              "folder that may be written\n");
}

TEST(CliInterrupt, LeavesNoUnfinishedFile) {
    const ScratchFolder folder;
    // The trace is written from the start. Replays of draws take seconds, since no time of theirs is
    // kept from an earlier run.
    const std::vector<std::string> arguments{
        "run",     "moe_v2", "--timing-only", "--replay-draws",
        "--draws", "64",     "--trace",       folder.file("t")};

    EXPECT_EQ(interrupt_tessera(arguments, std::chrono::milliseconds(700)), SIGINT);

    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(CliOutputFolder, ThatCannotBeMadeIsRefusedBeforeTheRun) {
    const std::vector<std::vector<std::string>> commands{
        {"run", "moe_v2_tiny", "--report", "/proc/x"},
        {"check", "moe_v2_tiny", "--report", "/proc/x"},
        {"kernel", "run", TESSERA_SOURCE_DIR "/examples/double/compute.cpp", "--report", "/proc/x"},
        {"kernel", "run", TESSERA_SOURCE_DIR "/examples/double/compute.cpp", "--save", "/proc/x"}};
    for (const auto& command : commands) {
        const Ending ending = run_tessera(command);

        EXPECT_EQ(ending.exit_code, 2);
        EXPECT_EQ(ending.out, "");
        EXPECT_EQ(ending.err, "tessera: " + command[command.size() - 2] +
                                  " /proc/x: cannot be created in /proc (No such file or "
                                  "directory), allowed: a folder that may be written\n");
    }
}

}  // namespace
}  // namespace tessera::test
