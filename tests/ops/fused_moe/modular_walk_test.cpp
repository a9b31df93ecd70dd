// SPDX-License-Identifier: Apache-2.0
// Every prepare/finalize with every experts, on 1, 2 and 4 devices. Pairs that run give what plain
// loops give, and each of their steps gives what its own reference does. Only these pairs are
// instances of the walks; one test expects that all other pairs are refused. The walks read the
// tables of implementations, so a new row joins them.
#include <gmock/gmock.h>

#include <array>
#include <filesystem>
#include <set>

#include "emu/dram/tensor_buffer.hpp"
#include "ops/fused_moe/modular_kernel.hpp"
#include "runtime/pipeline/run_pipeline.hpp"
#include "tessera/page_address.hpp"
#include "tests/ops/fused_moe/plain_layer.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::ops::fused_moe {
namespace {

namespace fs = std::filesystem;

struct Pair {
    const PrepareAndFinalize* prepare_finalize;
    const Experts* experts;
    std::uint32_t ranks;
    std::uint32_t hidden = 72;

    [[nodiscard]] std::string name() const {
        return std::string(prepare_finalize->name) + "_" + std::string(experts->name) + "_on_" +
               std::to_string(ranks);
    }
    friend void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name(); }
};

enum class Chunks { Whole, Several };

std::optional<std::string> refusal_of(const Pair& pair, Chunks chunks) {
    return refusal(*pair.prepare_finalize, *pair.experts,
                   {.ranks = pair.ranks, .is_chunked = chunks == Chunks::Several});
}

/// All pairs on 1, 2 and 4 devices, split by whether they run with the tokens in so many chunks.
struct SplitPairs {
    std::vector<Pair> run;
    std::vector<Pair> refused;
};

SplitPairs split_pairs(Chunks chunks) {
    SplitPairs pairs;
    for (const PrepareAndFinalize& prepare_finalize : all_prepare_finalize()) {
        for (const Experts& experts : all_experts()) {
            for (const std::uint32_t ranks : {1U, 2U, 4U}) {
                const Pair pair{&prepare_finalize, &experts, ranks};
                (refusal_of(pair, chunks) ? pairs.refused : pairs.run).push_back(pair);
            }
        }
    }
    return pairs;
}

/// A layer whose extents are no multiples of a tile, nor its tokens of the devices.
config::LoadedRun load(const Pair& pair, std::vector<std::string> sets = {}) {
    const fs::path configs = fs::path(TESSERA_SOURCE_DIR) / "configs";
    const std::array folders{configs};
    for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
             {"M", "19"},
             {"H", std::to_string(pair.hidden)},
             {"N", "40"},
             {"E", "8"},
             {"topk", "3"},
             {"ranks", std::to_string(pair.ranks)},
             {"pf", std::string(pair.prepare_finalize->name)},
             {"experts", std::string(pair.experts->name)}}) {
        std::string set("params.");
        set.append(key).append("=").append(value);
        sets.insert(sets.begin(), std::move(set));
    }
    return config::load_run(configs / "runs" / "moe_modular.yaml", sets, folders);
}

void expect_near(const HostTensor& result, const std::vector<double>& wanted,
                 const Experts& experts) {
    const Distance found = distance(result, wanted);
    EXPECT_LT(found.error * found.error, experts.limits.max_error_squared);
    EXPECT_GT(found.pcc, experts.limits.min_pcc);
}

class ModularRun : public ::testing::Test {
protected:
    /// Runs the layer, expects its steps to be as their references, and returns a tensor.
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

/// Bytes of each bank that a tensor of bfloat16 takes.
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

/// Splits the 19 tokens of the layer.
const std::vector<std::string> kInChunks{"params.chunk_tokens=7"};

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

/// The pair of that name on two devices.
Pair pair_of(std::string_view prepare_finalize, std::string_view experts) {
    return {find_prepare_finalize(prepare_finalize), find_experts(experts), 2};
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

/// Each prepare/finalize with the first experts of the table that go with it, and each experts
/// with the first prepare/finalize.
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

/// What a layer is refused with.
std::string refused(const Pair& pair, const std::vector<std::string>& sets) {
    try {
        (void)load(pair, sets);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "(nothing thrown)";
}

// On two devices, which have all reasons: loading a run takes 15 ms.
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
                ::testing::HasSubstr("apply_router_weight_on_input: is true; with 3 choices a "
                                     "token it must be false"));
}

TEST(ModularErrors, RowsOfW1ThatTheActivationDoesNotTakeAreNamed) {
    EXPECT_THAT(refused(pair_of("none", "grouped"), {"params.activation=relu2_no_mul"}),
                ::testing::HasSubstr("w1 has 80 rows an expert; with activation relu2_no_mul and "
                                     "w2 of 40 columns it must have 40"));
}

/// What a run is refused with, for values that it starts from.
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
              "fused_moe: expert_map[0] is 4; it must be -1 (another device's) or 0 to 3");
}

TEST(ModularErrors, IdsThatNameNoExpertAreNamed) {
    for (const Pair& pair :
         {pair_of("none", "grouped"), pair_of("none", "grouped_permuted"),
          pair_of("all_gather_reduce_scatter", "grouped"),
          pair_of("all_to_all_contiguous", "grouped"), pair_of("batched", "batched_masked")}) {
        EXPECT_EQ(refused_values(pair, {"tensors.topk_ids.origin={constant: 8}"}),
                  "fused_moe: topk_ids(0,0) is 8; allowed: -1 (none) and 0 to 7")
            << pair.name();
    }
}

TEST(ModularErrors, AnExpertTwiceInATokenIsNamedWhereBatchesHaveNoRoomForIt) {
    const std::vector<std::string> twice{"tensors.topk_ids.origin={index: i % 2}"};  // 0 1 0, 1 0 1

    for (const char* pf : {"batched", "all_to_all_batched", "all_to_all_capped"}) {
        EXPECT_EQ(refused_values(pair_of(pf, "batched_masked"), twice),
                  "fused_moe with " + std::string(pf) +
                      ": topk_ids(0,2) is 0, as is topk_ids(0,0); a token selects an expert once");
    }
}

TEST(ModularErrors, KeysThatTheRowsDoNotTakeAreNamed) {
    EXPECT_THAT(refused(pair_of("none", "grouped"), {"steps.moe.set.max_num_tokens=4"}),
                ::testing::HasSubstr("max_num_tokens: is 4, which none with grouped and silu does "
                                     "not take; allowed: 0, its default"));
    EXPECT_THAT(refused(pair_of("all_to_all_batched", "batched_masked"),
                        {"steps.moe.set.max_num_tokens=4"}),
                ::testing::HasSubstr("max_num_tokens: is 4, which all_to_all_batched with"));
    EXPECT_THAT(refused(pair_of("batched", "batched_masked"), {"params.block_size=16"}),
                ::testing::HasSubstr("block_size: is 16, which batched with batched_masked and "
                                     "silu does not take; allowed: 32, its default"));
    EXPECT_THAT(refused(pair_of("none", "grouped"), {"set.fused_moe.limit=1"}),
                ::testing::HasSubstr("limit: is 1, which none with grouped and silu does not take; "
                                     "allowed: 7, its default"));
}

TEST(ModularErrors, AMapThatADispatchDoesNotLookAtIsNamed) {
    const std::vector<std::string> round_robin{
        "tensors.expert_map.origin={random: expert_map, kind: round_robin}"};

    EXPECT_EQ(refused_values(pair_of("all_to_all_contiguous", "grouped"), round_robin),
              "fused_moe: expert_map[1] of device 0 is -1; all_to_all_contiguous sends the tokens "
              "of expert 1 to device 0: it must be 1");
    EXPECT_EQ(refused_values(pair_of("none", "grouped"), round_robin), "(nothing thrown)");
}

// Zipf: expert 0 is the most wanted. With room for two tokens the first two that choose an expert
// have it, of later ones that choice counts as nothing.
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

TEST(ModularErrors, ABlockSizeThatDoesNotDivideIsNamed) {
    EXPECT_THAT(refused(pair_of("none", "grouped"), {"params.block_size=6"}),
                ::testing::HasSubstr("block_size: is 6; it must be a multiple of 4"));
}

/// Layers whose rows exceed a packet of the fabric, 7616 bytes: hidden sizes of Mixtral and of
/// DeepSeek-V3. Few tokens and experts: the rows are what the walk above does not have.
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

INSTANTIATE_TEST_SUITE_P(AllPairs, ModularWalk, ::testing::ValuesIn(split_pairs(Chunks::Whole).run),
                         [](const auto& test) { return test.param.name(); });

INSTANTIATE_TEST_SUITE_P(AllPairs, ModularChunkWalk,
                         ::testing::ValuesIn(split_pairs(Chunks::Several).run),
                         [](const auto& test) { return test.param.name(); });

}  // namespace
}  // namespace tessera::ops::fused_moe
