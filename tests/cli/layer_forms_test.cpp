// SPDX-License-Identifier: Apache-2.0
// Forms of the MoE layer in models other than DeepSeek-V3.2: a layer on four devices gives the
// result of one device.
#include <gtest/gtest.h>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

struct Form {
    const char* name;
    std::vector<std::string> sets;
    friend void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }
};

class CliLayerForm : public ::testing::TestWithParam<Form> {
protected:
    /// Returns the output of the layer on a row of devices.
    [[nodiscard]] HostTensor output(const std::vector<std::string>& sets) const {
        std::vector<std::string> arguments{"run", "moe_layer", "--outputs",
                                           folder_.file("out.safetensors")};
        for (const auto& list : {GetParam().sets, sets}) {
            for (const std::string& set : list) {
                arguments.insert(arguments.end(), {"--set", "params." + set});
            }
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

}  // namespace
}  // namespace tessera::test
