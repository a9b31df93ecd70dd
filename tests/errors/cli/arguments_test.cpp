// SPDX-License-Identifier: Apache-2.0
// Refused command lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using ::testing::HasSubstr;

struct Case {
    const char* name;
    std::vector<std::string> arguments;
    const char* message;
};

// Returns the same message as printed by `check` in place of `run`.
std::string of_check(std::string message) {
    const std::size_t at = message.find("tessera run --help");
    return at == std::string::npos ? message : message.replace(at, 11, "tessera check");
}

class CliArguments : public testing::TestWithParam<Case> {};

TEST_P(CliArguments, AreRefusedWithExitCodeTwo) {
    const Ending ending = run_tessera(GetParam().arguments);

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.out, "");
    EXPECT_EQ(ending.err, std::string(GetParam().message) + "\n");
}

TEST_P(CliArguments, AreRefusedByCheckAsByRun) {
    std::vector<std::string> arguments = GetParam().arguments;
    if (arguments.empty() || arguments.front() != "run") {
        return;
    }
    arguments.front() = "check";

    const Ending ending = run_tessera(arguments);

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, of_check(GetParam().message) + "\n");
}

TEST(CliMissingFile, IsAnsweredWithTheNearest) {
    const Ending ending = run_tessera({"run", "moe_v2_tyni"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: moe_v2_tyni: no such file or shipped configuration; nearest: moe_v2_tiny, "
              "moe_v2_4x8; tessera list configs shows all " +
                  num_shipped({"runs"}) + " runs\n");
}

TEST(CliMissingFile, HasNoNearestNameIfAllAreFar) {
    const Ending ending = run_tessera({"run", "nothing_of_the_kind"});

    EXPECT_EQ(ending.err,
              "tessera: nothing_of_the_kind: no such file or shipped configuration; tessera list "
              "configs shows all " +
                  num_shipped({"runs"}) + " runs\n");
}

TEST(CliHelp, ShowsRangesAndArgumentsThatRepeat) {
    EXPECT_THAT(run_tessera({"run", "--help"}).out, HasSubstr("  --draws N:2-1024 "));
    EXPECT_THAT(run_tessera({"kernel", "run", "--help"}).out,
                HasSubstr("Usage: tessera kernel run [OPTIONS] FILE...\n"));
}

TEST(CliMessages, ShowControlCharactersAsNumbers) {
    const Ending ending = run_tessera({"run", "a.yaml", "--\x1b[31mred\x07"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "tessera: unknown option --\\x1b[31mred\\x07; see tessera run --help\n");
}

TEST(CliMissingFile, MayBeASweepWhereOneIsTaken) {
    const Ending ending = run_tessera({"check", "link_rat"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: link_rat: no such file or shipped configuration; nearest: link_rate; "
              "tessera list configs shows all " +
                  num_shipped({"runs", "sweeps"}) + " runs and sweeps\n");
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, CliArguments,
    testing::Values(
        Case{"Nothing", {}, "tessera: no command given; see tessera --help"},
        Case{"UnknownCommand",
             {"go"},
             "tessera: unknown command go. Allowed: run, exec, model, retime, compare, sweep, "
             "advise, tune, check, kernel, explain, list, moe, new, score; see tessera --help"},
        Case{"MisspeltCommand",
             {"rnu", "moe_v2_tiny"},
             "tessera: unknown command rnu; did you mean run? Allowed: run, exec, model, retime, "
             "compare, sweep, advise, tune, check, kernel, explain, list, moe, new, score; see "
             "tessera "
             "--help"},
        Case{"VersionWithMore",
             {"--version", "extra"},
             "tessera: unexpected argument extra; allowed: --version alone; see tessera --help"},
        Case{"EmptyReference",
             {"kernel", "run", "k.cpp", "--reference", ""},
             "tessera: --reference: the value is empty; leave the option out, or give a value; see "
             "tessera kernel run --help"},
        Case{"HelpWithoutDashes",
             {"help"},
             "tessera: unknown command help; did you mean --help? Allowed: run, exec, model, "
             "retime, compare, sweep, advise, tune, check, kernel, explain, list, moe, new, score; "
             "see "
             "tessera --help"},
        Case{"MisspeltCommandOfMoe",
             {"moe", "chekc"},
             "tessera: unknown command chekc; did you mean check? Allowed: explain, place, check, "
             "profile; see tessera moe --help"},
        Case{"MisspeltOption",
             {"run", "moe_v2_tiny", "--thread", "4"},
             "tessera: unknown option --thread; did you mean --threads? see tessera run --help"},
        Case{"SecondConfig",
             {"run", "moe_v2_tiny", "moe_v2"},
             "tessera: unexpected argument moe_v2; see tessera run --help"},
        Case{"TwoValuesOfOneSet",
             {"run", "moe_v2_tiny", "--set", "params.top_k=1", "params.tokens=2"},
             "tessera: --set takes one KEY=VALUE; write --set 'params.top_k=1' --set "
             "'params.tokens=2'; see tessera run --help"},
        Case{"TwoValuesOfOneSetBeforeTheConfig",
             {"run", "--set", "params.top_k=1", "params.tokens=2", "moe_v2_tiny"},
             "tessera: --set takes one KEY=VALUE; write --set 'params.top_k=1' --set "
             "'params.tokens=2'; see tessera run --help"},
        Case{"NoConfig", {"run"}, "tessera: CONFIG is required; see tessera run --help"},
        Case{"UnknownOption",
             {"run", "moe_v2_tiny", "--fast"},
             "tessera: unknown option --fast; see tessera run --help"},
        Case{"UnknownListing",
             {"list", "kernels"},
             "tessera: WHAT: 'kernels' is unknown. Allowed: archs, configs, device-keys, keys, "
             "models, ops; see tessera list --help"},
        Case{"MisspeltListing",
             {"list", "modles"},
             "tessera: WHAT: 'modles' is unknown; did you mean models? Allowed: archs, configs, "
             "device-keys, keys, models, ops; see tessera list --help"},
        Case{"KernelWithoutCommand",
             {"kernel"},
             "tessera: no command given; allowed: run, check; see tessera kernel --help"},
        Case{"NothingToCheck",
             {"kernel", "check"},
             "tessera: PLACE is required; see tessera kernel check --help"},
        Case{"TooFewDraws",
             {"run", "moe_v2_tiny", "--draws", "1"},
             "tessera: --draws 1: allowed: 2 to 1024; see tessera run --help"},
        Case{"DrawsInAWord",
             {"run", "moe_v2_tiny", "--draws", "x"},
             "tessera: --draws x: allowed: 2 to 1024; see tessera run --help"},
        Case{"OptionInPlaceOfTheProgram",
             {"exec", "--foo"},
             "tessera: unknown option --foo; see tessera exec --help"},
        Case{"PagesOfAListWithoutPages",
             {"list", "ops", "--markdown", "pages"},
             "tessera: list --markdown: ops, allowed: device-keys, keys"},
        Case{"PagesOfAFile",
             {"list", "keys", "--markdown", "/dev/null"},
             "tessera: --markdown /dev/null: is a file, allowed: a folder"},
        Case{"NoThreads",
             {"run", "moe_v2_tiny", "--threads", "0"},
             "tessera: --threads 0: allowed: 1 to 1024; without it, one for each core of the host"},
        Case{
            "NegativeThreads",
            {"run", "moe_v2_tiny", "--threads=-1"},
            "tessera: --threads -1: allowed: 1 to 1024; without it, one for each core of the host"},
        Case{
            "GarbageThreads",
            {"run", "moe_v2_tiny", "--threads", "2x"},
            "tessera: --threads 2x: allowed: 1 to 1024; without it, one for each core of the host"},
        Case{"HugeThreads",
             {"run", "moe_v2_tiny", "--threads", "99999999999"},
             "tessera: --threads 99999999999: allowed: 1 to 1024; without it, one for each core of "
             "the host"},
        Case{"EmptyThreads",
             {"run", "moe_v2_tiny", "--threads", ""},
             "tessera: --threads : allowed: 1 to 1024; without it, one for each core of the host"},
        Case{
            "OutputsAreAFolder",
            {"run", "moe_v2_tiny", "--outputs", "/tmp"},
            "tessera: --outputs /tmp: is a folder, allowed: a new name, or a regular file that may "
            "be written"},
        Case{"OutputsWithoutAName",
             {"run", "moe_v2_tiny", "--outputs", ""},
             "tessera: --outputs: the name is empty"},
        Case{"InputsWithoutAName",
             {"run", "moe_v2_tiny", "--inputs", ""},
             "tessera: --inputs: the name is empty"},
        Case{"DrawsWithoutTiming",
             {"run", "moe_v2_tiny", "--draws", "4", "--no-timing"},
             "tessera: --draws draws times, leave out --no-timing"},
        Case{"PrintsInAMissingFolder",
             {"run", "moe_v2_tiny", "--dprint", "nodir/z"},
             "tessera: --dprint nodir/z: cannot be created in nodir (No such file or directory), "
             "allowed: a new name, or a regular file that may be written"},
        Case{"SetOfBWithoutValue",
             {"compare", "moe_v2_tiny", "--set-b", "mesh.shape"},
             "--set-b mesh.shape: expected key.path=value"},
        Case{"MeshWithoutDevices",
             {"exec", "--mesh", "0x1", "true"},
             "tessera: --mesh: mesh 0x1: allowed: 1 to 256 devices"},
        Case{"KernelsInAMissingFolder",
             {"kernel", "check", "nodirX"},
             "tessera: nodirX: no such file or folder"},
        Case{"TraceIsAFolder",
             {"run", "moe_v2_tiny", "--trace", "/tmp"},
             "tessera: --trace /tmp: is a folder, allowed: a new name, or a regular file that may "
             "be written"},
        Case{"TraceIsTheOutputs",
             {"run", "moe_v2_tiny", "--trace", "out", "--outputs", "out"},
             "tessera: --trace out is the file of --outputs"},
        Case{"SetWithoutValue",
             {"check", "moe_v2_tiny", "--set", "mesh.shape"},
             "--set mesh.shape: expected key.path=value"},
        Case{"UnknownSetKey",
             {"run", "moe_v2_tiny", "--set", "mesh.shap=[1,4]"},
             "--set mesh.shap=[1,4]: mesh.shap: unknown key, did you mean mesh.shape?"},
        Case{"UnknownDeviceOfAModel",
             {"model", "mixtral-8x7b", "--device", "n150"},
             "tessera model (--device): mesh.device: 'n150' is unknown, did you mean "
             "wormhole_n150? Allowed: blackhole_p150, wormhole_n150"},
        Case{"PlotOfAnotherFormat",
             {"advise", "copy", "--plot", "x.png"},
             "tessera: --plot x.png: its ending is .png, allowed: .svg, the format that the option "
             "writes; write --plot x.svg"},
        Case{"PlotOfScoresOfAnotherFormat",
             {"score", "--plot", "x.pdf"},
             "tessera: --plot x.pdf: its ending is .pdf, allowed: .svg, the format that the option "
             "writes; write --plot x.svg"},
        Case{"TableOfScoresOfAnotherFormat",
             {"score", "--csv", "x.xlsx"},
             "tessera: --csv x.xlsx: its ending is .xlsx, allowed: .csv, the format that the "
             "option writes; write --csv x.csv"},
        Case{"PageOfAnotherFormat",
             {"compare", "copy", "exp", "--html", "/tmp/x.json"},
             "tessera: --html /tmp/x.json: its ending is .json, allowed: .html, the format that "
             "the option writes; write --html /tmp/x.html"},
        Case{"OutputsOfAnotherFormat",
             {"run", "copy", "--outputs", "x.npz"},
             "tessera: --outputs x.npz: its ending is .npz, allowed: .safetensors, the format that "
             "the option writes; write --outputs x.safetensors"},
        Case{"StateOfAnotherFormat",
             {"run", "copy", "--state", "x.pt"},
             "tessera: --state x.pt: its ending is .pt, allowed: .safetensors, the format that the "
             "option writes; write --state x.safetensors"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CliOutput, IsNotLostInSilence) {
    const Ending ending = run_tessera({"list", "ops"}, {}, "/dev/full");

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "tessera: standard output cannot be written: is its disk full?\n");
}

TEST(CliOutputs, AreRefusedBeforeTheRunIfTheyCannotBeWritten) {
    const Ending ending =
        run_tessera({"run", "moe_v2_tiny", "--outputs", "/nowhere/out.safetensors"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.out, "");
    EXPECT_EQ(ending.err,
              "tessera: --outputs /nowhere/out.safetensors: cannot be created in /nowhere (No such "
              "file or directory), allowed: a new name, or a regular file that may be written\n");
}

}  // namespace
}  // namespace tessera::test
