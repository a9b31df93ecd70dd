// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/source_texts.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/scratch_folder.hpp"
#include "tests/unit/runtime/report/timing/small_launch.hpp"

namespace tessera::report {
namespace {

// Of the small launch's three files, one lies below the folder, one elsewhere, one nowhere.
TEST(SourceTexts, AreOfTheFilesThatAreThere) {
    const ScratchFolder shipped;
    const ScratchFolder own;
    std::ofstream(shipped.file("compute.cpp")) << "first\nsecond\n";
    std::ofstream(own.file("mine.cpp")) << "mine\n";
    TimingReport report = small_report();
    for (SourceLine& line : report.launches[0].lines) {
        line.file = line.file == "reader.cpp" ? own.file("mine.cpp") : line.file;
    }

    const std::vector<SourceText> sources = source_texts(report, shipped.path());

    ASSERT_EQ(sources.size(), 2U);
    EXPECT_EQ(sources[0].file, own.file("mine.cpp"));
    EXPECT_EQ(sources[0].text, "mine\n");
    EXPECT_EQ(sources[1].file, "compute.cpp");
    EXPECT_EQ(sources[1].text, "first\nsecond\n");
}

}  // namespace
}  // namespace tessera::report
