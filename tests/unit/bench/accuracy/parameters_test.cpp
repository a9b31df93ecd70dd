// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::score {
namespace {

template <class Call>
std::string reason_of(const Call& call) {
    try {
        call();
    } catch (const NotExpressible& refusal) {
        return refusal.what();
    }
    return "no refusal";
}

TEST(Parameters, AreValuesByKey) {
    const Parameters parameters(
        "mem=L1;bytes=4096;stateful=True;grid=8x4;shape=5x9x32x64;dtype=BFLOAT8_B;fidelity=HiFi2;"
        "config=2D mcast,packer_l1_acc=True;readers=12, one a bank;total=17179869184");

    EXPECT_EQ(parameters.text("mem"), "L1");
    EXPECT_EQ(parameters.count("bytes"), 4096U);
    EXPECT_EQ(parameters.count("readers"), 12U);
    EXPECT_EQ(parameters.long_count("total"), 17179869184U);
    EXPECT_TRUE(parameters.flag("stateful"));
    EXPECT_EQ(parameters.grid("grid"), (GridSize{8, 4}));
    EXPECT_THAT(parameters.shape("shape"), testing::ElementsAre(5, 9, 32, 64));
    EXPECT_EQ(parameters.format("dtype"), DataFormat::Bfp8_b);
    EXPECT_EQ(parameters.fidelity("fidelity"), MathFidelity::HiFi2);
    EXPECT_EQ(parameters.text("config"), "2D mcast,packer_l1_acc=True");
}

TEST(Parameters, FallBackForMissingKeysOnly) {
    const Parameters parameters("bytes=many");

    EXPECT_EQ(parameters.count_or("depth", 2), 2U);
    EXPECT_EQ(parameters.text_or("mem", "L1"), "L1");
    EXPECT_FALSE(parameters.flag_or("linked", false));
    EXPECT_EQ(reason_of([&] { (void)parameters.count_or("bytes", 1); }),
              "parameter bytes is many, not a whole number");
}

TEST(Parameters, SayWhatARowLacks) {
    const Parameters parameters("bytes=64B;flag=yes;grid=8;big=4294967296;dtype=INT7");

    EXPECT_EQ(reason_of([&] { (void)parameters.text("mem"); }), "parameter mem is missing");
    EXPECT_EQ(reason_of([&] { (void)parameters.count("bytes"); }),
              "parameter bytes is 64B, not a whole number");
    EXPECT_EQ(reason_of([&] { (void)parameters.flag("flag"); }),
              "parameter flag is yes, not True or False");
    EXPECT_EQ(reason_of([&] { (void)parameters.grid("grid"); }),
              "parameter grid is 8, not columns x rows");
    EXPECT_EQ(reason_of([&] { (void)parameters.count("big"); }),
              "parameter big is 4294967296, beyond 32 bits");
    EXPECT_EQ(reason_of([&] { (void)parameters.format("dtype"); }),
              "parameter dtype is INT7, which is not known");
    EXPECT_EQ(reason_of([] { (void)Parameters("a=1;b"); }), "parameters: b is not key=value");
    EXPECT_EQ(reason_of([] { (void)Parameters("a=1;a=2"); }), "parameter a is given twice");
}

}  // namespace
}  // namespace tessera::score
