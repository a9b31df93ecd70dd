// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/file_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::report {
namespace {

namespace fs = std::filesystem;
using testing::UnorderedElementsAre;

class FileSet : public testing::Test {
protected:
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder_)) {
            names.push_back(entry.path().filename());
        }
        return names;
    }
    [[nodiscard]] std::string text_of(const std::string& name) const {
        std::ifstream stream(folder_ / name);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

private:
    ScratchFolder scratch_;

protected:
    fs::path folder_ = scratch_.path() / "report";
};

TEST_F(FileSet, AppearsInAFolderThatItMakes) {
    write_together(folder_ / "a" / "b", {{"one.json", "1"}, {"two.html", ""}});

    folder_ = folder_ / "a" / "b";
    EXPECT_THAT(names(), UnorderedElementsAre("one.json", "two.html"));
    EXPECT_EQ(text_of("one.json"), "1");
}

TEST_F(FileSet, TakesThePlaceOfAnOlderOne) {
    write_together(folder_, {{"one.json", "a long text"}});
    write_together(folder_, {{"one.json", "new"}});

    EXPECT_EQ(text_of("one.json"), "new");
}

TEST_F(FileSet, LeavesOlderFilesAloneIfOneCannotBeWritten) {
    write_together(folder_, {{"one.json", "old"}});
    fs::create_directory(folder_ / "two.html");

    EXPECT_THROW(write_together(folder_, {{"one.json", "new"}, {"two.html", "x"}}), UsageError);

    EXPECT_EQ(text_of("one.json"), "old");
    EXPECT_THAT(names(), UnorderedElementsAre("one.json", "two.html"));
}

TEST_F(FileSet, RefusesAFolderThatIsAFile) {
    write_together(folder_, {{"one.json", "x"}});

    EXPECT_THROW(write_together(folder_ / "one.json", {{"two", ""}}), UsageError);
}

}  // namespace
}  // namespace tessera::report
