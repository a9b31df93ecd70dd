// SPDX-License-Identifier: Apache-2.0
// tessera kernel check, include roots, DPRINT and the rules of the chip, as users call them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using ::testing::HasSubstr;

/// A folder with kernels that have no program.
class CliKernelCheck : public ::testing::Test {
protected:
    Ending check(const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"kernel", "check"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_tessera(arguments, folder_.path());
    }

    ScratchFolder folder_;
};

TEST_F(CliKernelCheck, NamesAllThatIsMissingAtOnce) {
    folder_.write("reader.cpp",
                  "#include \"api/socket_api.h\"\n#include \"mine/layout.hpp\"\n"
                  "void kernel_main() {\n    first_unknown(); second_unknown(); cb_push_back(0, "
                  "NUM_BLOCKS);\n"
                  "    third_unknown(); fourth_unknown();\n}\n");

    const Ending ending = check({"reader.cpp"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.out,
              "reader.cpp (reader):\n"
              "  'api/socket_api.h' is a header of TT-Metalium that Tessera does not have\n"
              "  'mine/layout.hpp' is not a header of the kernel API; searched: the kernel's "
              "folder. Name its root with --include DIR, `include` of the program, or "
              "TT_METAL_HOME\n"
              "  names that Tessera does not have: first_unknown, second_unknown, third_unknown, "
              "fourth_unknown\n"
              "  words that the program may have to define: NUM_BLOCKS\n");
}

// Tessera has these functions, and clang's advice to write ckernel:: compiles and cannot run.
TEST_F(CliKernelCheck, SaysWhichKernelsMayCallAFunctionOfCompute) {
    folder_.write("reader.cpp",
                  "void kernel_main() {\n    tile_regs_acquire(); pack_tile(0, 16);\n}\n");

    EXPECT_EQ(check({"reader.cpp", "--on", "reader"}).out,
              "reader.cpp (reader):\n"
              "  a kernel that moves data cannot call tile_regs_acquire, pack_tile; allowed in "
              "compute kernels, `on: compute`\n");
}

// Each header that is missing was compiled up to 64 times, and named as often.
TEST_F(CliKernelCheck, NamesAHeaderOfAnotherFolderOnce) {
    folder_.write("writer.cpp",
                  "#include \"../shared/layout.hpp\"\n#include \"args.hpp\"\n"
                  "void kernel_main() { cb_wait_front(0, 1); }\n");

    EXPECT_EQ(check({"writer.cpp"}).out,
              "writer.cpp (writer):\n"
              "  '../shared/layout.hpp' is not a header of the kernel API; searched: the kernel's "
              "folder. Name its root with --include DIR, `include` of the program, or "
              "TT_METAL_HOME\n"
              "  'args.hpp' is not a header of the kernel API; searched: the kernel's folder. Name "
              "its root with --include DIR, `include` of the program, or TT_METAL_HOME\n");
}

TEST_F(CliKernelCheck, FindsHeadersBelowAnIncludeRoot) {
    std::filesystem::create_directories(folder_.path() / "root/mine");
    folder_.write("root/mine/layout.hpp", "constexpr int kRows = 4;\n");
    folder_.write(
        "writer.cpp",
        "#include \"mine/layout.hpp\"\nvoid kernel_main() { cb_wait_front(0, kRows); }\n");

    EXPECT_EQ(check({"writer.cpp"}).exit_code, 2);
    const Ending ending = check({"writer.cpp", "--include", "root"});
    EXPECT_EQ(ending.out, "writer.cpp (writer): compiles\n");
    EXPECT_EQ(ending.exit_code, 0);
}

// Names of arguments, buffers, semaphores and tensors are the program's, as its macros are.
TEST_F(CliKernelCheck, TakesNamesOfArgumentsForWordsOfTheProgram) {
    folder_.write("writer.cpp",
                  "#include \"experimental/kernel_args.h\"\n"
                  "void kernel_main() {\n"
                  "    constexpr uint32_t pages = get_arg(args::pages);\n"
                  "    const auto x = TensorAccessor(tensor::x);\n"
                  "    DataflowBuffer buffer(dfb::in);\n"
                  "    for (uint32_t i = 0; i < pages + get_vararg(0); ++i) {\n"
                  "        buffer.wait_front(1); buffer.pop_front(1);\n"
                  "    }\n"
                  "    noc_semaphore_set(reinterpret_cast<volatile uint32_t*>(uintptr_t{"
                  "get_semaphore(sem::done)}), x.get_noc_addr(0) != 0);\n"
                  "}\n");

    const auto json = nlohmann::json::parse(check({"writer.cpp", "--json"}).out);

    EXPECT_EQ(json.at("kernels")[0].at("needs"), "defines");
    EXPECT_EQ(json.at("kernels")[0].at("names").size(), 0U);
}

// The compiler takes both; a run would refuse them.
TEST_F(CliKernelCheck, RefusesWhatCannotRunAsAKernel) {
    folder_.write("helper.cpp", "void help() { cb_push_back(0, 1); }\n");
    folder_.write("writer.cpp",
                  "void kernel_main() {\n    int cycles = 0;\n"
                  "    asm volatile(\"rdcycle %0\" : \"=r\"(cycles));\n}\n");

    const Ending helper = check({"helper.cpp"});
    const Ending writer = check({"writer.cpp"});

    EXPECT_EQ(helper.exit_code, 2);
    EXPECT_EQ(helper.out,
              "helper.cpp (writer):\n"
              "  error: 0 definitions of void kernel_main(), exactly one is needed\n");
    EXPECT_EQ(writer.exit_code, 2);
    EXPECT_EQ(writer.out,
              "writer.cpp (writer):\n"
              "  writer.cpp:3:18: error: inline assembly \"rdcycle $0\" cannot run here; allowed: "
              "nop, fence, csrr of mhartid, the empty statement\n");
}

// llk_defs.h has enumerations that data-movement kernels name.
TEST_F(CliKernelCheck, TakesAKernelInAFolderOfDataMovementForOne) {
    std::filesystem::create_directories(folder_.path() / "dataflow");
    folder_.write("dataflow/pages.cpp",
                  "#include \"llk_defs.h\"\nvoid kernel_main() { noc_async_write_barrier(); }\n");

    EXPECT_EQ(check({"dataflow/pages.cpp"}).out, "dataflow/pages.cpp (writer): compiles\n");
}

// The first stand-in arguments are 2, 4, 6 …. A kernel may assert other values.
TEST_F(CliKernelCheck, TriesOtherArgumentsThanTheFirst) {
    folder_.write(
        "writer.cpp",
        "template <bool is_last> void push() { cb_push_back(0, is_last); }\n"
        "void kernel_main() {\n"
        "    constexpr uint32_t bytes = get_compile_time_arg_val(3);\n"
        "    static_assert(bytes == 2 || bytes == 4);\n"
        "    if constexpr (get_named_compile_time_arg_val(\"rows\") == 4) { push<1>(); }\n"
        "    static_assert(get_named_compile_time_arg_val(\"rows\") == 4);\n"
        "}\n");
    folder_.write("never.cpp",
                  "void kernel_main() { static_assert(get_compile_time_arg_val(0) == 77); }\n");

    const auto json = nlohmann::json::parse(check({"writer.cpp", "never.cpp", "--json"}).out);

    EXPECT_EQ(json.at("kernels")[0].at("needs"), "nothing");
    EXPECT_EQ(json.at("kernels")[1].at("needs"), "other");
}

TEST_F(CliKernelCheck, CountsTheKernelsOfAFolder) {
    std::filesystem::create_directories(folder_.path() / "kernels");
    folder_.write("kernels/a.cpp", "void kernel_main() { cb_push_back(0, 1); }\n");
    folder_.write("kernels/b.cpp", "void kernel_main() { unknown_call(); }\n");
    folder_.write("kernels/helper.cpp", "int help();\n");

    const auto json = nlohmann::json::parse(check({"kernels", "--json"}).out);

    ASSERT_EQ(json.at("kernels").size(), 2U);
    EXPECT_EQ(json.at("kernels")[0].at("needs"), "nothing");
    EXPECT_EQ(json.at("kernels")[1].at("needs"), "names");
    EXPECT_EQ(json.at("missing").at("unknown_call"), 1);
}

TEST_F(CliKernelCheck, PrintsTheCoverageOfNamesWithATestOfEach) {
    std::filesystem::create_directories(folder_.path() / "kernels");
    std::filesystem::create_directories(folder_.path() / "tests");
    folder_.write("kernels/a.cpp", "void kernel_main() { cb_push_back(0, 1); }\n");
    folder_.write("kernels/b.cpp",
                  "void kernel_main() { cb_push_back(0, NUM_PAGES); unknown_call(); }\n");
    folder_.write("tests/push_test.cpp", "void push() { cb_push_back(0, 1); }\n");

    EXPECT_THAT(check({"kernels", "--coverage", "--tests", "tests"}).out,
                ::testing::EndsWith(
                    "| of 2 kernels | number | share |\n|---|---:|---:|\n"
                    "| compile | 1 | 50.0 % |\n"
                    "| compile; a run ends if it reaches an instruction of the chip | 0 | 0.0 % |\n"
                    "| compile when the program defines its words | 0 | 0.0 % |\n"
                    "| need an include path | 0 | 0.0 % |\n"
                    "| use names that Tessera does not have | 1 | 50.0 % |\n"
                    "| have other errors | 0 | 0.0 % |\n"
                    "\n| name | kernels | supported | test |\n|---|---:|---|---|\n"
                    "| `cb_push_back` | 2 | yes | tests/push_test.cpp |\n"
                    "| `NUM_PAGES` | 1 | a program's word |  |\n"
                    "| `unknown_call` | 1 | no |  |\n"));
}

TEST_F(CliKernelCheck, TriesKernelsWithTheWordsThatAProgramDefines) {
    std::filesystem::create_directories(folder_.path() / "kernels");
    folder_.write("kernels/number.cpp", "void kernel_main() { cb_push_back(0, NUM_BLOCKS); }\n");
    folder_.write("kernels/call.cpp", "void kernel_main() {\n    OUTPUT_STEP\n}\n");
    folder_.write("kernels/wrong.cpp",
                  "void kernel_main() { cb_push_back(NUM_BLOCKS, \"text\"); }\n");

    folder_.write("kernels/list.cpp",
                  "void kernel_main() {\n    constexpr uint8_t chips[4] = CHIPS;\n"
                  "    cb_push_back(0, chips[1]);\n}\n");
    folder_.write("kernels/pasted.cpp",
                  "#define BEFORE(operand) PROCESS_##operand##_FIRST(i)\n"
                  "void kernel_main() { for (int i = 0; i < 2; ++i) { BEFORE(LEFT); } }\n");

    const auto json = nlohmann::json::parse(check({"kernels", "--json"}).out);

    EXPECT_EQ(json.at("kernels")[0].at("path"), "kernels/call.cpp");
    for (const std::size_t with_words : {0, 1, 2, 3}) {
        EXPECT_EQ(json.at("kernels")[with_words].at("needs"), "defines");
    }
    EXPECT_EQ(json.at("kernels")[4].at("needs"), "other");
}

// Undefined words of conditions are 0, so that the compiler misses what is declared below them.
TEST_F(CliKernelCheck, TriesWordsUnderWhichAKernelDeclaresItsNames) {
    std::filesystem::create_directories(folder_.path() / "kernels");
    folder_.write("kernels/declared.cpp",
                  "void kernel_main() {\n#if LEFT_FIRST\n    constexpr auto cb_first = 0;\n#endif\n"
                  "    cb_push_back(cb_first, 1);\n}\n");
    folder_.write("kernels/unknown.cpp",
                  "void kernel_main() {\n#if LEFT_FIRST\n#else\n    unknown_call();\n#endif\n}\n");
    folder_.write("kernels/z_largest.cpp",
                  "template <ckernel::PoolType pool> void fold() {\n"
                  "    static_assert(pool == ckernel::PoolType::MAX);\n}\n"
                  "void kernel_main() { fold<REDUCE_OP>(); }\n");

    const auto json = nlohmann::json::parse(check({"kernels", "--json"}).out);

    EXPECT_EQ(json.at("kernels")[0].at("needs"), "defines");
    EXPECT_EQ(json.at("kernels")[0].at("defines"), nlohmann::json({"LEFT_FIRST"}));
    EXPECT_EQ(json.at("kernels")[1].at("names"), nlohmann::json({"unknown_call"}));
    EXPECT_EQ(json.at("kernels")[2].at("needs"), "defines");
}

TEST_F(CliKernelCheck, ListsInstructionsOfTheChipInAKernelThatCompiles) {
    folder_.write("compute.cpp",
                  "#include \"api/compute/compute_kernel_api.h\"\n"
                  "void kernel_main() {\n    TTI_SFPMAD(p_sfpu::LREG0, 0, 0, 0, 0);\n}\n");

    const Ending ending = check({"compute.cpp"});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_EQ(ending.out,
              "compute.cpp (compute): compiles\n"
              "  instructions of the chip, where a run ends if it reaches them: TTI_SFPMAD\n");
}

/// A run with one kernel of the user's.
class CliOwnProgram : public ::testing::Test {
protected:
    Ending run(const std::string& kernel, const std::vector<std::string>& more) {
        folder_.write("mine.cpp", kernel);
        folder_.write("run.yaml",
                      "mesh: {device: wormhole_n150, shape: [1, 1]}\n"
                      "tensors:\n"
                      "  x: {shape: [32, 32], dtype: bfloat16, layout: tile}\n"
                      "steps:\n"
                      "  - name: mine\n"
                      "    in: [x]\n"
                      "    out: {y: {shape: [32, 32], dtype: bfloat16, layout: tile}}\n"
                      "    program:\n"
                      "      cores: {grid: [2, 1]}\n"
                      "      cbs: {0: {format: bfloat16, pages: 2}}\n"
                      "      kernels:\n"
                      "        - {path: mine.cpp, on: writer}\n");
        std::vector<std::string> arguments{"run", "run.yaml", "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_tessera(arguments, folder_.path());
    }

    ScratchFolder folder_;
};

constexpr const char* kTolerated = "void kernel_main() {\n    cb_push_back(0, 1);\n}\n";

TEST_F(CliOwnProgram, ReportsWhatAChipToleratesOnceALine) {
    const Ending ending = run(kTolerated, {});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_THAT(ending.out, HasSubstr("tolerated: cb_push_back of pages that were not reserved, "
                                      "mine.cpp:2, 2 cores: cb_push_back(cb 0, 1), but this "
                                      "kernel has 0 pages reserved and not pushed: "));
    const auto json = nlohmann::json::parse(run(kTolerated, {"--json"}).out);
    EXPECT_EQ(json.at("findings")[0].at("kind"), "pages_not_reserved");
    EXPECT_EQ(json.at("findings")[0].at("cores"), 2);
}

TEST_F(CliOwnProgram, StrictRunEndsAtIt) {
    const Ending ending = run(kTolerated, {"--strict"});

    EXPECT_EQ(ending.exit_code, 3);
    EXPECT_THAT(ending.err, HasSubstr("mine.cpp:2: cb_push_back(cb 0, 1), but this kernel has 0 "
                                      "pages reserved and not pushed"));
}

constexpr const char* kPrinting =
    "void kernel_main() {\n"
    "    DPRINT << \"row \" << 3 << ' ' << HEX() << 255 << ' ' << F32(1.5f) << ENDL();\n"
    "    DEVICE_PRINT(\"{} of {:#x}\\n\", -2, 16u);\n"
    "    DPRINT(\"{} and {}\\n\", 7, 2.5f);\n"
    "}\n";

TEST_F(CliOwnProgram, PrintsWhatKernelsPrintWithTheirPlace) {
    const std::string err = run(kPrinting, {}).err;

    EXPECT_THAT(err, HasSubstr("device 0 core (0,0) writer: row 3 ff 1.5\n"
                               "device 0 core (0,0) writer: -2 of 0x10\n"
                               "device 0 core (0,0) writer: 7 and 2.5\n"));
    EXPECT_THAT(err, HasSubstr("device 0 core (1,0) writer: row 3 ff 1.5\n"));
    EXPECT_EQ(run(kPrinting, {"--dprint", "off"}).err, "");
}

// 96/64 · 2^(128-127), and -1/4 · 2^(126-127).
TEST_F(CliOwnProgram, PrintsElementsOfBlockFormatsAndFixedTexts) {
    const std::string err =
        run("void kernel_main() {\n"
            "    DEVICE_PRINT(\"{} {} {}\\n\", bf8_t(128, 96), bf4_t(126, 9), CTSTR(\"fixed\"));\n"
            "    DEVICE_PRINT(\"{}\\n\", dp_top_callstack_t::current(0));\n"
            "}\n",
            {})
            .err;

    EXPECT_THAT(err, HasSubstr("writer: 3 -0.125 fixed\n"));
    EXPECT_THAT(err, HasSubstr("writer: (no callstack: the kernel runs as code of the host)\n"));
}

TEST_F(CliOwnProgram, PrintsToAFileAndChangesNoCycle) {
    const auto makespan = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all{"--json"};
        all.insert(all.end(), more.begin(), more.end());
        return nlohmann::json::parse(run(kPrinting, all).out).at("makespan").dump();
    };
    const std::string printed = makespan({"--dprint", "kernels.txt"});

    EXPECT_THAT(bytes_of((folder_.path() / "kernels.txt").string()),
                HasSubstr("device 0 core (1,0) writer: -2 of 0x10\n"));
    EXPECT_EQ(printed, makespan({"--dprint", "off"}));
}

}  // namespace
}  // namespace tessera::test
