// SPDX-License-Identifier: Apache-2.0
// Expected cycles were measured in tt-lang's CostTableBlackhole.inc; prices are derived from them.
#include <gtest/gtest.h>

#include "bench/accuracy/programs/families.hpp"
#include "tests/unit/bench/accuracy/small_model.hpp"

namespace tessera::score {
namespace {

double predicted(const char* call, const char* parameters) {
    const ArchSpec arch = testing::make_arch(4, 4);
    TimingSpec timing = testing::fast_timing(arch);
    timing.compute.math_start = Cycles{1.5};
    timing.compute.eltwise_phase = Cycles{17.3};
    timing.compute.eltwise_late_phase = Cycles{24};
    timing.compute.reduce_row_largest = Cycles{84};
    timing.compute.unpack_pair_call = Cycles{37.1};
    timing.compute.pack_tile_32bit = Cycles{39};
    timing.compute.pack_start = Cycles{5};
    const Row row{.workload = call, .metric = "cycles_per_tile", .unit = "cycles"};
    return predict_tile_call(row, Parameters(parameters), testing::without_ranges(arch, timing))
        .expected;
}

TEST(TileCall, IsTheBusyTimeOfOneThread) {
    EXPECT_NEAR(predicted("mul_tiles", "thread=math;dtype=BFLOAT16;fidelity=HiFi4"), 84.11, 0.1);
    EXPECT_NEAR(predicted("mul_tiles", "thread=unpack;dtype=BFLOAT16"), 37.11, 0.1);
    EXPECT_NEAR(predicted("pack_tile", "thread=pack;dtype=FLOAT32;fp32_dest=True"), 43.98, 0.1);
    EXPECT_NEAR(
        predicted("reduce_tile", "thread=math;dtype=BFLOAT16;along=rows;by=largest;fidelity=HiFi2"),
        85.47, 0.1);
}

std::string refusal(const char* call, const char* parameters) {
    try {
        (void)predicted(call, parameters);
    } catch (const NotExpressible& refused) {
        return refused.what();
    }
    return "";
}

TEST(TileCall, SaysWhatItDoesNotPlay) {
    EXPECT_EQ(refusal("topk_tile", "thread=math;dtype=BFLOAT16"), "call topk_tile is not played");
    EXPECT_EQ(refusal("add_tiles", "thread=reader;dtype=BFLOAT16"), "thread reader is not played");
    EXPECT_EQ(refusal("reduce_tile", "thread=math;dtype=BFLOAT16;along=faces;by=sum"),
              "along faces: neither rows, columns nor both");
    EXPECT_EQ(refusal("reduce_tile", "thread=math;dtype=BFLOAT16;along=rows;by=average"),
              "by average: neither sum nor largest");
}

}  // namespace
}  // namespace tessera::score
