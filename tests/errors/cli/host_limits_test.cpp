// SPDX-License-Identifier: Apache-2.0
// Refusals of the host are reported as such, not as an internal error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <thread>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<std::string> kTiny{"run", "moe_v2_tiny", "--threads", "4", "--quiet"};

std::vector<std::string> tiny_with(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = kTiny;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

TEST(CliHostLimit, OfAddressSpaceNamesWhatWasToBeReserved) {
    const Ending ending = run_limited(kTiny, RLIMIT_AS, std::uint64_t{4} << 30U);

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: the host cannot reserve 12884901888 bytes of address space for a device's "
              "DRAM: Cannot allocate memory; is it limited (ulimit -v or -d)?\n");
}

TEST(CliHostLimit, OfAddressSpaceNamesTheCoresWhoseWindowsDoNotFit) {
    const Ending ending = run_limited(kTiny, RLIMIT_AS, std::uint64_t{40} << 30U);

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(
        ending.err,
        "tessera: the host cannot reserve 260 GiB of address space for the windows of 64 cores: "
        "Cannot allocate memory; is it limited (ulimit -v)?\n");
}

TEST(CliHostLimit, OfDataNamesWhatWasToBeReserved) {
    const Ending ending = run_limited(kTiny, RLIMIT_DATA, std::uint64_t{4} << 30U);

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, StartsWith("tessera: the host cannot reserve 12884901888 bytes "));
}

TEST(CliHostLimit, OfThreadsIsNamed) {
    // The limit counts all processes of the user. While another test runs as this user, no program
    // starts.
    constexpr int kNotStarted = 126;
    Ending ending = run_limited(kTiny, RLIMIT_NPROC, 1);
    for (int attempt = 0; attempt < 50 && ending.exit_code == kNotStarted; ++attempt) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        ending = run_limited(kTiny, RLIMIT_NPROC, 1);
    }

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, StartsWith("tessera: the host refuses: "));
    EXPECT_THAT(ending.err, EndsWith("Resource temporarily unavailable\n"));
}

// The smallest likely value of `ulimit -s`; thread stacks have this size.
TEST(CliHostLimit, OfStacksLeavesEnoughToRun) {
    const Ending ending = run_limited(kTiny, RLIMIT_STACK, std::uint64_t{64} << 10U);

    EXPECT_EQ(ending.err, "");
    EXPECT_EQ(ending.exit_code, 0);
}

class CliFileSizeLimit : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(CliFileSizeLimit, NamesTheFileAndLeavesNone) {
    const ScratchFolder folder;
    fs::permissions(folder.path(), fs::perms::all);
    std::vector<std::string> arguments = tiny_with(GetParam());

    const Ending ending = run_limited(arguments, RLIMIT_FSIZE, 4096, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, StartsWith("tessera: out"));
    EXPECT_THAT(ending.err, HasSubstr(": cannot write "));
    EXPECT_THAT(ending.err, EndsWith(": File too large\n"));
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
        EXPECT_TRUE(entry.is_directory()) << entry.path();
    }
}

INSTANTIATE_TEST_SUITE_P(EachWriter, CliFileSizeLimit,
                         testing::Values(std::vector<std::string>{"--outputs", "out"},
                                         std::vector<std::string>{"--trace", "out"},
                                         std::vector<std::string>{"--report", "out"}));

// 256 experts of 3 × 32768 × 32768 weights of 2 bytes are 1.5 TiB, and an eighth more is 1.7 TiB.
TEST(CliHostMemory, IsEstimatedBeforeAnythingIsAllocated) {
    for (const char* command : {"check", "run"}) {
        const Ending ending =
            run_tessera({command, "moe_v2", "--set", "params.hidden=32768", "--set",
                         "params.intermediate=32768", "--set", "mesh.shape=[16,16]", "--set",
                         "params.experts=256", "--set", "set.moe_bmm.k_block=1", "--set",
                         "set.all_reduce.algorithm=ring"});

        EXPECT_EQ(ending.exit_code, 2);
        EXPECT_EQ(ending.out, "");
        EXPECT_THAT(ending.err,
                    StartsWith("tessera: the values of this pipeline take 1.7 TiB of the "
                               "host's memory, but "));
        EXPECT_THAT(ending.err,
                    EndsWith("; make it smaller, or add --timing-only, which computes none\n"));
    }
}

TEST(CliHostMemory, IsNotAskedForWithoutValues) {
    const Ending ending = run_tessera(
        {"check", "moe_v2", "--timing-only", "--set", "params.hidden=32768", "--set",
         "params.intermediate=32768", "--set", "mesh.shape=[16,16]", "--set", "params.experts=256",
         "--set", "set.moe_bmm.k_block=1", "--set", "set.all_reduce.algorithm=ring"});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_EQ(ending.out, "moe_v2: ok\n");
}

TEST(CliConfigFile, OfAnySizeIsNotReadToItsEnd) {
    const ScratchFolder folder;
    folder.write("huge.yaml", std::string((std::size_t{16} << 20U) + 1, '#'));

    const Ending ending = run_tessera({"check", "huge.yaml"}, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: huge.yaml: is larger than 16777216 bytes, the most that is allowed\n");
}

// Each key is reported once; 100000 keys took minutes.
TEST(CliConfigFile, MayHaveAnyNumberOfUnknownKeys) {
    const ScratchFolder folder;
    std::string text;
    for (int i = 0; i < 100000; ++i) {
        text += "key" + std::to_string(i) + ": 1\n";
    }
    folder.write("keys.yaml", text);

    const Ending ending = run_tessera({"check", "keys.yaml"}, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, HasSubstr("\nkeys.yaml:100000:1: key99999: unknown key, "));
}

TEST(CliJson, NeedsNamesInUtf8) {
    const ScratchFolder folder;
    const std::string name = "caf\xE9.yaml";
    folder.write(name, bytes_of(TESSERA_SOURCE_DIR "/configs/runs/moe_v2_tiny.yaml"));

    const Ending ending = run_tessera({"run", name, "--json"}, folder.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "tessera: a name in the JSON is not valid UTF-8\n");
}

}  // namespace
}  // namespace tessera::test
