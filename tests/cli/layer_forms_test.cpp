// SPDX-License-Identifier: Apache-2.0
// Forms of the MoE layer: of models other than DeepSeek-V3.2, and of tokens that are spread over
// devices in other ways. A layer on several devices gives the result of one device.
#include <gtest/gtest.h>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

struct Form {
    const char* name;
    std::vector<std::string> sets;
    /// Params that one device has, too.
    std::vector<std::string> kept = {};
    friend void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }
};

class CliLayerForm : public ::testing::TestWithParam<Form> {
protected:
    /// Returns the output of the layer with the params of the form and these.
    [[nodiscard]] HostTensor output(const std::vector<std::string>& sets) const {
        std::vector<std::string> all = GetParam().sets;
        all.insert(all.end(), sets.begin(), sets.end());
        return output_with(all);
    }

    /// Returns the output of the layer with these params.
    [[nodiscard]] HostTensor output_with(const std::vector<std::string>& params) const {
        std::vector<std::string> arguments{"run", "moe_layer", "--no-timing", "--outputs",
                                           folder_.file("out.safetensors")};
        for (const std::string& param : params) {
            arguments.insert(arguments.end(), {"--set", "params." + param});
        }
        const Ending ending = run_tessera(arguments);
        EXPECT_EQ(ending.exit_code, 0) << ending.err << ending.out;
        return SafetensorsFile(folder_.file("out.safetensors")).read("output");
    }

    ScratchFolder folder_;
};

TEST_P(CliLayerForm, GivesOnFourDevicesWhatOneGives) {
    // Sums over devices are rounded in a different order.
    constexpr CloseTolerance kBf16{0.9999, 0.02};
    const HostTensor one = output({"tp=1"});

    for (const char* pf : {"all_gather_reduce_scatter", "all_to_all_contiguous"}) {
        const HostTensor four = output({"tp=4", std::string("pf=") + pf});
        const std::vector<ComparedPart> parts{{four, one}};
        EXPECT_TRUE(compare_close(parts, kBf16).passes(kBf16)) << pf;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Models, CliLayerForm,
    ::testing::Values(
        Form{"Mixtral", {"T=13", "scoring=softmax", "n_group=1", "n_shared_experts=0"}},
        Form{"Qwen15MoeWithUnevenExperts",
             {"T=13", "E=18", "scoring=softmax", "renormalise=false", "n_group=1"}},
        Form{"GptOss",
             {"T=13", "scoring=topk_softmax", "gate_biased=1", "n_group=1", "n_shared_experts=0"}},
        Form{"Llama4", {"T=13", "scoring=llama4", "renormalise=false", "n_group=1", "top_k=1"}},
        Form{"ZeroExperts", {"T=13", "n_zero_experts=8", "n_shared_experts=0"}},
        Form{"FewerExpertsThanDevices", {"T=13", "E=3", "top_k=2", "n_group=1"}}),
    [](const auto& form) { return std::string(form.param.name); });

/// Params that spread 52 tokens over devices.
using CliLayerSpread = CliLayerForm;

TEST_P(CliLayerSpread, GivesWhatOneDeviceGives) {
    // Eight parts of a sum are each rounded to bfloat16, by up to 2^-8 of a part.
    constexpr CloseTolerance kBf16{0.9999, 8.0 / 256};
    std::vector<std::string> one_device{"tp=1", "T=52"};
    one_device.insert(one_device.end(), GetParam().kept.begin(), GetParam().kept.end());
    const HostTensor one = output_with(one_device);
    const HostTensor spread = output(GetParam().kept);

    const std::vector<ComparedPart> parts{{spread, one}};
    EXPECT_TRUE(compare_close(parts, kBf16).passes(kBf16));
}

INSTANTIATE_TEST_SUITE_P(
    Layers, CliLayerSpread,
    ::testing::Values(Form{"TwoRowsOfASequence", {"T=26", "tp=2", "pcp=2"}},
                      Form{"TwoSequencesOfTwoRows", {"T=13", "tp=2", "dp=2", "pcp=2"}},
                      Form{"SequenceOfRowsWithoutSequenceParallel",
                           {"T=13", "tp=2", "dp=2", "pcp=2"},
                           {"sequence_parallel=off"}},
                      Form{"SequenceOfRowsByAllToAll",
                           {"T=13", "tp=2", "dp=2", "pcp=2", "pf=all_to_all_contiguous"}},
                      Form{"LogitsWithTokens", {"T=26", "tp=2", "dp=2", "gather=router_logits"}},
                      Form{"LogitsOfASequence",
                           {"T=13", "tp=2", "dp=2", "pcp=2", "gather=router_logits"}},
                      Form{"LogitsWithoutSequenceParallel",
                           {"T=26", "tp=2", "dp=2", "gather=router_logits"},
                           {"sequence_parallel=off"}},
                      Form{"ContiguousWithoutSequenceParallel",
                           {"T=26", "tp=2", "dp=2", "pf=all_to_all_contiguous"},
                           {"sequence_parallel=off"}},
                      Form{"QuantisedAllToAllWithoutSequenceParallel",
                           {"T=26", "tp=2", "dp=2", "pf=quantised_all_to_all"},
                           {"sequence_parallel=off", "experts=grouped_fp8"}},
                      Form{"BatchesWithoutSequenceParallel",
                           {"T=26", "tp=2", "dp=2", "pf=all_to_all_batched", "experts=auto"},
                           {"sequence_parallel=off"}},
                      Form{"CappedWithoutSequenceParallel",
                           {"T=26", "tp=2", "dp=2", "pf=all_to_all_capped", "experts=auto"},
                           {"sequence_parallel=off"}},
                      Form{"AutoWithoutSequenceParallel",
                           {"T=13", "tp=2", "dp=4", "pf=auto", "experts=auto"},
                           {"sequence_parallel=off"}},
                      Form{"WholeBatchWithoutDispatch",
                           {"T=52", "tp=4", "pf=none", "tokens=batch"},
                           {"sequence_parallel=off"}},
                      Form{"WholeBatchInBatches",
                           {"T=52", "tp=4", "pf=batched", "experts=auto", "tokens=batch"},
                           {"sequence_parallel=off"}}),
    [](const auto& form) { return std::string(form.param.name); });

}  // namespace
}  // namespace tessera::test
