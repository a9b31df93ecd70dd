// SPDX-License-Identifier: Apache-2.0
// Routers of model families, and layers whose number of experts is not a multiple of the devices,
// through the binary. Expected outputs were computed in float64, independently of Tessera
// (tests/golden/models/README.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "emu/base/tensor_file/safetensors.hpp"
#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/cli/tessera_process.hpp"
#include "tests/golden/hashed_tensor.hpp"
#include "tests/ops/golden_tensor.hpp"

namespace tessera::test {
namespace {

using golden::GoldenFile;
using golden::hashed;
using tessera::testing::golden_tensor;

void add_sets(const std::vector<std::string>& sets, std::vector<std::string>& arguments) {
    for (const std::string& set : sets) {
        arguments.insert(arguments.end(), {"--set", set});
    }
}

bool is_close(const HostTensor& result, const HostTensor& wanted, const CloseTolerance& tolerance) {
    const std::vector<ComparedPart> parts{{result, wanted}};
    return compare_close(parts, tolerance).passes(tolerance);
}

/// A family, and how its router converts logits to weights.
struct Family {
    const char* stem;
    std::vector<std::string> sets;
    friend void PrintTo(const Family& family, std::ostream* out) { *out << family.stem; }
};

class CliGoldenRouter : public ::testing::TestWithParam<Family> {
protected:
    [[nodiscard]] SafetensorsFile routed(const std::vector<std::string>& more) const {
        std::vector<std::string> arguments{"run",       "moe_routing",
                                           "--inputs",  golden_path(stem()),
                                           "--outputs", folder_.file("out.safetensors")};
        add_sets(GetParam().sets, arguments);
        add_sets(more, arguments);
        const Ending ending = run_tessera(arguments);
        EXPECT_EQ(ending.exit_code, 0) << ending.err << ending.out;
        return SafetensorsFile(folder_.file("out.safetensors"));
    }
    [[nodiscard]] static std::string stem() { return std::string("models/") + GetParam().stem; }

    GoldenFile golden_{stem()};
    ScratchFolder folder_;
};

TEST_P(CliGoldenRouter, SelectsTheExactExpertsFromLogits) {
    const SafetensorsFile outputs = routed({"params.from_logits=1"});

    EXPECT_EQ(outputs.read("topk_ids").bytes, golden_tensor(golden_, "topk_ids").bytes);
    EXPECT_TRUE(is_close(outputs.read("topk_weights"), golden_tensor(golden_, "topk_weights"),
                         {0.99999, 2e-5}));
}

TEST_P(CliGoldenRouter, ComputesLogitsFromHiddenStates) {
    const SafetensorsFile outputs = routed({});

    EXPECT_TRUE(is_close(outputs.read("router_logits"), golden_tensor(golden_, "router_logits"),
                         {0.9999, 1e-5}));
}

INSTANTIATE_TEST_SUITE_P(
    Families, CliGoldenRouter,
    ::testing::Values(
        Family{"router_mixtral", {"params.scoring=softmax", "params.top_k=2"}},
        Family{"router_qwen15_moe",
               {"params.scoring=softmax", "params.renormalise=false", "params.top_k=4"}},
        Family{"router_granite", {"params.scoring=topk_softmax", "params.top_k=8"}},
        Family{"router_gpt_oss", {"params.scoring=topk_softmax", "params.top_k=4"}},
        Family{"router_llama4",
               {"params.scoring=llama4", "params.renormalise=false", "params.top_k=1"}},
        Family{"router_glm45", {"params.scoring=sigmoid", "params.top_k=8"}},
        Family{"router_deepseek_v3",
               {"params.scoring=sigmoid", "params.top_k=8", "params.n_group=8",
                "params.topk_group=4", "params.routed_scaling_factor=2.5"}}));

TEST(CliInputs, ATensorOfAnotherNameGivesTheSizesOfItsShape) {
    const ScratchFolder folder;
    const HostTensor logits = make_host_tensor({5, 16}, DataFormat::Float32);
    write_safetensors(folder.file("in.safetensors"), {{"gate_scores", &logits}});

    const Ending ending = run_tessera(
        {"run", "moe_routing", "--inputs", folder.file("in.safetensors"), "--outputs",
         folder.file("out.safetensors"), "--set", "tensors.router_logits.stored_as=gate_scores"});

    ASSERT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_EQ(SafetensorsFile(folder.file("out.safetensors")).read("topk_ids").shape,
              (Shape{5, 8}));
}

constexpr std::uint32_t kRanks = 4;

/// Returns maps of the file by the prefix of their names. "reversed" has experts in the opposite
/// order, which no rule of a serving engine produces.
std::vector<HostTensor> maps_of(const GoldenFile& file, const std::string& placement) {
    std::vector<HostTensor> maps;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
        const std::string prefix = placement == "round_robin" ? "round_robin." : "";
        maps.push_back(golden_tensor(file, prefix + "r" + std::to_string(rank) + ".expert_map"));
        if (placement == "reversed") {
            const auto map = maps.back().as<std::int32_t>();
            std::reverse(map.begin(), map.end());
        }
    }
    return maps;
}

struct Placed {
    const char* placement;
    const char* prepare_finalize;
    const char* experts;
    friend void PrintTo(const Placed& run, std::ostream* out) {
        *out << run.placement << " " << run.prepare_finalize << " " << run.experts;
    }
};

class CliGoldenUneven : public ::testing::TestWithParam<Placed> {};

// 10 experts on 4 devices: 3, 3, 2, 2. The sum over experts does not depend on their devices.
TEST_P(CliGoldenUneven, GivesTheResultOfTheExactChain) {
    const GoldenFile file("models/uneven_e10_r4");
    const ScratchFolder folder;
    std::map<std::string, HostTensor> tensors{{"w1", hashed({10, 192, 512}, 1017, 12)},
                                              {"w2", hashed({10, 512, 96}, 1018, 10)}};
    for (const char* name : {"a", "topk_ids", "topk_weights"}) {
        tensors[name] = golden_tensor(file, name);
    }
    const std::vector<HostTensor> maps = maps_of(file, GetParam().placement);
    for (std::size_t rank = 0; rank < maps.size(); ++rank) {
        tensors["r" + std::to_string(rank) + ".expert_map"] = maps[rank];
    }
    std::map<std::string, const HostTensor*> stored;
    for (const auto& [name, tensor] : tensors) {
        stored[name] = &tensor;
    }
    write_safetensors(folder.file("in.safetensors"), stored);
    std::vector<std::string> arguments{"run",       "moe_modular",
                                       "--inputs",  folder.file("in.safetensors"),
                                       "--outputs", folder.file("out.safetensors")};
    add_sets({"params.ranks=4", std::string("params.pf=") + GetParam().prepare_finalize,
              std::string("params.experts=") + GetParam().experts, "machine.unwritten_memory=nan"},
             arguments);

    const Ending ending = run_tessera(arguments);

    ASSERT_EQ(ending.exit_code, 0) << ending.err << ending.out;
    const HostTensor out = SafetensorsFile(folder.file("out.safetensors")).read("out");
    EXPECT_TRUE(is_close(out, golden_tensor(file, "out"), {0.99997118, 0.03783}));
}

INSTANTIATE_TEST_SUITE_P(
    Placements, CliGoldenUneven,
    ::testing::Values(Placed{"contiguous", "none", "grouped"},
                      Placed{"contiguous", "all_gather_reduce_scatter", "grouped"},
                      Placed{"contiguous", "all_to_all_contiguous", "grouped_permuted"},
                      Placed{"contiguous", "all_to_all_batched", "batched_masked"},
                      Placed{"round_robin", "all_to_all_capped", "batched_masked"},
                      Placed{"round_robin", "batched", "batched_grouped"},
                      Placed{"reversed", "all_to_all_contiguous", "grouped"},
                      Placed{"reversed", "all_to_all_batched", "batched_grouped"}));

}  // namespace
}  // namespace tessera::test
