// SPDX-License-Identifier: Apache-2.0
// Every prepare/finalize with every experts, on 1, 2 and 4 devices: those that go together give
// what plain loops give, and each of their steps what its own reference does; the others are
// refused. The tables are walked, so an implementation joins with its row.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "ops/fused_moe/modular_kernel.hpp"
#include "runtime/pipeline/run_pipeline.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::ops::fused_moe {
namespace {

namespace fs = std::filesystem;

struct Pair {
    const PrepareAndFinalize* prepare_finalize;
    const Experts* experts;
    std::uint32_t ranks;

    [[nodiscard]] std::string name() const {
        return std::string(prepare_finalize->name) + "_" + std::string(experts->name) + "_on_" +
               std::to_string(ranks);
    }
    friend void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name(); }
};

std::vector<Pair> all_pairs() {
    std::vector<Pair> pairs;
    for (const PrepareAndFinalize& prepare_finalize : all_prepare_finalize()) {
        for (const Experts& experts : all_experts()) {
            for (const std::uint32_t ranks : {1U, 2U, 4U}) {
                pairs.push_back({&prepare_finalize, &experts, ranks});
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
             {"H", "72"},
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

float float_of(std::uint16_t bf16) {
    return std::bit_cast<float>(std::uint32_t{bf16} << 16U);
}

/// The tensors that a run starts from, read as every device would.
class LayerInputs {
public:
    explicit LayerInputs(const config::LoadedRun& loaded)
        : values_(loaded.pipeline, loaded.run.mesh.shape.num_devices(), nullptr, nullptr),
          pipeline_(loaded.pipeline) {}

    [[nodiscard]] HostTensor on(const std::string& name, std::uint32_t device) const {
        return values_.on(*pipeline::find_tensor(pipeline_, name), device);
    }

private:
    pipeline::TensorValues values_;
    const pipeline::PipelineSpec& pipeline_;
};

double silu(double x) {
    return x / (1 + std::exp(-x));
}

/// Σ_k row[k] · matrix[first + k] in double.
double dot(const std::vector<double>& row, const HostTensor& matrix, std::size_t first) {
    double sum = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
        sum += row[k] * float_of(matrix.as<std::uint16_t>()[first + k]);
    }
    return sum;
}

/// What one expert makes of a token: silu(gate) · up between the products.
std::vector<double> expert_output(const std::vector<double>& token, const HostTensor& w1,
                                  const HostTensor& w2, std::size_t expert) {
    const std::size_t hidden = token.size();
    const std::size_t n = w2.shape[2];
    std::vector<double> between(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double gate = dot(token, w1, (expert * 2 * n + i) * hidden);
        between[i] = silu(gate) * dot(token, w1, (expert * 2 * n + n + i) * hidden);
    }
    std::vector<double> out(hidden);
    for (std::size_t h = 0; h < hidden; ++h) {
        out[h] = dot(between, w2, (expert * hidden + h) * n);
    }
    return out;
}

/// The layer by plain loops over all devices' experts.
std::vector<double> expected(const config::LoadedRun& loaded, std::uint32_t ranks) {
    const LayerInputs inputs(loaded);
    const HostTensor a = inputs.on("a", 0);
    const HostTensor ids = inputs.on("topk_ids", 0);
    const HostTensor weights = inputs.on("topk_weights", 0);
    const std::size_t hidden = a.shape[1];
    const std::size_t top_k = ids.shape[1];
    std::vector<double> sums(std::size_t{a.shape[0]} * hidden, 0.0);
    for (std::uint32_t device = 0; device < ranks; ++device) {
        const HostTensor map = inputs.on("expert_map", device);
        const HostTensor w1 = inputs.on("w1", device);
        const HostTensor w2 = inputs.on("w2", device);
        for (std::size_t choice = 0; choice < a.shape[0] * top_k; ++choice) {
            const std::int32_t id = ids.as<std::int32_t>()[choice];
            const std::int32_t local = map.as<std::int32_t>()[static_cast<std::size_t>(id)];
            if (local < 0) {
                continue;
            }
            const std::size_t first = choice / top_k * hidden;
            std::vector<double> token(hidden);
            for (std::size_t h = 0; h < hidden; ++h) {
                token[h] = float_of(a.as<std::uint16_t>()[first + h]);
            }
            const auto out = expert_output(token, w1, w2, static_cast<std::size_t>(local));
            for (std::size_t h = 0; h < hidden; ++h) {
                sums[first + h] += static_cast<double>(weights.as<float>()[choice]) * out[h];
            }
        }
    }
    return sums;
}

struct Distance {
    double error = 0;  ///< largest |result − expected| / max(|expected|, rms of all expected)
    double pcc = 0;
};

Distance distance(const HostTensor& result, const std::vector<double>& wanted) {
    std::vector<double> values;
    for (const std::uint16_t bits : result.as<std::uint16_t>()) {
        values.push_back(float_of(bits));
    }
    const auto n = static_cast<double>(wanted.size());
    const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
        const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
        const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) - n * mean_a * mean_b;
    };
    const double rms =
        std::sqrt(std::inner_product(wanted.begin(), wanted.end(), wanted.begin(), 0.0) / n);
    Distance found{
        0, product(values, wanted) / std::sqrt(product(values, values) * product(wanted, wanted))};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double error = std::fabs(values[i] - wanted[i]) / std::max(std::fabs(wanted[i]), rms);
        found.error = std::isfinite(error) ? std::max(found.error, error) : INFINITY;
    }
    return found;
}

void expect_near(const HostTensor& result, const std::vector<double>& wanted,
                 const Experts& experts) {
    const Distance found = distance(result, wanted);
    EXPECT_LT(found.error, experts.tolerance);
    EXPECT_GT(found.pcc, experts.min_pcc);
}

class ModularWalk : public ::testing::TestWithParam<Pair> {
protected:
    /// Runs the layer, expects its steps to be as their references, and returns "out".
    HostTensor run(const config::LoadedRun& loaded) {
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
        return SafetensorsFile(folder_.file("out.safetensors")).read("out");
    }

    ScratchFolder folder_;
};

TEST_P(ModularWalk, GivesWhatPlainLoopsGiveOrIsRefused) {
    const Pair& pair = GetParam();
    const auto reason = refusal(*pair.prepare_finalize, *pair.experts, {.ranks = pair.ranks});
    if (reason) {
        try {
            (void)load(pair);
            FAIL() << "not refused: " << *reason;
        } catch (const ConfigError& error) {
            EXPECT_THAT(error.what(), ::testing::HasSubstr(*reason));
        }
        return;
    }
    const config::LoadedRun loaded = load(pair);

    const HostTensor out = run(loaded);

    expect_near(out, expected(loaded, pair.ranks), *pair.experts);
}

std::uint64_t elements_of(const config::LoadedRun& loaded, const std::string& tensor) {
    for (const pipeline::PipelineStep& step : loaded.pipeline.steps) {
        if (step.outputs.front().name == tensor) {
            return num_elements(step.output_plans.front().spec.shape);
        }
    }
    return 0;
}

TEST_P(ModularWalk, HasWorkspacesThatHoldWhatTheExpertsMake) {
    const Pair& pair = GetParam();
    if (refusal(*pair.prepare_finalize, *pair.experts, {.ranks = pair.ranks})) {
        GTEST_SKIP() << "refused";
    }
    const config::LoadedRun loaded = load(pair);
    const Layer layer{.tokens = 19,
                      .hidden = 72,
                      .gate_up = 80,
                      .intermediate = 40,
                      .experts = 8,
                      .local_experts = 8 / pair.ranks,
                      .top_k = 3,
                      .ranks = pair.ranks,
                      .activation = "silu"};

    const WorkspaceShapes shapes =
        pair.experts->workspace_shapes(layer, dispatched(*pair.prepare_finalize, layer));

    EXPECT_GE(num_elements(shapes.workspace13), elements_of(loaded, "moe.gate_up"));
    EXPECT_GE(num_elements(shapes.workspace13), elements_of(loaded, "moe.down"));
    EXPECT_GE(num_elements(shapes.workspace13), elements_of(loaded, "moe.batched_expert_out"));
    EXPECT_GE(num_elements(shapes.workspace2), elements_of(loaded, "moe.activated"));
    EXPECT_GT(elements_of(loaded, "moe.gate_up"), 0U);
}

TEST_P(ModularWalk, GivesTheSameInChunks) {
    const Pair& pair = GetParam();
    const Demands demands{.ranks = pair.ranks, .is_chunked = true};
    if (refusal(*pair.prepare_finalize, *pair.experts, demands)) {
        GTEST_SKIP() << "refused";
    }
    const config::LoadedRun loaded = load(pair, {"params.chunk_tokens=7"});

    const HostTensor out = run(loaded);

    expect_near(out, expected(loaded, pair.ranks), *pair.experts);
}

INSTANTIATE_TEST_SUITE_P(AllPairs, ModularWalk, ::testing::ValuesIn(all_pairs()),
                         [](const auto& test) { return test.param.name(); });

}  // namespace
}  // namespace tessera::ops::fused_moe
