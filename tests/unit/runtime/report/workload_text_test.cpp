// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/workload_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tessera::report {
namespace {

const PipelineSummary kSummary{{{"tokens", "128"}, {"activation", "fused"}}};

TEST(WorkloadText, NamesEachParamWithItsValue) {
    EXPECT_EQ(workload_text(kSummary), "tokens 128, activation fused");
}

TEST(WorkloadJson, KeepsWholeNumbersAsNumbers) {
    EXPECT_EQ(workload_json(kSummary).dump(), R"({"tokens":128,"activation":"fused"})");
}

}  // namespace
}  // namespace tessera::report
