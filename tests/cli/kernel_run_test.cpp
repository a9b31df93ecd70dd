// SPDX-License-Identifier: Apache-2.0
// tessera kernel run, as users call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string double_kernel(const std::string& name) {
    return std::string(TESSERA_SOURCE_DIR) + "/examples/double/" + name;
}

/// A copy of tiles from one tensor to another, with one argument whose name says nothing.
constexpr const char* kCopy =
    "#include \"dataflow_api.h\"\n"
    "void kernel_main() {\n"
    "    uint32_t i = 0;\n"
    "    const uint32_t src_addr = get_arg_val<uint32_t>(i++);\n"
    "    const uint32_t dst_addr = get_arg_val<uint32_t>(i++);\n"
    "    const uint32_t mystery = get_arg_val<uint32_t>(i++);\n"
    "    const uint32_t num_tiles = get_arg_val<uint32_t>(i++);\n"
    "    constexpr auto src_args = TensorAccessorArgs<0>();\n"
    "    constexpr auto dst_args = "
    "TensorAccessorArgs<src_args.next_compile_time_args_offset()>();\n"
    "    const auto src = TensorAccessor(src_args, src_addr);\n"
    "    const auto dst = TensorAccessor(dst_args, dst_addr);\n"
    "    for (uint32_t t = 0; t < num_tiles; ++t) {\n"
    "        cb_reserve_back(5, 1);\n"
    "        const uint32_t l1 = get_write_ptr(5);\n"
    "        noc_async_read_tile(t, src, l1);\n"
    "        noc_async_read_barrier();\n"
    "        noc_async_write_tile(t, dst, l1 + mystery);\n"
    "        noc_async_write_barrier();\n"
    "    }\n"
    "}\n";

/// Copies the tiles of a core's share; their number is a compile-time argument.
constexpr const char* kCountedCompute =
    "#include \"compute_kernel_api/tile_move_copy.h\"\n"
    "constexpr uint32_t num_tiles = get_compile_time_arg_val(0);\n"
    "void kernel_main() {\n"
    "    unary_op_init_common(0, 16);\n"
    "    for (uint32_t t = 0; t < num_tiles; ++t) {\n"
    "        cb_wait_front(0, 1); cb_reserve_back(16, 1);\n"
    "        tile_regs_acquire(); copy_tile(0, 0, 0); tile_regs_commit();\n"
    "        tile_regs_wait(); pack_tile(0, 16); tile_regs_release();\n"
    "        cb_pop_front(0, 1); cb_push_back(16, 1);\n"
    "    }\n"
    "}\n";

class CliKernelRun : public ::testing::Test {
protected:
    Ending run_kernel(const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"kernel", "run"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_tessera(arguments, folder_.path());
    }

    ScratchFolder folder_;
};

TEST_F(CliKernelRun, RunsAReaderAComputeKernelAndAWriter) {
    const Ending ending =
        run_kernel({double_kernel("compute.cpp"), double_kernel("writer.cpp"),
                    double_kernel("reader.cpp"), "--in", "x=512x512", "--reference", "2 * x"});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, HasSubstr("8x8, split pages(out)"));
    EXPECT_THAT(ending.out, HasSubstr("core.first"));
    EXPECT_THAT(ending.out, HasSubstr("makespan"));
    EXPECT_THAT(ending.out, HasSubstr("PASS 1 of 1 steps checked"));
}

// Kernels move zeros in place of values, so that a run without values takes the same time.
TEST_F(CliKernelRun, PredictsTheSameTimeWithoutValues) {
    const auto makespan = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{double_kernel("compute.cpp"), "--in", "x=96x64",
                                           "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Ending ending = run_kernel(arguments);
        EXPECT_EQ(ending.exit_code, 0) << ending.err;
        return nlohmann::json::parse(ending.out).at("makespan");
    };

    EXPECT_EQ(makespan({"--timing-only"}), makespan({}));
}

TEST_F(CliKernelRun, RefusesAReferenceOrOutputsWithoutValues) {
    const auto error = [&](const std::string& option, const std::string& value) {
        return run_kernel({double_kernel("compute.cpp"), "--in", "x=64x64", "--timing-only", option,
                           value})
            .err;
    };

    EXPECT_EQ(error("--reference", "2 * x"),
              "tessera: --reference needs values, leave out --timing-only\n");
    EXPECT_EQ(error("--outputs", "y.safetensors"),
              "tessera: --outputs needs values, leave out --timing-only\n");
}

TEST_F(CliKernelRun, GivesAComputeKernelAReaderAndAWriter) {
    const Ending ending = run_kernel(
        {double_kernel("compute.cpp"), "--in", "x=96x64", "--reference", "2 * x", "--quiet"});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, StartsWith("PASS 1 of 1 steps checked"));
}

// 512 / 32 · 160 / 32 = 80 tiles: 16 cores have two and 48 have one.
TEST_F(CliKernelRun, GivesEachGroupOfCoresItsCompileTimeCount) {
    folder_.write("counted.cpp", kCountedCompute);

    const Ending ending =
        run_kernel({"counted.cpp", "--in", "x=512x160", "--reference", "x", "--quiet"});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, StartsWith("PASS 1 of 1 steps checked"));
}

TEST_F(CliKernelRun, ReadsTensorsOfAFileAndWritesOthers) {
    folder_.write("copy.cpp", kCopy);
    const std::vector<std::string> copy{"copy.cpp", "--arg", "writer.mystery=0", "--quiet", "--in"};
    std::vector<std::string> first = copy;
    first.insert(first.end(), {"x=64x64:float32", "--outputs", "one.safetensors"});
    ASSERT_EQ(run_kernel(first).exit_code, 0);

    std::vector<std::string> second = copy;
    second.insert(second.end(), {"one.safetensors:out", "--reference", "one.safetensors"});
    const Ending ending = run_kernel(second);

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, HasSubstr("relative error ≤ 0,"));
}

TEST_F(CliKernelRun, NamesTheArgumentThatItCannotInfer) {
    folder_.write("copy.cpp", kCopy);

    const Ending ending = run_kernel({"copy.cpp", "--in", "x=64x64", "--quiet"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: kernel run: not everything could be inferred\n"
              "  copy.cpp:6: arg 2 'mystery': its value cannot be inferred; give it with "
              "--arg writer.2=VALUE\n");
}

struct RefusedKernelOption {
    const char* name;
    std::vector<std::string> arguments;
    std::string message;
};

void PrintTo(const RefusedKernelOption& option, std::ostream* out) {
    *out << option.name;
}

class RefusedKernelOptions : public CliKernelRun,
                             public ::testing::WithParamInterface<RefusedKernelOption> {};

// These options had no effect, or a message about something else.
TEST_P(RefusedKernelOptions, EndWithTwoAndOneSentence) {
    folder_.write("copy.cpp", kCopy);
    folder_.write("run.yaml", "steps: []\n");

    const Ending ending = run_kernel(GetParam().arguments);

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "tessera: " + GetParam().message + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    CliKernelRun, RefusedKernelOptions,
    ::testing::Values(
        RefusedKernelOption{"ProcessorOfAnotherFile",
                            {"copy.cpp", "--in", "x=32x32", "--on", "copi.cpp=reader"},
                            "--on copi.cpp=reader: copi.cpp is not a kernel of this run; allowed: "
                            "copy.cpp"},
        RefusedKernelOption{"DefineOfAnotherKernel",
                            {"copy.cpp", "--in", "x=32x32", "--define", "redaer.N=1"},
                            "--define redaer.N=1: expected [KERNEL.]NAME=VALUE; allowed kernels: "
                            "reader, writer, compute"},
        RefusedKernelOption{"TwoTensorsOfOneName",
                            {"copy.cpp", "--in", "x=32x32", "--in", "x=64x64"},
                            "--in x: another tensor has this name; allowed: a name for each "
                            "tensor"},
        RefusedKernelOption{"KernelThatDoesNotExist",
                            {"none.cpp", "--in", "x=32x32"},
                            "none.cpp: cannot open: No such file or directory"},
        RefusedKernelOption{"Folder",
                            {".", "--in", "x=32x32"},
                            ".: is a folder, allowed: a regular file or a pipe"},
        RefusedKernelOption{"RunFile",
                            {"run.yaml", "--in", "x=32x32"},
                            "run.yaml: is not a kernel, allowed: C++ sources; a run file is run by "
                            "tessera run run.yaml"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST_F(CliKernelRun, NamesTheTensorThatIsMissing) {
    folder_.write("copy.cpp", kCopy);

    const Ending ending = run_kernel({"copy.cpp", "--arg", "writer.2=0", "--quiet"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err,
                HasSubstr("copy.cpp:4: arg 0 'src_addr' is the address of a tensor, and there are "
                          "only 0; give one more with --in, or its value with --arg "
                          "writer.0=VALUE\n"));
}

TEST_F(CliKernelRun, RefusesAnOptionForAnArgumentThatTheKernelDoesNotRead) {
    folder_.write("copy.cpp", kCopy);

    const Ending ending = run_kernel(
        {"copy.cpp", "--in", "x=64x64", "--arg", "writer.2=0", "--arg", "writer.7=1", "--quiet"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, HasSubstr("--arg writer.7: no such argument; the kernel's arguments "
                                      "are arg 0 'src_addr', arg 1 'dst_addr', arg 2 'mystery', "
                                      "arg 3 'num_tiles'\n"));
}

TEST_F(CliKernelRun, RefusesAnOptionForAKernelThatIsNotGiven) {
    folder_.write("copy.cpp", kCopy);

    const Ending ending =
        run_kernel({"copy.cpp", "--in", "x=64x64", "--arg", "compute.2=0", "--quiet"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, HasSubstr("--arg compute.2: no compute is among the kernels; --on says "
                                      "which kernel is one\n"));
}

TEST_F(CliKernelRun, RefusesTwoKernelsForOneProcessor) {
    const Ending ending =
        run_kernel({double_kernel("compute.cpp"), double_kernel("compute.cpp"), "--in", "x=64x64"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, HasSubstr("both run on the compute; allowed: one kernel for each "
                                      "processor; say which with --on FILE=reader, writer or "
                                      "compute\n"));
}

TEST_F(CliKernelRun, KeepsARunFileThatRuns) {
    ASSERT_EQ(run_kernel({double_kernel("compute.cpp"), "--in", "x=64x64", "--reference", "2 * x",
                          "--save", "kept", "--quiet"})
                  .exit_code,
              0);

    const Ending ending = run_tessera({"run", "kept/compute.yaml", "--quiet"}, folder_.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, StartsWith("PASS 1 of 1 steps checked"));
}

TEST_F(CliKernelRun, LeavesAUsersFilesInTheFolderThatItKeeps) {
    std::filesystem::create_directories(folder_.path() / "kept");
    (void)folder_.write("kept/reader.cpp", "// my own reader\n");

    const Ending ending =
        run_kernel({double_kernel("compute.cpp"), "--in", "x=64x64", "--save", "kept", "--quiet"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err,
                EndsWith("kept/reader.cpp: exists and differs from what would be written; allowed: "
                         "--save with another folder, whose files may be written\n"));
    EXPECT_EQ(bytes_of(folder_.file("kept/reader.cpp")), "// my own reader\n");
}

TEST_F(CliKernelRun, PrintsTheRecordWithWhatItInferred) {
    const Ending ending = run_kernel(
        {double_kernel("compute.cpp"), "--in", "x=64x64", "--cb", "0=pages:8", "--json"});

    ASSERT_EQ(ending.exit_code, 0) << ending.err;
    const auto json = nlohmann::json::parse(ending.out);
    EXPECT_GT(json.at("makespan").at("expected"), 0);
    const auto& inferred = json.at("inferred");
    const auto has = [&](const char* what, const char* value) {
        return std::ranges::any_of(inferred, [&](const auto& row) {
            return row.at("what") == what && row.at("value") == value;
        });
    };
    EXPECT_TRUE(has("cb 0", "bfloat16, 8 pages"));
    EXPECT_TRUE(has("out out", "64x64 bfloat16, tile"));
    EXPECT_TRUE(has("arg 0 count", "core.count"));
}

TEST_F(CliKernelRun, ShowsTheRunFileWithAWrongExpression) {
    const Ending ending = run_kernel(
        {double_kernel("compute.cpp"), "--in", "x=64x64", "--arg", "compute.0=many", "--quiet"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, HasSubstr("many is unknown"));
    EXPECT_THAT(ending.err, HasSubstr("the inferred run file:\n   1  # Written by tessera kernel"));
}

TEST_F(CliKernelRun, NamesTheOptionOfAWrongValueAndNoFileThatItRemoves) {
    const auto first_line = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{double_kernel("compute.cpp"), "--in", "x=64x64",
                                           "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const std::string text = run_kernel(arguments).err;
        return text.substr(0, text.find('\n'));
    };

    EXPECT_EQ(
        first_line({"--fidelity", "Foo"}),
        "the inferred run file:24:26: steps.kernel.program.kernels[1].math_fidelity: expected "
        "LoFi, HiFi2, HiFi3 or HiFi4, found 'Foo'; set --fidelity");
    EXPECT_EQ(
        first_line({"--cb", "0=pages:0"}),
        "the inferred run file:14:38: steps.kernel.program.cbs.0.pages: is 0; allowed: a whole "
        "number, 1 to 4294967295; set --cb");
}

// A path in a temporary folder would differ from run to run, and name no file that exists.
TEST_F(CliKernelRun, NamesKernelsInResultsAsGiven) {
    std::filesystem::create_directories(folder_.path() / "mine");
    (void)folder_.write("mine/double.cpp", bytes_of(double_kernel("compute.cpp")));
    const auto run_once = [&](const std::string& name) {
        const Ending ending = run_kernel({"mine/double.cpp", "--in", "x=64x64", "--quiet",
                                          "--trace", name + ".trace", "--report", name});
        EXPECT_EQ(ending.exit_code, 0) << ending.err;
    };

    run_once("first");
    run_once("second");

    EXPECT_EQ(bytes_of(folder_.file("first.trace")), bytes_of(folder_.file("second.trace")));
    const auto report = nlohmann::json::parse(bytes_of(folder_.file("first") + "/report.json"));
    std::set<std::string> sources;
    for (const auto& [file, text] : report.at("sources").items()) {
        sources.insert(file);
    }
    EXPECT_THAT(sources,
                ::testing::ElementsAre("added reader.cpp", "added writer.cpp", "mine/double.cpp"));
    EXPECT_THAT(report.dump(), Not(HasSubstr("tessera-kernel-")));
    EXPECT_THAT(report.dump(), HasSubstr("the inferred run file:"));
}

TEST_F(CliKernelRun, CallsAKernelThatItAddsAdded) {
    const std::string kernel =
        std::string(TESSERA_SOURCE_DIR) + "/examples/vector_add/kernels/add.cpp";

    EXPECT_EQ(
        run_kernel({kernel, "--in", "x=64x64", "--quiet"}).err,
        "tessera: kernel run: not everything could be inferred\n"
        "  added reader.cpp:8: arg 1 'in1_addr' is the address of a tensor, and there is only "
        "1; give one more with --in, or its value with --arg reader.1=VALUE\n");
}

// `true` closes the pipe before anything is written.
TEST_F(CliKernelRun, LeavesNoFolderWhenTheReaderOfItsPipeEnds) {
    folder_.write("mine.cpp", "void kernel_main() {\n    cb_reserve_back(0, 1);\n}\n");
    const std::string temporary = folder_.file("temporary");
    std::filesystem::create_directory(temporary);
    const std::string command = "cd " + folder_.file("") + " && TMPDIR=" + temporary + " " +
                                TESSERA_BINARY + " kernel run mine.cpp --in x=32x32 | true";

    EXPECT_EQ(std::system(command.c_str()), 0);

    EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST_F(CliKernelRun, SaysWhatATensorMayBe) {
    const std::string kernel = double_kernel("compute.cpp");
    EXPECT_EQ(
        run_kernel({kernel, "--in", "x=64xq"}).err,
        "tessera: --in x=64xq: 'q' is not an extent; allowed: numbers from 1, such as 512x512\n");
    EXPECT_EQ(
        run_kernel({kernel, "--in", "x=64x"}).err,
        "tessera: --in x=64x: '' is not an extent; allowed: numbers from 1, such as 512x512\n");
    EXPECT_EQ(run_kernel({kernel, "--in", "absent.safetensors"}).err,
              "tessera: --in absent.safetensors: no such file; allowed: FILE, FILE:TENSOR, or "
              "NAME=SHAPE for random values\n");
    EXPECT_EQ(run_kernel({kernel, "--in", "x=64x64", "--layout", "y=tile"}).err,
              "tessera: --layout y=tile: expected NAME=LAYOUT of a tensor of --in or --out\n");
}

}  // namespace
}  // namespace tessera::test
