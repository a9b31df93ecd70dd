// SPDX-License-Identifier: Apache-2.0
// User kernels in place of built-in ones: by --kernel, and by editing their files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

constexpr const char* kKernel = "ops/scale/kernels/compute.cpp";

std::string built_in_text() {
    return bytes_of(std::string(TESSERA_SOURCE_DIR) + "/" + kKernel);
}

/// Returns the built-in kernel with one word changed: it adds the factor.
std::string adding_text() {
    std::string text = built_in_text();
    const std::string call = "mul_unary_tile";
    return text.replace(text.find(call), call.size(), "add_unary_tile");
}

/// Returns the summary line with the time of a run and of its draws.
std::string makespan_of(const Ending& ending) {
    const std::size_t start = ending.out.find("  makespan ");
    return start == std::string::npos
               ? ending.err
               : ending.out.substr(start, ending.out.find('\n', start) - start);
}

/// A folder with a run of the op `scale`, factor 3.
class CliOwnKernels : public ::testing::Test {
protected:
    CliOwnKernels() {
        folder_.write(
            "scale.yaml",
            "mesh: {device: wormhole_n150, shape: [1, 1]}\n"
            "tensors:\n"
            "  input: {shape: [64, 64], dtype: bfloat16, layout: tile}\n"
            "steps:\n"
            "  - {name: scale, op: scale, in: [input], out: [output], set: {factor: 3}}\n");
    }
    Ending run(const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"run", "scale.yaml", "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_tessera(arguments, folder_.path());
    }
    Ending run_with_kernel(const std::string& option) { return run({"--kernel", option}); }
    void write_in_place(const std::string& text) {
        std::filesystem::create_directories(folder_.path() / "ops/scale/kernels");
        folder_.write(kKernel, text);
    }

    ScratchFolder folder_;
};

TEST_F(CliOwnKernels, OptionPutsAFileInPlaceOfABuiltInKernel) {
    folder_.write("same.cpp", built_in_text());
    folder_.write("adding.cpp", adding_text());

    EXPECT_EQ(run_with_kernel(std::string(kKernel) + "=same.cpp").exit_code, 0);
    EXPECT_EQ(run_with_kernel(std::string(kKernel) + "=adding.cpp").exit_code, 1);
}

// moe_bmm's reader includes "operands.hpp" from its own folder and "../../valid_tiles/…".
TEST_F(CliOwnKernels, OptionFindsTheHeadersOfTheKernelThatItReplaces) {
    const std::string reader = "ops/moe_bmm/kernels/reader.cpp";
    folder_.write("mine.cpp", bytes_of(std::string(TESSERA_SOURCE_DIR) + "/" + reader));

    const Ending ending = run_tessera(
        {"run", "moe_v2_tiny", "--quiet", "--kernel", reader + "=mine.cpp"}, folder_.path());

    EXPECT_EQ(ending.err, "");
    EXPECT_EQ(ending.exit_code, 0);
}

TEST_F(CliOwnKernels, TakeThePlaceOfAnOpUnderExtends) {
    const std::string example = std::string(TESSERA_SOURCE_DIR) + "/examples/bias_gelu/";
    folder_.write("base.yaml",
                  "mesh: {device: wormhole_n150, shape: [1, 1]}\n"
                  "params: {M: 64, N: 64}\n"
                  "tensors:\n"
                  "  x: {shape: [M, N], dtype: bfloat16, layout: tile}\n"
                  "  bias: {shape: [1, N], dtype: bfloat16, layout: tile}\n"
                  "steps:\n"
                  "  - {name: bias_gelu, op: scale, in: [x], out: [y], set: {factor: 3}}\n");
    const std::string text = bytes_of(example + "bias_gelu.yaml");
    folder_.write("top.yaml", "extends: base\n" + text.substr(text.find("steps:")));
    for (const char* kernel : {"reader.cpp", "compute.cpp", "writer.cpp"}) {
        folder_.write(kernel, bytes_of(example + kernel));
    }

    const Ending ending = run_tessera({"run", "top.yaml", "--quiet"}, folder_.path());

    EXPECT_EQ(ending.err, "");
    EXPECT_EQ(ending.exit_code, 0);
}

TEST_F(CliOwnKernels, OfAnOpThatDoesNotCompileAreNamedByTheUsersPath) {
    std::filesystem::create_directories(folder_.path() / "my_bad");
    folder_.write("my_bad/my_bad.hpp",
                  "#include \"ops/op.hpp\"\n"
                  "namespace tessera::ops::my_bad { const Op& op(); }\n");
    folder_.write("my_bad/my_bad.cpp", "int x = nobody;\n");
    folder_.write("own.yaml", "extends: copy\nops: [my_bad]\nsteps: {copy: {op: my_bad}}\n");

    const Ending ending = run_tessera({"check", "own.yaml"}, folder_.path());

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err,
                testing::HasSubstr("\n  " + folder_.file("my_bad/my_bad.cpp") + ":1:9: error: "));
    EXPECT_THAT(ending.err, testing::Not(testing::HasSubstr("unknown op")));
}

TEST_F(CliOwnKernels, OptionNamesAKernelOfTheRun) {
    folder_.write("mine.cpp", built_in_text());

    const Ending ending = run_with_kernel("ops/scale/kernels/compote.cpp=mine.cpp");

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: --kernel ops/scale/kernels/compote.cpp: no step has this kernel, did you "
              "mean ops/scale/kernels/compute.cpp?\n");
    EXPECT_EQ(
        run_tessera({"check", "scale.yaml", "--kernel", "ops/scale/kernels/compote.cpp=mine.cpp"},
                    folder_.path())
            .err,
        ending.err);
}

TEST_F(CliOwnKernels, ThatIncludeAnEndlessDeviceAreRefused) {
    folder_.write("zero.cpp", "#include \"/dev/zero\"\nvoid kernel_main() {}\n");

    const Ending ending = run_with_kernel(std::string(kKernel) + "=zero.cpp");

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "tessera: cannot read /dev/zero, which a kernel includes\n");
}

TEST_F(CliOwnKernels, OptionHasTwoNames) {
    const Ending ending = run_with_kernel("mine.cpp");

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "tessera: --kernel mine.cpp: expected KERNEL=FILE\n");
}

TEST_F(CliOwnKernels, OptionNamesAFileThatExists) {
    const Ending ending = run_with_kernel(std::string(kKernel) + "=gone.cpp");

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "tessera: --kernel ops/scale/kernels/compute.cpp: " +
                              folder_.file("gone.cpp") + " is not a file\n");
}

// A KERNEL that no step has is reported first, even if its FILE does not exist.
TEST_F(CliOwnKernels, OptionNamesTheKernelFirst) {
    EXPECT_EQ(run_with_kernel("compote.cpp=gone.cpp").err,
              "tessera: --kernel compote.cpp: no step has this kernel, did you mean "
              "ops/scale/kernels/compute.cpp?\n");
}

TEST_F(CliOwnKernels, PrintToStandardErrorBesideJson) {
    std::string text = built_in_text();
    const std::string start = "void kernel_main() {";
    text.insert(text.find(start) + start.size(), "\n    printf(\"from a kernel\\n\");");
    folder_.write("talking.cpp", "#include <cstdio>\n" + text);

    const Ending ending = run({"--kernel", std::string(kKernel) + "=talking.cpp", "--json"});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_TRUE(nlohmann::json::accept(ending.out)) << ending.out.substr(0, 100);
    EXPECT_THAT(ending.err, testing::HasSubstr("from a kernel\n"));
}

TEST_F(CliOwnKernels, OptionReplacesAKernelOnce) {
    const std::string once = folder_.write("once.cpp", adding_text());
    const std::string twice = folder_.write("twice.cpp", adding_text());
    const std::string kernel = kKernel;

    const Ending ending = run({"--kernel", kernel + "=" + once, "--kernel", kernel + "=" + twice});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, "tessera: --kernel " + kernel + "=" + twice + ": " + kernel +
                              " is already replaced by " + once +
                              "; allowed: one file for each kernel\n");
}

TEST_F(CliOwnKernels, AnEditedFileOfABuiltInKernelIsWhatRuns) {
    write_in_place(adding_text());

    const Ending ending = run({"--log-level", "jit=info"});

    EXPECT_EQ(ending.exit_code, 1);
    EXPECT_THAT(ending.err,
                testing::HasSubstr("ops/scale/kernels/compute.cpp has changed since the build"));
}

TEST_F(CliOwnKernels, AnEqualFileOfABuiltInKernelIsTheBuiltInOne) {
    write_in_place(built_in_text());

    const Ending ending = run({"--log-level", "jit=info"});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_THAT(ending.err, testing::Not(testing::HasSubstr("compute.cpp")));
}

// Compile-time arguments and formats as constants would change the unrolling and folding before the
// pass counts instructions.
TEST_F(CliOwnKernels, TheSameSourceTakesAsLongBuiltInAsCompiledJustInTime) {
    const std::string sources = TESSERA_SOURCE_DIR;
    for (const auto& [run, kernel] :
         {std::pair{"matmul_640", "ops/matmul/kernels/in1_sender_writer.cpp"},
          std::pair{"moe_align", "ops/moe_align_block_size/kernels/align.cpp"},
          std::pair{"moe_routing", "ops/moe_select_experts/kernels/select.cpp"}}) {
        const std::string file = sources + "/configs/runs/" + run + ".yaml";
        const Ending built_in = run_tessera({"run", file, "--timing-only"}, folder_.path());
        const Ending compiled = run_tessera(
            {"run", file, "--timing-only", "--kernel", kernel + ("=" + sources + "/") + kernel},
            folder_.path());

        EXPECT_THAT(makespan_of(built_in), testing::HasSubstr("cycles"));
        EXPECT_EQ(makespan_of(compiled), makespan_of(built_in)) << kernel;
    }
}

// A folder outside of the source tree, whose kernels the run file names by relative paths.
class CliOwnSources : public ::testing::Test {
protected:
    CliOwnSources() {
        for (const auto& file : std::filesystem::directory_iterator(
                 std::string(TESSERA_SOURCE_DIR) + "/examples/bias_gelu")) {
            if (file.is_regular_file()) {
                std::filesystem::copy(file.path(), folder_.path());
            }
        }
    }
    void expect_texts(const std::string& report) {
        const auto sources = nlohmann::json::parse(bytes_of(report + "/report.json")).at("sources");
        for (const char* file : {"reader.cpp", "compute.cpp", "writer.cpp"}) {
            EXPECT_EQ(sources.value(file, ""), bytes_of(folder_.file(file))) << file;
        }
    }
    const ScratchFolder folder_;
};

TEST_F(CliOwnSources, AreInTheReportsOfARunAndOfItsTraceTimedElsewhere) {
    const ScratchFolder elsewhere;

    const Ending run = run_tessera(
        {"run", "bias_gelu.yaml", "--timing-only", "--report", "report", "--trace", "run.trace"},
        folder_.path());
    const Ending again =
        run_tessera({"retime", folder_.file("run.trace"), "--report", "report"}, elsewhere.path());

    ASSERT_EQ(run.exit_code, 0) << run.err;
    ASSERT_EQ(again.exit_code, 0) << again.err;
    expect_texts(folder_.file("report"));
    expect_texts(elsewhere.file("report"));
}

TEST_F(CliOwnKernels, EditedCommentsLeaveATraceAsItWas) {
    namespace fs = std::filesystem;
    const fs::path ops = fs::path(TESSERA_SOURCE_DIR) / "ops";
    fs::create_directory(folder_.path() / "ops");
    for (const char* part : {"shared", "matmul"}) {
        fs::copy(ops / part, folder_.path() / "ops" / part, fs::copy_options::recursive);
    }
    for (const auto& kernel : fs::directory_iterator(folder_.path() / "ops/matmul/kernels")) {
        std::ofstream(kernel.path(), std::ios::app) << "// Edited.\n";
    }
    const ScratchFolder elsewhere;
    const auto traced = [](const ScratchFolder& folder) {
        const Ending ending = run_tessera(
            {"run", "matmul_640", "--timing-only", "--trace", "a.trace"}, folder.path());
        EXPECT_EQ(ending.exit_code, 0) << ending.err;
        return bytes_of(folder.file("a.trace"));
    };

    EXPECT_TRUE(traced(folder_) == traced(elsewhere));
}

/// Copies a tile of x to y; then changes its second element and writes it back to x.
constexpr const char* kWritesItsInput = R"(void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    const auto y = TensorAccessor(args, get_arg_val<uint32_t>(1), 2048);
    cb_reserve_back(0, 1);
    const uint32_t tile = get_write_ptr(0);
    noc_async_read_tile(0, x, tile);
    noc_async_read_barrier();
    noc_async_write_tile(0, y, tile);
    noc_async_write_barrier();
    reinterpret_cast<volatile tt_l1_ptr uint16_t*>(tile)[1] ^= 0x8000;
    noc_async_write_tile(0, x, tile);
    noc_async_write_barrier();
}
)";
constexpr const char* kCopy = R"(
mesh: {device: wormhole_n150, shape: [1, 1]}
tensors:
  x: {shape: [32, 32], dtype: bfloat16, layout: tile}
steps:
  - name: copy
    in: [x]
    out: {y: {shape: [32, 32], dtype: bfloat16, layout: tile}}
    program:
      cores: {grid: [1, 1]}
      cbs: {0: {pages: 1}}
      kernels:
        - {path: copy.cpp, on: reader, compile_args: [accessor(x)], args: [address(x), address(y)]}
    reference: x
)";

// y is right, but later steps read another x. A reference from the changed x would call y wrong.
TEST_F(CliOwnKernels, ThatChangeTheirInputFail) {
    folder_.write("copy.yaml", kCopy);
    folder_.write("copy.cpp", kWritesItsInput);

    const Ending ending = run_tessera({"run", "copy.yaml", "--quiet"}, folder_.path());

    EXPECT_EQ(ending.exit_code, 1);
    EXPECT_THAT(ending.out,
                testing::HasSubstr(
                    "  copy: the step changed its input x on device 0, first at (0,1); allowed: "
                    "changes of outputs. A kernel writes to a wrong address\n"));
}

}  // namespace
}  // namespace tessera::test
