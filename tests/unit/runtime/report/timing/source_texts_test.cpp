// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/source_texts.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/scratch_folder.hpp"
#include "tests/unit/runtime/report/timing/small_launch.hpp"

namespace tessera::report {
namespace {

// The small launch names three files: one is found in a folder, one by its path, one does not
// exist.
TEST(SourceTexts, AreOfTheFilesThatAreFound) {
    const ScratchFolder shipped;
    const ScratchFolder own;
    std::ofstream(shipped.file("compute.cpp")) << "first\nsecond\n";
    std::ofstream(own.file("mine.cpp")) << "mine\n";
    TimingReport report = small_report();
    for (SourceLine& line : report.launches[0].lines) {
        line.file = line.file == "reader.cpp" ? own.file("mine.cpp") : line.file;
    }

    const std::vector<SourceText> sources =
        source_texts(report, [&](const std::string& name) -> std::optional<std::filesystem::path> {
            return name == "writer.cpp" ? std::nullopt : std::optional(shipped.path() / name);
        });

    ASSERT_EQ(sources.size(), 2U);
    EXPECT_EQ(sources[0].file, own.file("mine.cpp"));
    EXPECT_EQ(sources[0].text, "mine\n");
    EXPECT_EQ(sources[1].file, "compute.cpp");
    EXPECT_EQ(sources[1].text, "first\nsecond\n");
}

}  // namespace
}  // namespace tessera::report
