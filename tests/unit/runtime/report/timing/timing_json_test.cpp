// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/timing_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/runtime/report/timing/small_launch.hpp"

namespace tessera::report {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;

std::vector<std::string> keys_of(const Json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) {
        keys.push_back(key);
    }
    return keys;
}

Json small_json() {
    return to_json(small_report(), {{"name", "small", "\"small\"", "", {}, std::nullopt}}, nullptr);
}

TEST(TimingJson, HasTheDocumentedKeys) {
    const Json json = small_json();

    EXPECT_EQ(json["schema"], "tessera.report");
    EXPECT_EQ(json["version"], 3);
    EXPECT_THAT(
        keys_of(json),
        ElementsAre("schema", "version", "time_unit", "name", "machine", "words", "makespan",
                    "bound", "ensemble", "peak", "achieved", "bound_by", "assumed", "constants",
                    "moe", "stages", "sources", "focus", "launches", "run", "config"));
    EXPECT_EQ(json["time_unit"], "millicycle");
    EXPECT_THAT(
        keys_of(json["launches"][0]),
        ElementsAre("name", "start", "makespan", "device_time", "bound", "ensemble", "time_of_run",
                    "events", "work", "achieved", "given_utilisation", "imbalance", "bound_by",
                    "device_end", "drawn_in_part", "lines", "line_times", "path", "stalls", "cores",
                    "resources", "cbs", "banks", "causes", "threads"));
    EXPECT_TRUE(json["run"].is_null());
    EXPECT_EQ(json["config"][0]["key"], "name");
}

// Values that the JSON omits are restored: the stretches of paths, and the topology.
TEST(TimingJson, IsReadBackAsItWasWritten) {
    const TimingReport written = small_report();
    const Json json = to_json(written, {}, nullptr);

    ReadReport read = from_json(json);

    EXPECT_EQ(read.shares.at(0).time, 1000 * kCycle);
    read.report.mesh.topology = written.mesh.topology;
    for (std::size_t i = 0; i < written.launches.size(); ++i) {
        read.report.launches[i].path_stretches = written.launches[i].path_stretches;
    }
    EXPECT_EQ(to_json(read.report, {}, nullptr), json);
}

TEST(TimingJson, IsReadByChosenKeysAlone) {
    const Json json = Json::parse(R"({"schema": "tessera.report", "version": 3,
        "launches": [{"name": "gate", "start": 7}]})");

    const ReadReport read = from_json(json, std::array<std::string_view, 1>{"launches.name"});

    EXPECT_EQ(read.report.launches.at(0).name, "gate");
    EXPECT_EQ(read.report.launches.at(0).start, 0);
    EXPECT_THROW((void)from_json(json), Json::exception);
}

TEST(TimingJson, ClosesTheTimeOfEachThread) {
    const Json launch = small_json()["launches"][0];

    for (const Json& thread : launch["threads"]["rows"]) {
        Millicycles sum = 0;
        for (const Json& part : thread["totals"]) {
            sum += part.get<Millicycles>();
        }
        EXPECT_EQ(sum, launch["makespan"]["expected"].get<Millicycles>());
    }
    Millicycles path = 0;
    for (const Json& part : launch["path"]) {
        path += part["time"].get<Millicycles>();
    }
    EXPECT_EQ(path, launch["makespan"]["expected"].get<Millicycles>());
}

TEST(TimingJson, WritesPointsFlat) {
    const Json launch = small_json()["launches"][0];

    const Json& reader = launch["threads"]["rows"][0];
    EXPECT_EQ(reader["points"].size(), 4U * 5);
    EXPECT_EQ(reader["points"][10], 700'000) << "end of the third interval";
    EXPECT_EQ(launch["lines"][reader["points"][12].get<std::size_t>()], "reader.cpp:20");
    EXPECT_EQ(reader["points"][13], NocPlace::dram(1).bits);
    EXPECT_EQ(launch["causes"][reader["points"][14].get<std::size_t>() - 1],
              Json::array({0, 1, 200'000}));
}

TEST(TimingJson, NamesActivitiesInTheOrderOfTotals) {
    const Json words = small_json()["words"];

    EXPECT_EQ(words["activities"].size(), kNumActivities);
    const auto matmul = static_cast<std::size_t>(Activity::Matmul);
    EXPECT_EQ(words["activities"][matmul]["key"], "matmul");
    EXPECT_EQ(words["activities"][matmul]["class"], "busy");
    EXPECT_EQ(words["activities"].back()["class"], "idle");
}

TEST(TimingJson, HoldsTheTokensOfExperts) {
    TimingReport report = small_report();
    report.moe = ExpertLoad{.experts = {{5, 0, 17}}, .launches = {"gate"}};

    const Json json = to_json(report, {}, nullptr);

    EXPECT_EQ(json["moe"]["experts"][0]["expert"], 5);
    EXPECT_EQ(json["moe"]["experts"][0]["tokens"], 17);
    EXPECT_EQ(json["moe"]["launches"][0], "gate");
}

TEST(TimingJson, HoldsTheStagesOfTheRun) {
    TimingReport report = small_report();
    report.stages =
        RunStages{.tokens = 21, .stages = {{"first", {"gate"}}}, .memory = {{"weights", 2048}}};

    const Json json = to_json(report, {}, nullptr)["stages"];

    EXPECT_EQ(json["tokens"], 21);
    EXPECT_EQ(json["stages"][0]["name"], "first");
    EXPECT_EQ(json["stages"][0]["time"], 1000 * kCycle);
    EXPECT_EQ(json["stages"][0]["launches"], Json({"gate"}));
    EXPECT_EQ(json["memory"][0]["bytes"], 2048);
}

}  // namespace
}  // namespace tessera::report
