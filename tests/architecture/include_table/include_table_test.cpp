// SPDX-License-Identifier: Apache-2.0
// Checks every #include against the table of allowed includes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/source_files.hpp"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Allowed includes of files below `folder`, as prefixes of the included path. The most specific
/// row counts. Headers of the standard library and of the system are always allowed.
struct Row {
    std::string_view folder;
    std::vector<std::string_view> may_include;
};

const std::vector<Row>& include_table() {
    static const std::vector<Row> kTable{
        {"include/tessera/", {"tessera/", "fmt/"}},
        // Own types behind the vendor's names: no header of ours.
        {"include/tt-metalium/", {"tt-metalium/", "fmt/"}},
        {"include/tessera/kernel/",
         {"tessera/kernel/", "tessera/call_site.hpp", "tessera/data_format.hpp",
          "tessera/tile.hpp"}},
        {"emu/base/", {"tessera/", "emu/base/", "fmt/", "hwy/", "nlohmann/", "tbb/parallel_for.h"}},
        {"emu/kernel_pass/",
         {"emu/kernel_pass/", "tessera/instruction_counters.hpp", "tessera/loop_rounds.hpp",
          "tessera/window_layout.hpp", "llvm/"}},
        {"emu/tile/", {"tessera/", "emu/base/", "emu/tile/", "fmt/", "hwy/"}},
        {"emu/timing/", {"tessera/", "emu/base/", "emu/timing/", "fmt/", "tbb/parallel_for.h"}},
        {"emu/", {"tessera/", "emu/", "fmt/"}},
        {"ops/", {"tessera/", "emu/base/", "ops/", "fmt/", "hwy/", "tbb/parallel_for.h"}},
        {"ops/shared/",
         {"tessera/", "emu/base/", "ops/shared/", "ops/op.hpp", "ops/operand_error.hpp", "fmt/",
          "hwy/", "tbb/parallel_for.h"}},
        {"ops/*/kernels/", {"tessera/kernel/", "ops/*/kernels/"}},
        {"ops/shared/*/kernels/",
         {"tessera/kernel/", "ops/shared/*/kernels/", "ops/shared/kernels/"}},
        // Folders of runtime/, from the bottom up: each may include the folders that it names, all
        // of them above it in this list.
        {"runtime/log/", {"tessera/", "emu/base/", "runtime/log/", "fmt/", "spdlog/"}},
        {"runtime/ranks/", {"tessera/", "runtime/ranks/", "fmt/", "nlohmann/", "mpi.h"}},
        {"runtime/kernels/",
         {"tessera/", "emu/base/seconds_since.hpp", "runtime/kernels/", "runtime/log/", "fmt/"}},
        {"runtime/scheduler/",
         {"tessera/", "emu/", "runtime/scheduler/", "fmt/", "boost/", "tbb/"}},
        {"runtime/launch/",
         {"tessera/", "emu/", "runtime/kernels/", "runtime/launch/", "runtime/scheduler/", "fmt/"}},
        {"runtime/session/",
         {"tessera/", "emu/", "runtime/launch/", "runtime/log/", "runtime/scheduler/",
          "runtime/session/", "fmt/", "tbb/"}},
        {"runtime/steps/",
         {"tessera/", "emu/base/", "emu/dram/", "emu/tile/", "runtime/kernels/",
          "runtime/launch/l1_layout.hpp", "runtime/steps/", "ops/op.hpp", "ops/parameters.hpp",
          "ops/registry.hpp", "ops/tensor_plan.hpp", "fmt/"}},
        {"runtime/config/",
         {"tessera/", "emu/base/", "runtime/config/", "runtime/kernels/", "runtime/log/",
          "runtime/steps/", "ops/contract.hpp", "ops/op.hpp", "ops/registry.hpp",
          "ops/shared/schedule_fields.hpp", "fmt/", "nlohmann/", "yaml-cpp/"}},
        {"runtime/report/",
         {"tessera/", "emu/base/", "emu/timing/", "runtime/config/", "runtime/report/", "fmt/",
          "nlohmann/"}},
        {"runtime/pipeline/",
         {"tessera/", "emu/base/", "emu/dram/", "emu/tile/", "runtime/config/", "runtime/pipeline/",
          "runtime/report/", "runtime/session/", "runtime/steps/", "ops/bound.hpp",
          "ops/contract.hpp", "ops/op.hpp", "ops/operand_error.hpp", "fmt/", "nlohmann/",
          "tbb/parallel_for.h"}},
        {"runtime/model/",
         {"tessera/", "emu/base/", "runtime/config/", "runtime/model/", "runtime/pipeline/",
          "runtime/report/", "runtime/steps/", "ops/fused_moe/selection.hpp",
          // Formats and scales of weights that the experts take.
          "ops/fused_moe/weight_formats.hpp", "ops/shared/expert_rows/expert_product.hpp", "fmt/",
          "nlohmann/"}},
        {"runtime/study/",
         {"tessera/", "emu/base/", "emu/core/", "emu/timing/", "runtime/config/",
          "runtime/kernels/", "runtime/log/", "runtime/pipeline/", "runtime/ranks/",
          "runtime/report/", "runtime/study/", "fmt/", "nlohmann/", "tbb/parallel_for.h",
          "tbb/task_arena.h", "tbb/task_group.h"}},
        {"runtime/facade/",
         {"tessera/", "emu/base/", "emu/timing/", "runtime/config/", "runtime/facade/",
          "runtime/kernels/", "runtime/report/", "runtime/session/", "runtime/study/", "fmt/",
          "nlohmann/"}},
        {"runtime/metalium/",
         {"tessera/", "tt-metalium/", "emu/base/", "emu/core/", "emu/dram/", "emu/mesh/",
          "emu/timing/", "runtime/config/", "runtime/kernels/", "runtime/metalium/",
          "runtime/session/", "fmt/"}},
        {"runtime/cli/",
         {"tessera/",
          "emu/base/",
          "runtime/cli/",
          "runtime/config/",
          "runtime/facade/",
          "runtime/kernels/",
          "runtime/log/",
          "runtime/model/",
          "runtime/pipeline/",
          "runtime/ranks/",
          "runtime/report/",
          "runtime/steps/inferred_program.hpp",
          "runtime/steps/own_op.hpp",
          "runtime/steps/pipeline_spec.hpp",
          "runtime/study/",
          "ops/fused_moe/",
          "ops/registry.hpp",
          "fmt/",
          "nlohmann/",
          "CLI/"}},
        // Joins the subcommands; the only file that includes a header from above its folder.
        {"runtime/cli/main.cpp",
         {"tessera/", "emu/base/", "runtime/cli/", "runtime/ranks/", "runtime/report/", "fmt/",
          "nlohmann/", "bench/accuracy/score_command.hpp"}},
        {"runtime/cli/exec.cpp",
         {"tessera/", "runtime/cli/", "runtime/facade/", "runtime/metalium/settings.hpp",
          "runtime/report/timing/report_files.hpp", "fmt/", "CLI/"}},
        {"bench/",
         {"tessera/", "emu/", "runtime/", "ops/", "bench/", "tests/", "fmt/", "hwy/", "nlohmann/"}},
        {"bench/accuracy/",
         {"tessera/", "emu/", "bench/accuracy/", "runtime/", "ops/", "fmt/", "nlohmann/", "CLI/"}},
        {"bench/accuracy/kernels/", {"tessera/kernel/"}},
        // Tests may include the folder that they mirror and what that folder may include. Test rigs
        // are in tests/ itself.
        {"tests/",
         {"tessera/", "emu/", "runtime/config/", "runtime/scheduler/", "runtime/session/",
          "runtime/study/", "tests/", "fmt/", "nlohmann/"}},
        {"tests/architecture/", {"tessera/", "tests/", "yaml-cpp/"}},
        {"tests/cli/", {"tessera/", "emu/base/", "runtime/report/", "tests/", "nlohmann/"}},
        {"tests/docs/", {"tests/"}},
        {"tests/errors/",
         {"tessera/", "emu/base/", "emu/mesh/", "runtime/cli/", "runtime/config/",
          "runtime/session/", "ops/registry.hpp", "tests/", "fmt/"}},
        {"tests/fuzz/",
         {"tessera/", "emu/base/", "runtime/config/", "runtime/model/", "bench/accuracy/",
          "tests/"}},
        {"tests/metalium/", {"tt-metalium/", "tt_metal/", "tests/metalium/", "fmt/base.h"}},
        {"tests/ops/",
         {"tessera/", "emu/base/", "emu/dram/", "emu/timing/", "runtime/config/",
          "runtime/pipeline/", "runtime/session/", "ops/", "tests/", "fmt/", "hwy/", "nlohmann/"}},
        {"tests/programs/",
         {"emu/timing/", "runtime/config/", "runtime/pipeline/", "runtime/session/", "tests/"}},
        {"tests/unit/bench/", {"tessera/", "runtime/config/", "bench/accuracy/", "tests/", "fmt/"}},
        {"tests/bench/", {"tessera/", "bench/", "nlohmann/"}},
        {"tests/unit/emu/",
         {"tessera/", "emu/", "runtime/config/", "runtime/kernels/", "runtime/session/", "tests/",
          "hwy/", "tbb/"}},
        {"tests/unit/runtime/",
         {"tessera/", "tt-metalium/", "emu/", "runtime/", "ops/", "tests/", "fmt/", "nlohmann/"}},
    };
    return kTable;
}

constexpr std::array<std::string_view, 17> kWatched{
    "tessera/", "emu/",  "ops/",      "runtime/",     "tests/",    "bench/",
    "boost/",   "tbb/",  "yaml-cpp/", "spdlog/",      "nlohmann/", "CLI/",
    "hwy/",     "llvm/", "fmt/",      "tt-metalium/", "tt_metal/"};

bool has_start(std::string_view path, std::string_view start) {
    const std::size_t star = start.find("*/");
    if (star == std::string_view::npos) {
        return path.starts_with(start);
    }
    const std::size_t slash = path.find('/', star);
    return path.starts_with(start.substr(0, star)) && slash != std::string_view::npos &&
           path.substr(slash + 1).starts_with(start.substr(star + 2));
}

bool starts_with_any(std::string_view path, const auto& starts) {
    return std::ranges::any_of(starts, [&](auto start) { return has_start(path, start); });
}

const Row* row_of(std::string_view file) {
    const Row* found = nullptr;
    for (const Row& row : include_table()) {
        if (has_start(file, row.folder) &&
            (found == nullptr || row.folder.size() > found->folder.size())) {
            found = &row;
        }
    }
    return found;
}

std::vector<std::string> forbidden_includes(const std::string& file, const std::string& text) {
    static const std::regex kInclude(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
    const Row* row = row_of(file);
    std::vector<std::string> forbidden;
    std::istringstream lines(text);
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
        if (!std::regex_search(line, match, kInclude) || !starts_with_any(match.str(1), kWatched)) {
            continue;
        }
        if (row == nullptr || !starts_with_any(match.str(1), row->may_include)) {
            forbidden.push_back(match.str(1));
        }
    }
    return forbidden;
}

TEST(IncludeTable, HoldsForEverySource) {
    const auto files = source_files({"include", "emu", "ops", "runtime", "bench", "tests"});
    ASSERT_GT(files.size(), 100U);

    for (const std::string& file : files) {
        EXPECT_THAT(forbidden_includes(file, text_of(file)), IsEmpty()) << file;
    }
}

TEST(IncludeTable, FindsWhatAFolderMustNotKnow) {
    EXPECT_THAT(forbidden_includes("emu/core/core.cpp", "#include <boost/fiber/all.hpp>\n"),
                ElementsAre("boost/fiber/all.hpp"));
    EXPECT_THAT(forbidden_includes("emu/noc/noc.cpp", "  # include \"runtime/log/log.hpp\"\n"),
                ElementsAre("runtime/log/log.hpp"));
    EXPECT_THAT(forbidden_includes("emu/tile/pack.cpp", "#include \"emu/core/core.hpp\"\n"),
                ElementsAre("emu/core/core.hpp"));
    EXPECT_THAT(forbidden_includes("runtime/launch/place.cpp", "#include <yaml-cpp/yaml.h>\n"),
                ElementsAre("yaml-cpp/yaml.h"));
    EXPECT_THAT(forbidden_includes("runtime/launch/place.cpp", "#include \"ops/op.hpp\"\n"),
                ElementsAre("ops/op.hpp"));
    EXPECT_THAT(
        forbidden_includes("runtime/session/session.cpp", "#include \"runtime/config/load.hpp\"\n"),
        ElementsAre("runtime/config/load.hpp"));
    EXPECT_THAT(forbidden_includes("runtime/report/text.cpp", "#include \"ops/copy/copy.hpp\"\n"),
                ElementsAre("ops/copy/copy.hpp"));
}

TEST(IncludeTable, LetsKernelsOfOpsSeeTheKernelApiOnly) {
    const std::string file = "ops/copy/kernels/reader.cpp";

    EXPECT_THAT(forbidden_includes(file, "#include \"tessera/kernel/kernel.hpp\"\n"), IsEmpty());
    EXPECT_THAT(forbidden_includes(file, "#include \"ops/moe_bmm/kernels/order.hpp\"\n"),
                IsEmpty());
    EXPECT_THAT(forbidden_includes(file, "#include \"tessera/program.hpp\"\n"),
                ElementsAre("tessera/program.hpp"));
    EXPECT_THAT(forbidden_includes(file, "#include \"ops/copy/copy.hpp\"\n"),
                ElementsAre("ops/copy/copy.hpp"));
}

TEST(IncludeTable, RefusesAFolderItDoesNotList) {
    EXPECT_THAT(forbidden_includes("other/a.cpp", "#include <vector>\n#include <fmt/core.h>\n"),
                ElementsAre("fmt/core.h"));
}

}  // namespace
}  // namespace tessera
