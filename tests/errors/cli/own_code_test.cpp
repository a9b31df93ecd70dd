// SPDX-License-Identifier: Apache-2.0
// User code that would end the process: kernels, and initialisers of an op's variables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::StartsWith;

/// A run of one kernel, own.cpp.
constexpr const char* kRun =
    "mesh: {device: wormhole_n150, shape: [1, 1]}\n"
    "tensors: {x: {shape: [32, 32], dtype: bfloat16, layout: tile}}\n"
    "steps:\n"
    "  - name: own\n"
    "    in: [x]\n"
    "    out: {y: {shape: [32, 32], dtype: bfloat16, layout: tile}}\n"
    "    program: {cores: {grid: [1, 1]}, kernels: [{path: own.cpp, on: reader}]}\n";

/// Gives each test its own kernel cache.
class CliOwnCode : public testing::Test {
protected:
    CliOwnCode() {
        fs::permissions(folder_.path(), fs::perms::all);
        folder_.write("run.yaml", kRun);
        setenv("TESSERA_CACHE_DIR", folder_.file("cache").c_str(), 1);
    }
    ~CliOwnCode() override { unsetenv("TESSERA_CACHE_DIR"); }

    Ending run_kernel(const std::string& statement) {
        folder_.write("own.cpp",
                      "#include <cstdlib>\n#include <unistd.h>\nvoid kernel_main() {\n"
                      "    " +
                          statement + "\n    noc_async_write_barrier();\n}\n");
        return run_tessera({"run", "run.yaml", "--quiet"}, folder_.path());
    }
    /// Runs without root, which may write everywhere.
    Ending run_as_user() {
        return run_limited({"run", "run.yaml", "--quiet"}, RLIMIT_CORE, 0, folder_.path());
    }
    /// Checks a run with an op whose only variable has this initialiser.
    Ending check_initialiser(const std::string& expression) {
        fs::create_directories(folder_.path() / "mine");
        folder_.write("mine/mine.hpp",
                      "namespace tessera::ops { struct Op; namespace mine { const Op& op(); } }\n");
        folder_.write(
            "mine/mine.cpp",
            "#include \"mine.hpp\"\n#include <cstdlib>\n#include <stdexcept>\n#include <unistd.h>\n"
            "static int* volatile nowhere = nullptr;\n"
            "static int value = (" +
                expression +
                ", 1);\n"
                "namespace tessera::ops::mine {\n"
                "const Op& op() { return *reinterpret_cast<const Op*>(&value); }\n}\n");
        folder_.write("op.yaml", "extends: copy\nops: [mine]\n");
        return run_tessera({"check", "op.yaml"}, folder_.path());
    }

    const ScratchFolder folder_;
};

class CliKernelThatLeaves : public CliOwnCode, public testing::WithParamInterface<const char*> {};

TEST_P(CliKernelThatLeaves, EndsTheRunWithExitCodeThreeCoreAndLine) {
    const Ending ending = run_kernel(std::string(GetParam()) + "(0);");

    EXPECT_EQ(ending.exit_code, 3);
    EXPECT_EQ(ending.out, "");
    EXPECT_EQ(ending.err,
              "tessera: Unsupported: device 0 core (0,0) reader own.cpp:4: the kernel "
              "calls " +
                  std::string(GetParam()) +
                  ", which a core does not have; allowed: the kernel API, and "
                  "functions of memory, strings and mathematics\n");
}

INSTANTIATE_TEST_SUITE_P(Calls, CliKernelThatLeaves,
                         testing::Values("exit", "quick_exit", "_exit", "_Exit"),
                         [](const auto& test) {
                             return testing::PrintToString(test.index) + "th";
                         });

TEST_F(CliOwnCode, ThatOverrunsItsHeapEndsTheRunWithExitCodeThree) {
    const Ending ending = run_kernel(
        "volatile int* p = new int[4]; for (volatile int i = 0; i < 100000; i = i + 1) "
        "p[i] = 1;");

    EXPECT_EQ(ending.exit_code, 3);
    EXPECT_EQ(ending.err,
              "tessera: OutOfBounds: device 0 core (0,0) reader own.cpp:4: the kernel touches byte "
              "16 of a block of 16 bytes on its heap; allowed: 0 to 15\n");
}

TEST_F(CliOwnCode, RunsFromAReadOnlyCacheThatHasIt) {
    folder_.write("own.cpp", "void kernel_main() {}\n");
    EXPECT_EQ(run_as_user().exit_code, 0);
    fs::permissions(folder_.path() / "cache", fs::perms::owner_read | fs::perms::owner_exec);

    const Ending ending = run_as_user();

    EXPECT_EQ(ending.err, "");
    EXPECT_EQ(ending.exit_code, 0);
}

TEST_F(CliOwnCode, NeedsACacheThatMayBeWrittenToCompile) {
    folder_.write("own.cpp", "void kernel_main() {}\n");
    EXPECT_EQ(run_as_user().exit_code, 0);
    fs::permissions(folder_.path() / "cache", fs::perms::owner_read | fs::perms::owner_exec);
    folder_.write("own.cpp", "void kernel_main() { noc_async_write_barrier(); }\n");

    const Ending ending = run_as_user();

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, StartsWith("tessera: cannot write "));
    EXPECT_THAT(ending.err, EndsWith(" in the kernel cache: Permission denied; TESSERA_CACHE_DIR "
                                     "may name another folder\n"));
}

struct Initialiser {
    const char* name;
    const char* expression;
    const char* end;
};

class CliInitialiserOfAnOp : public CliOwnCode, public testing::WithParamInterface<Initialiser> {};

TEST_P(CliInitialiserOfAnOp, IsRefusedWithTheWayItEnds) {
    const Ending ending = check_initialiser(GetParam().expression);

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.out, "");
    EXPECT_EQ(ending.err, "op.yaml:2:7: ops: op " + folder_.file("mine") +
                              " cannot be loaded: the initialiser of one of its variables " +
                              GetParam().end + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Ends, CliInitialiserOfAnOp,
    testing::Values(
        Initialiser{"Exits", "exit(0)", "ends the process with exit code 0"},
        Initialiser{"ExitsAtOnce", "_exit(7)", "ends the process with exit code 7"},
        Initialiser{"Throws", "throw std::runtime_error(\"no\")", "throws an exception"},
        Initialiser{"Aborts", "abort()", "ends the process by signal 6 (Aborted)"},
        Initialiser{"WritesNowhere", "*nowhere = 1",
                    "ends the process by signal 11 (Segmentation fault)"},
        Initialiser{"Loops", "[] { for (;;) { sleep(1); } }()", "does not end within 10 s"}),
    [](const auto& test) { return std::string(test.param.name); });

/// The shipped example, whose calls a test replaces.
class CliTimedMistake : public testing::Test {
protected:
    CliTimedMistake() {
        fs::copy(fs::path(TESSERA_SOURCE_DIR) / "examples/double", folder_.path());
    }
    void replace(const std::string& file, const std::string& call, const std::string& by) {
        std::string text = bytes_of(folder_.file(file));
        folder_.write(file, text.replace(text.find(call), call.size(), by));
    }
    /// Pops a page more than there is: the reader gives one page at a time.
    void pop_too_many() {
        replace("reader.cpp", "cb_reserve_back(0, 1)", "cb_reserve_back(0, 2)");
        replace("compute.cpp", "cb_pop_front(0, 1)", "cb_pop_front(0, 2)");
    }
    Ending run(const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{"run", "double.yaml", "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_tessera(arguments, folder_.path());
    }

    const ScratchFolder folder_;
};

// The chip's counters wrap around, so that the launch ends; a replay of it cannot.
TEST_F(CliTimedMistake, ThatAReplayCannotFollowIsTheKernels) {
    pop_too_many();

    const Ending ending = run();

    EXPECT_EQ(ending.exit_code, 3);
    EXPECT_EQ(ending.err,
              "tessera: UndefinedBehavior: device 0 core (0,0) compute compute.cpp:13: "
              "cb_pop_front(cb 0, 2) with 1 pages in it: cb_wait_front is missing\n"
              "  the launch went on as on a chip, but cannot be timed after it; without times: "
              "--no-timing\n");
}

TEST_F(CliTimedMistake, EndsWithAVerdictWithoutTimes) {
    pop_too_many();

    EXPECT_EQ(run({"--no-timing"}).exit_code, 1);
}

// A second wait finds its condition met, as on the chip.
TEST_F(CliTimedMistake, IsNoneIfACallChangesNothing) {
    replace("compute.cpp", "tile_regs_wait();", "tile_regs_wait(); tile_regs_wait();");

    EXPECT_EQ(run().exit_code, 0);
}

}  // namespace
}  // namespace tessera::test
