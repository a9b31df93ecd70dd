// SPDX-License-Identifier: Apache-2.0
// A layer of a pair that cannot run is refused with its reason.
#include <gmock/gmock.h>

#include "runtime/pipeline/run_pipeline.hpp"
#include "tests/ops/fused_moe/modular_pairs.hpp"

namespace tessera::ops::fused_moe {
namespace {

/// Returns the refusal of a layer.
std::string refused(const Pair& pair, const std::vector<std::string>& sets) {
    try {
        (void)load(pair, sets);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "(nothing thrown)";
}

// Two devices cover all reasons; loading a run takes 15 ms.
TEST(ModularErrors, EveryPairThatDoesNotRunIsRefusedWithItsReason) {
    for (const Chunks chunks : {Chunks::Whole, Chunks::Several}) {
        const auto sets = chunks == Chunks::Several ? kInChunks : std::vector<std::string>{};
        for (const Pair& pair : split_pairs(chunks).refused) {
            const bool is_known = chunks == Chunks::Several && refusal_of(pair, Chunks::Whole);
            if (pair.ranks == 2 && !is_known) {
                EXPECT_THAT(refused(pair, sets),
                            ::testing::HasSubstr("steps.moe.set.experts: " +
                                                 refusal_of(pair, chunks).value_or("")))
                    << pair.name();
            }
        }
    }
}

TEST(ModularErrors, IndicesOfATypeThatTheDispatchDoesNotTakeAreNamed) {
    const std::vector<std::string> unsigned_ids{"tensors.topk_ids.dtype=uint32"};

    EXPECT_THAT(refused(pair_of("all_to_all_contiguous", "grouped"), unsigned_ids),
                ::testing::HasSubstr("steps.moe.set.experts: dtype of indices: "
                                     "all_to_all_contiguous takes int32, topk_ids are uint32"));
    EXPECT_EQ(refused(pair_of("none", "grouped"), unsigned_ids), "(nothing thrown)");
}

TEST(ModularErrors, WeightsOnInputsOfSeveralChoicesAreNamed) {
    EXPECT_THAT(refused(pair_of("none", "grouped"), {"params.apply_router_weight_on_input=true"}),
                ::testing::HasSubstr("apply_router_weight_on_input: is true; allowed with 3 "
                                     "choices a token: false"));
}

TEST(ModularErrors, RowsOfW1ThatTheActivationDoesNotTakeAreNamed) {
    EXPECT_THAT(refused(pair_of("none", "grouped"), {"params.activation=relu2_no_mul"}),
                ::testing::HasSubstr("w1 has 80 rows an expert; allowed with activation "
                                     "relu2_no_mul and w2 of 40 columns: 40"));
}

/// Returns the refusal of a run with these initial values.
std::string refused_values(const Pair& pair, const std::vector<std::string>& sets) {
    const config::LoadedRun loaded = load(pair, sets);
    try {
        (void)pipeline::run_pipeline(loaded, {}, {});
    } catch (const UsageError& error) {
        return error.what();
    }
    return "(nothing thrown)";
}

TEST(ModularErrors, AnExpertMapOutOfRangeIsNamed) {
    EXPECT_EQ(refused_values(pair_of("all_gather_reduce_scatter", "grouped"),
                             {"tensors.expert_map.origin={constant: 4}"}),
              "fused_moe: expert_map[0] is 4; allowed: -1 (another device's) or 0 to 3 (step moe); "
              "correct the values of tensor expert_map");
}

TEST(ModularErrors, IdsThatNameNoExpertAreNamed) {
    for (const Pair& pair :
         {pair_of("none", "grouped"), pair_of("none", "grouped_permuted"),
          pair_of("all_gather_reduce_scatter", "grouped"),
          pair_of("all_to_all_contiguous", "grouped"), pair_of("batched", "batched_masked")}) {
        EXPECT_EQ(
            refused_values(pair, {"tensors.topk_ids.origin={constant: 8}"}),
            "fused_moe: topk_ids(0,0) is 8; allowed: -1 (none) and 0 to 7 (step moe); correct "
            "the values of tensor topk_ids")
            << pair.name();
    }
}

TEST(ModularErrors, AnExpertTwiceInATokenIsNamedWhereBatchesHaveNoRoomForIt) {
    const std::vector<std::string> twice{"tensors.topk_ids.origin={index: i % 2}"};  // 0 1 0, 1 0 1

    for (const char* pf : {"batched", "all_to_all_batched", "all_to_all_capped"}) {
        EXPECT_EQ(refused_values(pair_of(pf, "batched_masked"), twice),
                  "fused_moe with " + std::string(pf) +
                      ": topk_ids(0,2) is 0, as is topk_ids(0,0); a token selects an expert once "
                      "(step moe); correct the values of tensor topk_ids");
    }
}

TEST(ModularErrors, KeysThatTheRowsDoNotTakeAreNamed) {
    EXPECT_THAT(
        refused(pair_of("none", "grouped"), {"steps.moe.set.max_num_tokens=4"}),
        ::testing::HasSubstr("max_num_tokens: is 4, but the layer of prepare/finalize none, "
                             "experts grouped and activation silu does not use it; "
                             "allowed: 0, its default"));
    EXPECT_THAT(refused(pair_of("all_to_all_batched", "batched_masked"),
                        {"steps.moe.set.max_num_tokens=4"}),
                ::testing::HasSubstr("max_num_tokens: is 4, but the layer of prepare/finalize "
                                     "all_to_all_batched, experts batched_masked and activation "
                                     "silu does not use it"));
    EXPECT_THAT(
        refused(pair_of("batched", "batched_masked"), {"params.block_size=16"}),
        ::testing::HasSubstr("block_size: is 16, but the layer of prepare/finalize batched, "
                             "experts batched_masked and activation silu does not use it; "
                             "allowed: 32, its default"));
    EXPECT_THAT(refused(pair_of("none", "grouped"), {"set.fused_moe.limit=1"}),
                ::testing::HasSubstr("limit: is 1, but the layer of prepare/finalize none, experts "
                                     "grouped and activation silu does not use it; "
                                     "allowed: 7, its default"));
}

TEST(ModularErrors, AMapThatADispatchDoesNotLookAtIsNamed) {
    const std::vector<std::string> round_robin{
        "tensors.expert_map.origin={random: expert_map, kind: round_robin}"};

    EXPECT_EQ(refused_values(pair_of("all_to_all_contiguous", "grouped"), round_robin),
              "fused_moe: expert_map[1] of device 0 is -1; all_to_all_contiguous sends the "
              "tokens of expert 1 to device 0; allowed: 1, or any map with expert_places "
              "(step moe)");
    EXPECT_EQ(refused_values(pair_of("none", "grouped"), round_robin), "(nothing thrown)");
}

TEST(ModularErrors, ABlockSizeOutOfRangeIsNamed) {
    EXPECT_THAT(refused(pair_of("none", "grouped"), {"params.block_size=129"}),
                ::testing::HasSubstr("params.block_size: 129 is out of range, allowed: 1 to 128"));
}

TEST(ModularErrors, FewerSlotsThanExpertsAreNamed) {
    EXPECT_THAT(refused(pair_of("none", "grouped"), {"params.num_local_experts=1"}),
                ::testing::HasSubstr("expert_map has 8 entries; allowed: up to 2, 1 experts on "
                                     "each of 2 devices"));
}

TEST(ModularErrors, AnExpertOnTwoDevicesOrNoneIsNamed) {
    EXPECT_EQ(
        refused_values(pair_of("none", "grouped"),
                       {"tensors.expert_map.origin={index: \"i % 4\"}"}),
        "fused_moe: expert_map: expert 0 is on devices 0 and 1; allowed: one device (step moe)");
    EXPECT_EQ(refused_values(pair_of("none", "grouped"),
                             {"tensors.expert_map.origin={index: \"(i == device) - 1\"}"}),
              "fused_moe: expert_map: expert 2 is on no device; allowed: one device (step moe)");
}

TEST(ModularErrors, ZeroPointsWithoutAUseAreNamedOnce) {
    const std::string text =
        refused(pair_of("none", "grouped"), {"params.quantisation=nvfp4", "params.zero_points=1"});

    EXPECT_THAT(text,
                ::testing::HasSubstr("w1_zp is given; allowed with quantisation nvfp4: none"));
    EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("the shape of")));
}

TEST(ModularErrors, ExpertsThatAreMadeForOtherCodesAreNamedOnce) {
    EXPECT_THAT(refused(pair_of("none", "fp8_pipeline"), {"params.quantisation=nvfp4"}),
                ::testing::AllOf(
                    ::testing::HasSubstr("experts: weights: fp8_pipeline takes codes of fp8 in "
                                         "blocks only; set quantisation to fp8_block, or choose "
                                         "other experts"),
                    ::testing::Not(::testing::HasSubstr("bfloat16"))));
}

TEST(ModularErrors, AGroupOfScalesThatNoProductTakesIsNamed) {
    for (const char* group : {"96", "33", "1"}) {
        EXPECT_THAT(refused(pair_of("none", "grouped"), {"params.quantisation=int4_group",
                                                         "params.group=" + std::string(group)}),
                    ::testing::HasSubstr("params.group: " + std::string(group) +
                                         ", allowed: 32, 64, 128, 256, 0"));
    }
}

TEST(ModularErrors, AParamThatFollowsFromOthersCannotBeSet) {
    EXPECT_THAT(refused(pair_of("none", "grouped"), {"params.scale_block=64"}),
                ::testing::HasSubstr("params.scale_block: 64, allowed: no value, because it "
                                     "follows from params.quantisation, params.group; set one of "
                                     "them"));
}

TEST(ModularErrors, OperandsThatDoNotFitTheQuantisationAreNamed) {
    const Pair pair = pair_of("none", "grouped");
    EXPECT_THAT(
        refused(pair, {"params.quantisation=fp8_channel", "tensors.w1_scale.shape=[8,80,2]"}),
        ::testing::HasSubstr("w1_scale is (4,80,2); allowed with quantisation fp8_channel "
                             "and w1 of (4,80,72): (4,80,1)"));
    EXPECT_THAT(refused(pair, {"params.quantisation=fp8_channel",
                               "steps.moe.set.quantisation=int8_channel"}),
                ::testing::HasSubstr("w1 is fp8_e4m3; allowed with quantisation int8_channel: "
                                     "bfp8_b"));
    EXPECT_THAT(refused(pair, {"params.quantisation=mxfp4", "steps.moe.in.w1_scale.when=false"}),
                ::testing::HasSubstr("w1_scale is missing; required with quantisation mxfp4"));
    EXPECT_THAT(
        refused(pair, {"params.quantisation=fp8_channel", "steps.moe.set.quantisation=none"}),
        ::testing::HasSubstr(
            "w1_scale is given; allowed with quantisation none: none; leave it out"));
    EXPECT_THAT(refused(pair, {"params.quantisation=nvfp4", "steps.moe.in.w2_scale_2.when=false"}),
                ::testing::HasSubstr("w2_scale_2 is missing; required with quantisation nvfp4"));
    EXPECT_THAT(refused(pair, {"params.quantisation=mxfp4", "params.zero_points=1"}),
                ::testing::HasSubstr(
                    "w1_zp is given; allowed with quantisation mxfp4: none; leave it out"));
    EXPECT_THAT(refused(pair_of("none", "grouped_fp8"), {"params.quantisation=fp8_channel"}),
                ::testing::HasSubstr("experts: is grouped_fp8, which quantises bfloat16 weights"));
    EXPECT_THAT(refused(pair_of("batched", "batched_bmm"), {"params.biases=1"}),
                ::testing::HasSubstr("experts: is batched_bmm, which takes no bias"));
    EXPECT_THAT(refused(pair_of("quantised_all_gather", "grouped"),
                        {"params.quantisation=mxfp4", "params.experts=auto"}),
                ::testing::HasSubstr(
                    "experts: is auto, but none runs with quantised_all_gather and quantisation "
                    "mxfp4 (quantisation: quantised_all_gather dispatches codes with scales of "
                    "rows, grouped takes bfloat16); set pf to auto"));
}

}  // namespace
}  // namespace tessera::ops::fused_moe
