// SPDX-License-Identifier: Apache-2.0
// docs/api_coverage.md against the kernel API: kernels may name what the page calls supported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TESSERA_SOURCE_DIR;

/// Returns the names that the page calls supported.
std::set<std::string> supported_names() {
    const std::string page = bytes_of((kRoot / "docs/api_coverage.md").string());
    static const std::regex kRow(R"(\| `(\w+)` \| \d+ \| yes \|)");
    std::set<std::string> names;
    for (auto at = std::sregex_iterator(page.begin(), page.end(), kRow);
         at != std::sregex_iterator(); ++at) {
        names.insert((*at)[1]);
    }
    return names;
}

/// Returns the text of all headers of classes of the kernel API.
std::string texts_of_classes() {
    std::string text;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "include/tessera/kernel")) {
        if (entry.is_regular_file()) {
            text += bytes_of(entry.path().string());
        }
    }
    return text;
}

// Functions, macros and types are named in a kernel. A member of a class has no name without its
// object, so that only its declaration is looked up.
TEST(ApiCoverage, NamesThatThePageCallsSupportedCompile) {
    const std::set<std::string> names = supported_names();
    ASSERT_GT(names.size(), 250U);
    ScratchFolder folder;
    std::string kernel = "#include \"api/compute/compute_kernel_api.h\"\nvoid kernel_main() {\n";
    for (const std::string& name : names) {
        kernel += "#ifndef " + name + "\n    using ::" + name + ";\n#endif\n";
    }
    folder.write("probe.cpp", kernel + "}\n");

    const auto json = nlohmann::json::parse(
        run_tessera({"kernel", "check", "probe.cpp", "--on", "compute", "--json"}, folder.path())
            .out);

    const auto& probe = json.at("kernels")[0];
    EXPECT_THAT(probe.at("errors"), ::testing::IsEmpty());
    const std::string classes = texts_of_classes();
    for (const std::string name : probe.at("names")) {
        // The compiler may name the class of a member: "Noc::async_read".
        const std::string member = name.substr(name.rfind(':') + 1);
        EXPECT_NE(classes.find(member + "("), std::string::npos)
            << name << " is neither a name of the API nor a member of its classes";
    }
}

}  // namespace
}  // namespace tessera::test
