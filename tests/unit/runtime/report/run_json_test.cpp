// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/run_json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/unit/runtime/report/small_record.hpp"

namespace tessera::report {
namespace {

using Json = nlohmann::ordered_json;

TEST(RunJson, NamesItsSchemaAndVersion) {
    const Json json = to_json(small_record());

    EXPECT_EQ(json.at("schema"), "tessera.run");
    EXPECT_EQ(json.at("version"), 2);
}

TEST(RunJson, HoldsEveryStep) {
    const Json steps = to_json(small_record()).at("steps");

    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[0].at("op"), "scatter_moe_input");
    EXPECT_EQ(steps[0].at("check").at("passed"), true);
    EXPECT_EQ(steps[1].at("schedule"), "single_core");
    EXPECT_EQ(steps[1].at("output_tiles"), 123456);
    EXPECT_EQ(steps[1].at("host_s"), 2.5);
    EXPECT_TRUE(steps[1].at("check").is_null());
}

TEST(RunJson, GivesPredictedTimesWithTheirUnit) {
    RunRecord record = small_record();
    record.makespan = PredictedTime{1000, 2000, 3000};
    record.steps[0].device_time = PredictedTime{10, 20, 30};

    const Json json = to_json(record);

    EXPECT_EQ(json.at("time_unit"), "millicycle");
    EXPECT_EQ(json.at("makespan").at("high"), 3000);
    EXPECT_EQ(json.at("steps")[0].at("device_time").at("expected"), 20);
    EXPECT_TRUE(json.at("steps")[1].at("device_time").is_null());
}

TEST(RunJson, HoldsEveryCoreAndTheSpreads) {
    const Json cores = to_json(small_record()).at("cores");

    ASSERT_EQ(cores.at("each").size(), 4U);
    EXPECT_EQ(cores.at("each")[2].at("device"), 1);
    EXPECT_EQ(cores.at("each")[2].at("share_of_busiest"), 0.5);
    EXPECT_EQ(cores.at("spread").at("tiles_computed").at("median"), 15);
    EXPECT_EQ(cores.at("spread").at("bytes_read").at("max"), 1 << 20);
}

TEST(RunJson, GivesTheVerdict) {
    RunRecord unchecked = small_record();
    unchecked.steps[0].check.reset();

    EXPECT_EQ(to_json(small_record()).at("verdict"), "pass");
    EXPECT_EQ(to_json(failing_record()).at("verdict"), "fail");
    EXPECT_EQ(to_json(failing_record()).at("failed"), Json({"gate"}));
    EXPECT_EQ(to_json(unchecked).at("verdict"), "unchecked");
}

TEST(RunJson, HasNullForWhatIsNoNumber) {
    RunRecord record = failing_record();
    record.steps[1].check->max_relative_error = std::numeric_limits<double>::infinity();

    EXPECT_TRUE(to_json(record).at("steps")[1].at("check").at("max_relative_error").is_null());
}

TEST(RunJson, EmbedsTheConfiguration) {
    const Json config = to_json(small_record()).at("config");

    EXPECT_EQ(config.at(0).at("key"), "mesh.shape");
    EXPECT_EQ(config.at(0).at("value"), Json({1, 2}));
}

}  // namespace
}  // namespace tessera::report
