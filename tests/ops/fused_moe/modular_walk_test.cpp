// SPDX-License-Identifier: Apache-2.0
// Every prepare/finalize with every experts, on 1, 2 and 4 devices. Pairs that run give the result
// of plain loops, and each step gives the result of its own reference. Only these pairs are
// instances of the tests; one test expects that each other pair is refused. The tests read the
// tables of implementations, so they include new rows automatically.
#include <gmock/gmock.h>

#include <set>

#include "emu/base/bf16.hpp"
#include "emu/dram/tensor_buffer.hpp"
#include "runtime/pipeline/run_pipeline.hpp"
#include "tessera/page_address.hpp"
#include "tests/ops/fused_moe/modular_pairs.hpp"
#include "tests/ops/fused_moe/plain_layer.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::ops::fused_moe {
namespace {

void expect_near(const HostTensor& result, const std::vector<double>& wanted,
                 const Experts& experts) {
    const Distance found = distance(result, wanted);
    EXPECT_LT(found.error * found.error, experts.limits.max_error_squared);
    EXPECT_GT(found.pcc, experts.limits.min_pcc);
}

class ModularRun : public ::testing::Test {
protected:
    /// Runs the layer, expects each step to match its reference, and returns a tensor.
    HostTensor run(const config::LoadedRun& loaded, const std::string& tensor = "out") {
        SafetensorsWriter outputs(folder_.file("out.safetensors"),
                                  pipeline::output_tensors(loaded));
        pipeline::RunFiles files;
        files.outputs = &outputs;
        const report::RunRecord record = pipeline::run_pipeline(loaded, {}, files);
        outputs.finish();
        for (const report::StepRecord& step : record.steps) {
            EXPECT_TRUE(!step.check || step.check->passed())
                << step.name << ": " << step.check->failure;
        }
        const SafetensorsFile file(folder_.file("out.safetensors"));
        return file.read(file.find(tensor) == nullptr ? "d0." + tensor : tensor);
    }

    ScratchFolder folder_;
};

class ModularWalk : public ModularRun, public ::testing::WithParamInterface<Pair> {};

TEST_P(ModularWalk, GivesWhatPlainLoopsGive) {
    const Pair& pair = GetParam();
    const config::LoadedRun loaded = load(pair);

    const HostTensor out = run(loaded);

    expect_near(out, expected(loaded, pair.ranks), *pair.experts);
}

/// Returns the bytes per bank of a bfloat16 tensor.
std::uint64_t bank_bytes(const ArchSpec& arch, const Shape& shape) {
    const TensorSpec spec{shape, DataFormat::Float16_b, Layout::ROW_MAJOR};
    return PageMap(interleaved_buffer(arch, 0, spec, BufferType::DRAM), make_bank_layout(arch))
        .bytes_per_bank();
}

Layer layer_on(std::uint32_t ranks) {
    return {.tokens = 19,
            .hidden = 72,
            .gate_up = 80,
            .intermediate = 40,
            .experts = 8,
            .local_experts = 8 / ranks,
            .top_k = 3,
            .ranks = ranks};
}

const pipeline::Workspace& workspace(const config::LoadedRun& loaded, const std::string& name) {
    const auto found =
        std::ranges::find(loaded.pipeline.workspaces, "moe." + name, &pipeline::Workspace::name);
    require(found != loaded.pipeline.workspaces.end(), "there is no workspace {}", name);
    return *found;
}

TEST_P(ModularWalk, WorksInTheMemoryThatItsShapesSay) {
    const Pair& pair = GetParam();
    const config::LoadedRun loaded = load(pair);
    const Layer layer = layer_on(pair.ranks);

    const WorkspaceShapes shapes =
        pair.experts->workspace_shapes(layer, dispatched(*pair.prepare_finalize, layer));

    EXPECT_LE(workspace(loaded, kWorkspace13).bytes, bank_bytes(loaded.arch, shapes.workspace13));
    EXPECT_LE(workspace(loaded, kWorkspace2).bytes, bank_bytes(loaded.arch, shapes.workspace2));
    for (const pipeline::Workspace& held : loaded.pipeline.workspaces) {
        if (held.name == std::string("moe.") + kOutput) {
            EXPECT_LE(held.bytes, bank_bytes(loaded.arch, shapes.output));
        }
    }
}

class ModularChunkWalk : public ModularWalk {};

TEST_P(ModularChunkWalk, UsesTheSameMemoryForEveryChunk) {
    const Pair& pair = GetParam();
    const config::LoadedRun one = load(pair);
    const config::LoadedRun chunks = load(pair, kInChunks);

    for (const char* name : {kWorkspace13, kWorkspace2}) {
        const pipeline::Workspace& whole = workspace(one, name);
        const pipeline::Workspace& held = workspace(chunks, name);
        EXPECT_LT(held.bytes, whole.bytes);
        EXPECT_GE(held.tensors.size(), 3 * whole.tensors.size());
    }
}

TEST_P(ModularChunkWalk, GivesTheSameInChunks) {
    const Pair& pair = GetParam();
    const config::LoadedRun loaded = load(pair, kInChunks);

    const HostTensor out = run(loaded);

    expect_near(out, expected(loaded, pair.ranks), *pair.experts);
}

using ActivationOfPair = std::tuple<Pair, std::string>;

class ModularActivation : public ModularRun,
                          public ::testing::WithParamInterface<ActivationOfPair> {};

TEST_P(ModularActivation, StandsBetweenTheProductsOfAnyExperts) {
    const auto& [pair, activation] = GetParam();
    const bool has_gate = activation.find("no_mul") == std::string::npos;
    const config::LoadedRun loaded = load(
        pair, {"params.activation=" + activation, has_gate ? "params.N=40" : "params.gate_up=40"});

    const HostTensor out = run(loaded);

    expect_near(out, expected(loaded, pair.ranks, {.activation = activation}), *pair.experts);
}

INSTANTIATE_TEST_SUITE_P(
    All, ModularActivation,
    ::testing::Combine(::testing::Values(pair_of("none", "grouped"),
                                         pair_of("batched", "batched_masked"),
                                         pair_of("all_gather_reduce_scatter", "grouped_permuted"),
                                         pair_of("none", "grouped_fp8_block"),
                                         pair_of("all_to_all_batched", "batched_bmm")),
                       ::testing::Values("silu", "gelu", "swigluoai", "silu_no_mul", "gelu_no_mul",
                                         "relu2_no_mul")),
    [](const auto& test) {
        return std::get<0>(test.param).name() + "_" + std::get<1>(test.param);
    });

class ModularWeightOnInput : public ModularRun, public ::testing::WithParamInterface<Pair> {};

TEST_P(ModularWeightOnInput, WeighsTokensAndNotWhatExpertsMakeOfThem) {
    const Pair& pair = GetParam();
    const config::LoadedRun loaded =
        load(pair, {"params.topk=1", "params.apply_router_weight_on_input=true"});

    const HostTensor out = run(loaded);

    expect_near(out, expected(loaded, pair.ranks, {.weighs_input = true}), *pair.experts);
}

/// Returns each prepare/finalize with the first compatible experts of the table, and each experts
/// with the first compatible prepare/finalize.
std::vector<Pair> every_row_once() {
    std::vector<Pair> pairs;
    std::set<const void*> seen;
    for (const PrepareAndFinalize& pf : all_prepare_finalize()) {
        for (const Experts& experts : all_experts()) {
            const bool is_new = !seen.contains(&pf) || !seen.contains(&experts);
            if (is_new && !refusal(pf, experts, {.ranks = 2})) {
                pairs.push_back({&pf, &experts, 2});
                seen.insert({&pf, &experts});
            }
        }
    }
    return pairs;
}

INSTANTIATE_TEST_SUITE_P(EveryRow, ModularWeightOnInput, ::testing::ValuesIn(every_row_once()),
                         [](const auto& test) { return test.param.name(); });

class ModularInPlace : public ModularRun, public ::testing::WithParamInterface<Pair> {};

TEST_P(ModularInPlace, GivesTheSameInThePlaceOfItsTokens) {
    const Pair& pair = GetParam();
    const config::LoadedRun apart = load(pair);
    const config::LoadedRun in_place = load(pair, {"steps.moe.out=[a]", "outputs=[a]"});

    const HostTensor wanted = run(apart);

    EXPECT_EQ(run(in_place, "a").bytes, wanted.bytes);
}

INSTANTIATE_TEST_SUITE_P(EveryRow, ModularInPlace, ::testing::ValuesIn(every_row_once()),
                         [](const auto& test) { return test.param.name(); });

// Zipf: expert 0 is chosen most often. With a capacity of two tokens, the first two tokens that
// choose an expert have it; this choice of later tokens counts as nothing.
class ModularCapacity : public ModularRun, public ::testing::WithParamInterface<Pair> {};

TEST_P(ModularCapacity, DropsTheChoicesOfLaterTokens) {
    const Pair& pair = GetParam();
    const config::LoadedRun loaded = load(pair, {"params.max_num_tokens=2"});

    const HostTensor out = run(loaded);

    expect_near(out, expected(loaded, pair.ranks, {.capacity = 2}), *pair.experts);
}

INSTANTIATE_TEST_SUITE_P(
    All, ModularCapacity,
    ::testing::Values(Pair{find_prepare_finalize("batched"), find_experts("batched_masked"), 1},
                      Pair{find_prepare_finalize("batched"), find_experts("naive_batched"), 2},
                      Pair{find_prepare_finalize("all_to_all_capped"),
                           find_experts("batched_grouped"), 1}),
    [](const auto& test) { return test.param.name(); });

/// Layers whose rows exceed a fabric packet, 7616 bytes: hidden sizes of Mixtral and of
/// DeepSeek-V3. Few tokens and experts: the tests above do not have such rows.
class ModularWide : public ModularRun, public ::testing::WithParamInterface<Pair> {};

TEST_P(ModularWide, GivesWhatPlainLoopsGive) {
    const Pair& pair = GetParam();
    const config::LoadedRun loaded =
        load(pair, {"params.M=4", "params.E=4", "params.topk=2", "params.N=32"});

    const HostTensor out = run(loaded);

    expect_near(out, expected(loaded, pair.ranks), *pair.experts);
}

std::vector<Pair> pairs_at(std::vector<Pair> pairs, std::uint32_t hidden) {
    std::vector<Pair> wide;
    for (Pair& pair : pairs) {
        pair.hidden = hidden;
        if (pair.ranks == 2) {
            wide.push_back(pair);
        }
    }
    return wide;
}

INSTANTIATE_TEST_SUITE_P(At4096, ModularWide,
                         ::testing::ValuesIn(pairs_at(split_pairs(Chunks::Whole).run, 4096)),
                         [](const auto& test) { return test.param.name(); });
INSTANTIATE_TEST_SUITE_P(At7168, ModularWide, ::testing::ValuesIn(pairs_at(every_row_once(), 7168)),
                         [](const auto& test) { return test.param.name(); });

/// Layers with weights in e4m3 and scales of blocks, of a pair and experts of the device.
using PairOfExperts = std::tuple<const char*, std::uint32_t, std::uint32_t>;

class Fp8Pipeline : public ModularRun, public ::testing::WithParamInterface<PairOfExperts> {
protected:
    HostTensor run_with(const char* prepare_finalize, const char* experts) {
        const auto [_, ranks, number] = GetParam();
        return run(
            load({find_prepare_finalize(prepare_finalize), find_experts(experts), ranks, 256},
                 {"params.quantisation=fp8_block", "params.N=128",
                  "params.E=" + std::to_string(number)}));
    }
};

// Grouped products keep the first product in bfloat16, the pipeline in e4m3.
TEST_P(Fp8Pipeline, GivesWhatGroupedProductsGive) {
    const HostTensor plain = run_with("none", "grouped");
    std::vector<double> wanted;
    for (const std::uint16_t bits : plain.as<std::uint16_t>()) {
        wanted.push_back(bf16_to_float(bits));
    }

    const HostTensor out = run_with(std::get<0>(GetParam()), "fp8_pipeline");

    expect_near(out, wanted, *find_experts("fp8_pipeline"));
}

INSTANTIATE_TEST_SUITE_P(Dispatches, Fp8Pipeline,
                         ::testing::Values(PairOfExperts{"none", 1, 8},
                                           PairOfExperts{"none", 4, 10},
                                           PairOfExperts{"all_gather_reduce_scatter", 2, 8},
                                           PairOfExperts{"quantised_all_gather", 4, 8},
                                           PairOfExperts{"all_to_all_contiguous", 2, 8},
                                           PairOfExperts{"quantised_all_to_all", 4, 10}),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)) + "_on_" +
                                    std::to_string(std::get<1>(test.param)) + "_of_" +
                                    std::to_string(std::get<2>(test.param));
                         });

INSTANTIATE_TEST_SUITE_P(AllPairs, ModularWalk, ::testing::ValuesIn(split_pairs(Chunks::Whole).run),
                         [](const auto& test) { return test.param.name(); });

INSTANTIATE_TEST_SUITE_P(AllPairs, ModularChunkWalk,
                         ::testing::ValuesIn(split_pairs(Chunks::Several).run),
                         [](const auto& test) { return test.param.name(); });

}  // namespace
}  // namespace tessera::ops::fused_moe
