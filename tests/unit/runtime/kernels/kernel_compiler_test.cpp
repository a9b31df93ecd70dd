// SPDX-License-Identifier: Apache-2.0
// Compiles kernels against tests/unit/emu/kernel_pass/probe.hpp in place of the kernel API.
#include "runtime/kernels/kernel_compiler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <future>
#include <string>
#include <vector>

#include "runtime/kernels/kernel_loader.hpp"
#include "runtime/log/log.hpp"
#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/unit/emu/kernel_pass/core_window.hpp"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

KernelToolchain probe_toolchain() {
    KernelToolchain toolchain = find_kernel_toolchain(std::getenv("PATH"));
    toolchain.umbrella = TESSERA_SOURCE_DIR "/tests/unit/emu/kernel_pass/probe.hpp";
    return toolchain;
}

class KernelCompilerTest : public testing::Test {
protected:
    static std::filesystem::path compile(const KernelSource& source) {
        // All tests share one cache: each test is a process and would precompile the standard
        // headers.
        const auto program = std::filesystem::read_symlink("/proc/self/exe");
        static const KernelCompiler compiler(probe_toolchain(),
                                             program.parent_path() / "kernel_cache");
        return compiler.shared_object(
            compile_unit_of(source, compiler.toolchain(), CompileArgs::Constants));
    }
    std::vector<std::uint64_t> run(const KernelSource& source) {
        return core_.launch(load_kernel(compile(source), source.path), source.processor);
    }

    ScratchFolder folder_;
    CoreWindow core_;
};

KernelSource source_of(std::string text) {
    return {.path = "made/up.cpp", .text = std::move(text)};
}

TEST_F(KernelCompilerTest, CompileTimeArgumentsAreConstants) {
    KernelSource source = source_of(R"(
        constexpr std::uint32_t kArgs[] = {KERNEL_COMPILE_TIME_ARGS};
        struct Named { std::string_view name; std::uint32_t value; };
        constexpr Named kNamed[] = {KERNEL_COMPILE_TIME_ARG_MAP};
        static_assert(kNamed[0].name == "blocks" && kNamed[1].name == "rows");
        void kernel_main() {
            std::uint32_t bounds[kArgs[1]] = {};
            probe_result(sizeof bounds / sizeof bounds[0]);
            probe_result(kNamed[1].value);
        })");
    source.compile_args = {3, 5, 7};
    source.named_compile_args = {{"rows", 11}, {"blocks", 2}};

    EXPECT_THAT(run(source), ElementsAre(5, 11));
}

TEST_F(KernelCompilerTest, ASourceThatAsksTheProgramInAConstexprNeedsConstants) {
    const auto needs = [](const char* text) { return needs_constants({.text = text}, {}); };

    EXPECT_TRUE(needs("constexpr uint32_t n = get_compile_time_arg_val(0);"));
    EXPECT_TRUE(needs("constexpr auto n =\n    get_named_compile_time_arg_val(\"n\");"));
    EXPECT_TRUE(needs("int a; if constexpr (get_compile_time_arg_val(1) == 2) {}"));
    EXPECT_TRUE(needs("constexpr uint32_t bytes = get_tile_size(0);"));
    EXPECT_TRUE(needs("constexpr DataFormat format = get_dataformat(0);"));
    EXPECT_TRUE(needs("constexpr uint32_t format = unpack_src_format[0];"));
    EXPECT_FALSE(needs("constexpr uint32_t cb = 0; const uint32_t bytes = get_tile_size(cb);"));
    EXPECT_FALSE(needs("constexpr uint32_t k = 7; uint32_t n = get_compile_time_arg_val(0);"));
    EXPECT_FALSE(needs("constexpr uint32_t n() { return 7; } void f() {}"));
    EXPECT_FALSE(needs("constexpr"));
}

TEST_F(KernelCompilerTest, ArgumentsThatMayBeAShardedTensorsAccessorNeedConstants) {
    const auto needs = [](std::vector<std::uint32_t> args) {
        return needs_constants({.text = "void kernel_main() {}"}, args);
    };
    // Flags, page size, rank 2, three banks, two shapes, their coordinates two per word.
    const std::vector<std::uint32_t> sharded{3, 2048, 2, 3, 4, 4, 2, 4, 0x00020001, 3};

    EXPECT_TRUE(needs(sharded));
    std::vector<std::uint32_t> behind_others{7, 2, 2048};
    behind_others.insert(behind_others.end(), sharded.begin(), sharded.end());
    EXPECT_TRUE(needs(behind_others));
    EXPECT_FALSE(needs({2, 2048, 2, 2048, 8, 1})) << "interleaved, and numbers";
    EXPECT_FALSE(needs({sharded.begin(), sharded.end() - 1})) << "one word too few";
    EXPECT_FALSE(needs({}));
}

TEST_F(KernelCompilerTest, DefinesAndPrologueAreSeen) {
    KernelSource source = source_of("void kernel_main() { STATEMENT }");
    source.defines = {{"STATEMENT", "probe_result(kTable[1]); probe_result(2);"}};
    source.prologue = "constexpr int kTable[] = {8, 9};";

    EXPECT_THAT(run(source), ElementsAre(9, 2));
}

TEST_F(KernelCompilerTest, EachProcessorHasItsDefine) {
    const std::string text = R"(void kernel_main() {
        #if defined(COMPILE_FOR_BRISC)
            probe_result(0);
        #elif defined(COMPILE_FOR_NCRISC)
            probe_result(1);
        #elif defined(COMPILE_FOR_TRISC)
            probe_result(2);
        #endif
        })";
    for (const auto processor : {Processor::Riscv0, Processor::Riscv1, Processor::Compute}) {
        KernelSource source = source_of(text);
        source.processor = processor;

        EXPECT_THAT(run(source), ElementsAre(static_cast<std::uint64_t>(processor)));
    }
}

TEST_F(KernelCompilerTest, MessagesAndCallSitesNameThePathAsGiven) {
    const auto results =
        run(source_of("void kernel_main() {\n"
                      "    probe_result(std::string_view(__builtin_FILE()) == \"made/up.cpp\");\n"
                      "    probe_result(__builtin_LINE());\n}"));

    EXPECT_THAT(results, ElementsAre(1, 3));
}

TEST_F(KernelCompilerTest, LogSaysWhatWasCompiledAndWhatWasCached) {
    // A fresh cache does not contain the kernel that other tests share.
    const KernelCompiler compiler(probe_toolchain(), folder_.path());
    const CompileUnit unit = compile_unit_of(source_of("void kernel_main() {}"),
                                             compiler.toolchain(), CompileArgs::Read);
    log::set_levels("jit=info", "test");
    testing::internal::CaptureStderr();

    const std::string made = compiler.shared_object(unit).string();
    const std::string first = testing::internal::GetCapturedStderr();
    testing::internal::CaptureStderr();
    (void)compiler.shared_object(unit);

    EXPECT_THAT(first, testing::ContainsRegex(" jit info: made/up.cpp: compiled in [0-9.]+ s to " +
                                              made + "\n$"));
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                testing::EndsWith(" jit info: made/up.cpp: cached as " + made + "\n"));
    log::set_levels("warn", "test");
}

TEST_F(KernelCompilerTest, FindsHeadersBesideTheKernelAndNoticesTheirChange) {
    folder_.write("value.hpp", "constexpr int kValue = 1;");
    const auto path = folder_.write(
        "kernel.cpp", "#include \"value.hpp\"\nvoid kernel_main() { probe_result(kValue); }");
    const KernelSource source{.path = path.string()};
    EXPECT_THAT(run(source), ElementsAre(1));

    folder_.write("value.hpp", "constexpr int kValue = 2;");

    EXPECT_THAT(run(source), ElementsAre(2));
}

TEST_F(KernelCompilerTest, KnowsTheHeaderNamesOfBothApiGenerations) {
    EXPECT_THAT(run(source_of("#include \"api/dataflow/dataflow_api.h\"\n"
                              "#include \"compute_kernel_api/eltwise_unary/exp.h\"\n"
                              "void kernel_main() { probe_result(6); }")),
                ElementsAre(6));
}

// `long` has 32 bits on the chip, so that both returns have one type there.
TEST_F(KernelCompilerTest, AcceptsSpellingsOfTheChipsCompiler) {
    folder_.write("chip.hpp",
                  "inline auto found(uint32_t x) {\n"
                  "    if (x == 0) { return std::make_tuple(false, 0ul); }\n"
                  "    return std::make_tuple(true, x);\n"
                  "}\n");
    const auto path = folder_.write("kernel.cpp",
                                    "#include <tuple>\n#include \"chip.hpp\"\n"
                                    "void kernel_main() {\n"
                                    "    uint32_t sum = 0;\n"
                                    "#pragma GCC unroll 0\n"
                                    "    for (uint32_t i = 1; i < 4; ++i) {\n"
                                    "        sum += std::get<1>(found(i));\n"
                                    "    }\n"
                                    "    probe_result(sum);\n}\n");

    EXPECT_THAT(run(KernelSource{.path = path.string()}), ElementsAre(6));
}

TEST_F(KernelCompilerTest, CompilesTheSameKernelOnce) {
    const KernelSource source = source_of("void kernel_main() { probe_result(1); }");
    const auto object = compile(source);
    const auto written = std::filesystem::last_write_time(object);

    EXPECT_EQ(compile(source), object);
    EXPECT_EQ(std::filesystem::last_write_time(object), written);
}

TEST_F(KernelCompilerTest, TwoThreadsMayCompileTheSameKernel) {
    KernelSource source = source_of("void kernel_main() { probe_result(77); }");
    source.defines = {{"THIS_RUN", std::to_string(getpid())}};  // not in the cache yet

    auto other = std::async(std::launch::async, [&] { return compile(source); });
    const auto object = compile(source);

    EXPECT_EQ(other.get(), object);
    EXPECT_THAT(run(source), ElementsAre(77));
}

TEST_F(KernelCompilerTest, NamesAnApiFunctionThatDoesNotExist) {
    const KernelSource source = source_of("void kernel_main() {\n    cb_reserve_bock(0, 1);\n}");

    EXPECT_THAT([&] { compile(source); },
                ThrowsMessage<UsageError>(
                    "kernel made/up.cpp does not compile:\n"
                    "  made/up.cpp:2:5: error: use of undeclared identifier 'cb_reserve_bock'"));
}

TEST_F(KernelCompilerTest, SaysWhichArgumentsACallLacks) {
    const KernelSource source = source_of(
        "void twice(int, int);\nvoid twice(int*, int);\n"
        "void kernel_main() {\n    twice(1);\n    twice(1.5f, kernel_main);\n}");

    EXPECT_THAT(
        [&] { compile(source); },
        ThrowsMessage<UsageError>(
            "kernel made/up.cpp does not compile:\n"
            "  made/up.cpp:4:5: error: no matching function for call to 'twice'; requires 2 "
            "arguments, but 1 was provided\n"
            "  made/up.cpp:5:5: error: no matching function for call to 'twice'; no known "
            "conversion from 'void ()' to 'int' for 2nd argument; no known conversion from 'float' "
            "to 'int *' for 1st argument"));
}

TEST_F(KernelCompilerTest, NamesTheCallOfATemplateThatDoesNotCompile) {
    const KernelSource source = source_of(
        "#include \"tessera/kernel/compute/sfpi_functions.hpp\"\nvoid twice() {}\n"
        "void kernel_main() {\n    ckernel::llk_math_eltwise_unary_sfpu_init(twice, 2);\n}");

    EXPECT_THAT(
        [&] { compile(source); },
        testing::ThrowsMessage<UsageError>(testing::AllOf(
            HasSubstr("sfpi_functions.hpp:"),
            testing::EndsWith("error: too many arguments to function call, expected 0, have 1; "
                              "called at made/up.cpp:4:14"))));
}

TEST_F(KernelCompilerTest, NamesACompileTimeArgumentThatTheProgramDoesNotGive) {
    KernelSource source = source_of(
        "#include \"tessera/kernel/dataflow/args.hpp\"\nvoid kernel_main() {\n"
        "    constexpr uint32_t n = get_compile_time_arg_val(2);\n    probe_result(n);\n}");
    source.compile_args = {7, 8};

    EXPECT_THAT(
        [&] { compile(source); },
        ThrowsMessage<UsageError>("kernel made/up.cpp does not compile:\n"
                                  "  made/up.cpp:3:24: error: constexpr variable 'n' must be "
                                  "initialized by a constant expression\n"
                                  "  the kernel reads compile-time argument 2; the program "
                                  "gives 2"));
}

TEST_F(KernelCompilerTest, NamesANamedCompileTimeArgumentThatTheProgramDoesNotGive) {
    KernelSource source = source_of(
        "#include \"tessera/kernel/dataflow/args.hpp\"\nvoid kernel_main() {\n"
        "    constexpr uint32_t n = get_named_compile_time_arg_val(\"depth\");\n"
        "    probe_result(n);\n}");
    source.named_compile_args = {{"width", 2}};

    EXPECT_THAT(
        [&] { compile(source); },
        ThrowsMessage<UsageError>("kernel made/up.cpp does not compile:\n"
                                  "  made/up.cpp:3:24: error: constexpr variable 'n' must be "
                                  "initialized by a constant expression\n"
                                  "  the kernel reads the named compile-time argument "
                                  "'depth'; the program does not give it"));
}

TEST_F(KernelCompilerTest, NamesAFunctionThatIsOnlyDeclared) {
    const KernelSource source =
        source_of("void not_there(unsigned);\nvoid kernel_main() { not_there(1); }");

    EXPECT_THAT([&] { run(source); },
                ThrowsMessage<UsageError>("kernel made/up.cpp uses not_there(unsigned int), which "
                                          "is declared but which this program does not define"));
}

TEST_F(KernelCompilerTest, RefusesASourceWithoutKernelMain) {
    EXPECT_THAT([&] { compile(source_of("int kernel_mian() { return 1; }")); },
                ThrowsMessage<UsageError>(
                    "kernel made/up.cpp does not compile:\n"
                    "  error: 0 definitions of void kernel_main(), exactly one is needed"));
}

TEST_F(KernelCompilerTest, AcceptsKernelMainInANamespace) {
    EXPECT_THAT(run(source_of("namespace NAMESPACE { void kernel_main() { probe_result(4); } }")),
                ElementsAre(4));
}

TEST_F(KernelCompilerTest, RefusesOtherAssembly) {
    EXPECT_THAT([&] { compile(source_of("void kernel_main() { asm volatile(\"mv sp, a0\"); }")); },
                ThrowsMessage<UsageError>(HasSubstr(
                    "inline assembly \"mv sp, a0\" cannot run here; allowed: nop, fence, csrr of "
                    "mhartid, the empty statement")));
}

TEST_F(KernelCompilerTest, AcceptsQuotesAndSpacesInAKernelsPath) {
    folder_.write("a value#.hpp", "constexpr int kValue = 3;");
    const auto path = folder_.write("my \"own\" $kernel.cpp",
                                    "#include \"a value#.hpp\"\n"
                                    "void kernel_main() { probe_result(kValue); }");
    const KernelSource source{.path = path.string()};

    EXPECT_THAT(run(source), ElementsAre(3));
}

// Returns a compiler with the test's own cache.
KernelCompiler compiler_in(const ScratchFolder& folder, const std::string& search_path) {
    KernelToolchain toolchain = find_kernel_toolchain(search_path);
    toolchain.umbrella = TESSERA_SOURCE_DIR "/tests/unit/emu/kernel_pass/probe.hpp";
    return {toolchain, folder.path() / "cache"};
}

std::filesystem::path object_of(const KernelCompiler& compiler, const KernelSource& source) {
    return compiler.shared_object(
        compile_unit_of(source, compiler.toolchain(), CompileArgs::Constants));
}

TEST_F(KernelCompilerTest, AWarmCacheNeedsNoCompiler) {
    const KernelSource source = source_of("void kernel_main() { probe_result(8); }");
    const auto object = object_of(compiler_in(folder_, std::getenv("PATH")), source);

    const KernelCompiler without = compiler_in(folder_, "/nowhere");

    EXPECT_EQ(object_of(without, source), object);
    EXPECT_THAT(
        [&] { object_of(without, source_of("void kernel_main() { probe_result(9); }")); },
        ThrowsMessage<UsageError>(
            "clang++-" TESSERA_CLANG_VERSION
            " is needed to compile kernels that are not built in, and is not on PATH; on Debian: "
            "apt-get install clang-" TESSERA_CLANG_VERSION));
}

TEST_F(KernelCompilerTest, RebuildsAnObjectThatWasCutShort) {
    const KernelSource source = source_of("void kernel_main() { probe_result(10); }");
    std::filesystem::resize_file(object_of(compiler_in(folder_, std::getenv("PATH")), source), 0);

    const auto rebuilt = object_of(compiler_in(folder_, std::getenv("PATH")), source);

    EXPECT_THAT(core_.launch(load_kernel(rebuilt, source.path), source.processor), ElementsAre(10));
}

// A tool that fails without a line that explains it, as on a full disk or when the plugin crashes.
struct Failure {
    const char* name;
    const char* script;
    const char* complaint;
};

void PrintTo(const Failure& failure, std::ostream* out) {
    *out << failure.name;
}

class FailingCompiler : public testing::TestWithParam<Failure> {};

TEST_P(FailingCompiler, IsNamedWithItsExitStatusAndItsOutput) {
    const ScratchFolder folder;
    KernelToolchain toolchain = probe_toolchain();
    toolchain.compiler = folder.write("clang", std::string("#!/bin/sh\n") + GetParam().script);
    std::filesystem::permissions(toolchain.compiler, std::filesystem::perms{0700});
    const KernelCompiler compiler(toolchain, folder.path() / "cache");

    EXPECT_THAT([&] { object_of(compiler, source_of("void kernel_main() {}")); },
                ThrowsMessage<UsageError>("the standard headers of kernels do not compile: " +
                                          toolchain.compiler.string() + GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    KernelCompiler, FailingCompiler,
    testing::Values(Failure{"Silent", "exit 3", " ended with exit status 3 without output"},
                    Failure{"Talkative", "echo LLVM is full; exit 70",
                            " ended with exit status 70:\nLLVM is full\n"},
                    Failure{"Killed", "kill -9 $$", " ended with exit status 137 without output"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tessera
