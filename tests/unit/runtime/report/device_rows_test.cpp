// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/device_rows.hpp"

#include <gtest/gtest.h>

namespace tessera::report {
namespace {

using Json = nlohmann::ordered_json;

Json rows_of_three_devices() {
    return Json::parse(R"([
        {"device": 0, "x": 0, "busy": 5}, {"device": 0, "x": 1, "busy": 6},
        {"device": 1, "x": 0, "busy": 5}, {"device": 1, "x": 1, "busy": 7},
        {"device": 3, "x": 1, "busy": 6}, {"device": 3, "x": 0, "busy": 5}])");
}

TEST(DeviceRows, HoldOnceWhatIsAlikeOnSeveralDevices) {
    EXPECT_EQ(fold_devices(rows_of_three_devices()), Json::parse(R"({
        "rows": [{"x": 0, "busy": 5}, {"x": 1, "busy": 6}, {"x": 1, "busy": 7}],
        "devices": [[0, [0, 2]], [1, [0, 1, 2, 1]], [3, [1, 1, 0, 1]]]})"));
}

TEST(DeviceRows, ComeBackInTheirOrder) {
    const Json rows = rows_of_three_devices();

    EXPECT_EQ(unfold_devices(fold_devices(rows)).dump(), rows.dump());
    EXPECT_EQ(unfold_devices(fold_devices(Json::array())), Json::array());
}

TEST(DeviceRows, AreRefusedInAnotherForm) {
    EXPECT_THROW((void)unfold_devices(rows_of_three_devices()), Json::exception);
}

}  // namespace
}  // namespace tessera::report
