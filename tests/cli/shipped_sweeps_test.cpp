// SPDX-License-Identifier: Apache-2.0
// tessera sweep: the shipped sweeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> shipped_sweeps() {
    std::vector<std::string> names;
    for (const auto& entry :
         fs::directory_iterator(fs::path(TESSERA_SOURCE_DIR) / "configs/sweeps")) {
        names.push_back(entry.path().stem().string());
    }
    std::ranges::sort(names);
    return names;
}

class ShippedSweep : public testing::TestWithParam<std::string> {};

TEST_P(ShippedSweep, IsInOrderAndListedWithItsQuestion) {
    const Ending check = run_tessera({"check", GetParam()});

    EXPECT_EQ(check.exit_code, 0) << check.err;
    EXPECT_THAT(check.out, StartsWith(GetParam() + ": ok, "));
    EXPECT_THAT(run_tessera({"list", "configs"}).out,
                ContainsRegex("\n  " + GetParam() + " +[0-9]+  [^\n]+\\?\n"));
    EXPECT_THAT(run_tessera({"explain", GetParam()}).out, StartsWith("sweep.question: "));
    EXPECT_FALSE(
        fs::exists(std::string(TESSERA_SOURCE_DIR) + "/configs/runs/" + GetParam() + ".yaml"))
        << "one name means one file";
}

INSTANTIATE_TEST_SUITE_P(All, ShippedSweep, testing::ValuesIn(shipped_sweeps()),
                         [](const auto& test) { return test.param; });

TEST(ShippedSweep, OfCoresOfMoeBmmFindsAllCoresFaster) {
    const Ending ending = run_tessera({"sweep", "bmm_cores", "--quiet"});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_THAT(ending.out, StartsWith("best: schedule multi_core, "));
    EXPECT_THAT(ending.out,
                ContainsRegex("the slowest, schedule single_core, takes [0-9.]+ times as long "
                              "\\(robust: [0-9]+ % of [0-9]+ pairs\\)\n$"));
}

TEST(ShippedSweep, OfLinksRunsItsKernelsOnce) {
    const Ending ending = run_tessera({"explain", "link_rate", "--json"});

    for (const json& value : json::parse(ending.out)) {
        const std::string key = value.at("key");
        if (key == "sweep.grid") {
            EXPECT_THAT(value.dump(), Not(HasSubstr("{ops.")));
            EXPECT_THAT(value.dump(), HasSubstr("arch.timing.link.rate"));
        }
    }
}

}  // namespace
}  // namespace tessera::test
