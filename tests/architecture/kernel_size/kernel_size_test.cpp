// SPDX-License-Identifier: Apache-2.0
// Checks that a reader can see each kernel's kernel_main at once.
#include <gtest/gtest.h>

#include <cstddef>
#include <sstream>
#include <string>

#include "tests/architecture/source_files.hpp"

namespace tessera {
namespace {

constexpr std::size_t kMostLines = 40;

/// Returns the lines of kernel_main, from its head to its closing brace; 0 if the text has none.
/// The sources are formatted, so only the brace that closes the function begins a line.
std::size_t lines_of_kernel_main(const std::string& text) {
    std::istringstream stream(text);
    std::size_t lines = 0;
    for (std::string line; std::getline(stream, line);) {
        if (lines != 0 || line.starts_with("void kernel_main()")) {
            ++lines;
            if (line.starts_with("}")) {
                return lines;
            }
        }
    }
    return lines;
}

TEST(KernelSize, KernelMainHasAtMostFortyLines) {
    std::size_t kernels = 0;
    for (const std::string& file : source_files({"ops", "bench", "examples"})) {
        const std::size_t lines = lines_of_kernel_main(text_of(file));
        EXPECT_LE(lines, kMostLines) << file;
        kernels += lines == 0 ? 0 : 1;
    }
    EXPECT_GT(kernels, 200U);
}

TEST(KernelSize, CountsFromTheHeadToTheClosingBrace) {
    EXPECT_EQ(lines_of_kernel_main("void helper() {\n}\n\nvoid kernel_main() {\n    {\n    }\n}\n"),
              4U);
    EXPECT_EQ(lines_of_kernel_main("void helper() {\n}\n"), 0U);
}

}  // namespace
}  // namespace tessera
