// SPDX-License-Identifier: Apache-2.0
// Golden files of moe_align_block_size and of the modular kernel through the binary, and the output
// of `tessera moe`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/cli/tessera_process.hpp"
#include "tests/ops/golden_tensor.hpp"

namespace tessera::test {
namespace {

using golden::GoldenFile;
using tessera::testing::golden_tensor;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

/// Adds `--set params.KEY=VALUE` for every param that index.json states.
void add_params(const nlohmann::json& params, std::vector<std::string>& arguments) {
    for (const auto& [key, value] : params.items()) {
        if (key != "note" && !value.is_array()) {
            arguments.insert(
                arguments.end(),
                {"--set", "params." + key + "=" +
                              (value.is_string() ? value.get<std::string>() : value.dump())});
        }
    }
}

class CliGoldenAlign : public ::testing::TestWithParam<std::pair<const char*, std::size_t>> {};

TEST_P(CliGoldenAlign, GivesTheGoldenTables) {
    const auto& [stem, number] = GetParam();
    const GoldenFile file(stem);
    const ScratchFolder folder;
    const std::string prefix = "c" + std::to_string(number) + ".";
    std::vector<std::string> arguments{"run",       "moe_align",
                                       "--inputs",  golden_path(stem),
                                       "--outputs", folder.file("out.safetensors"),
                                       "--set",     "params.case=" + std::to_string(number)};
    add_params(file.entry().at("params"), arguments);
    add_params(file.entry().at("params").at("cases").at(number), arguments);
    if (std::string(stem) == "align_batched") {
        arguments.insert(arguments.end(), {"--set", "params.batched=true"});
    }

    const Ending ending = run_tessera(arguments);

    ASSERT_EQ(ending.exit_code, 0) << ending.err << ending.out;
    const SafetensorsFile outputs(folder.file("out.safetensors"));
    for (const char* name : {"sorted_token_ids", "expert_ids", "num_tokens_post_padded"}) {
        EXPECT_EQ(outputs.read(prefix + name).bytes, golden_tensor(file, prefix + name).bytes)
            << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, CliGoldenAlign,
                         ::testing::Values(std::pair{"align_cases", 1U},
                                           std::pair{"align_cases", 9U},
                                           std::pair{"align_cases", 10U},
                                           std::pair{"align_cases", 13U},
                                           std::pair{"align_batched", 2U}));

struct ModularRun {
    const char* file;
    const char* prepare_finalize;
    const char* experts;
    friend void PrintTo(const ModularRun& run, std::ostream* out) {
        *out << run.file << " " << run.prepare_finalize << " " << run.experts;
    }
};

class CliGoldenModular : public ::testing::TestWithParam<ModularRun> {
protected:
    [[nodiscard]] std::string run(const std::string& threads, const std::string& delivery) const {
        std::string outputs = folder_.file("out" + threads + ".safetensors");
        std::vector<std::string> arguments{
            "run",       "moe_modular",
            "--inputs",  golden_path(GetParam().file),
            "--outputs", outputs,
            "--threads", threads,
            "--set",     "machine.noc_delivery=" + delivery,
            "--set",     "machine.unwritten_memory=nan",
            "--set",     std::string("params.pf=") + GetParam().prepare_finalize,
            "--set",     std::string("params.experts=") + GetParam().experts};
        add_params(golden_.entry().at("params"), arguments);
        const Ending ending = run_tessera(arguments);
        EXPECT_EQ(ending.exit_code, 0) << ending.err << ending.out;
        return outputs;
    }
    GoldenFile golden_{GetParam().file};
    ScratchFolder folder_;
};

TEST_P(CliGoldenModular, StaysWithinToleranceOfTheExactChain) {
    const SafetensorsFile outputs(run("1", "at_issue"));

    std::size_t num_compared = 0;
    for (const StoredTensor& stored : outputs.tensors()) {
        const auto& entry = golden_.entry_of(stored.name);
        // Batch rows after an expert's tokens are unspecified.
        if (!entry.contains("tolerance") || stored.name.find("batched") != std::string::npos) {
            continue;
        }
        const CloseTolerance tolerance{entry.at("tolerance").at("pcc_min").get<double>(),
                                       entry.at("tolerance").at("max_rel_err").get<double>()};
        const HostTensor result = outputs.read(stored.name);
        const HostTensor wanted = golden_tensor(golden_, stored.name);
        ASSERT_EQ(result.shape, wanted.shape) << stored.name;
        const std::vector<ComparedPart> parts{{result, wanted}};
        EXPECT_TRUE(compare_close(parts, tolerance).passes(tolerance)) << stored.name;
        ++num_compared;
    }
    EXPECT_GT(num_compared, 0U);
}

TEST_P(CliGoldenModular, GivesTheSameBytesAtTwoThreadsAndLateDelivery) {
    EXPECT_TRUE(bytes_of(run("1", "at_issue")) == bytes_of(run("2", "at_barrier")));
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, CliGoldenModular,
    ::testing::Values(ModularRun{"modular_ep1", "none", "grouped"},
                      ModularRun{"modular_ep1", "batched", "batched_bmm"},
                      ModularRun{"modular_ep2", "none", "grouped_permuted"},
                      ModularRun{"modular_ep2", "all_gather_reduce_scatter", "grouped"},
                      ModularRun{"modular_ep2", "naive_broadcast", "grouped"},
                      ModularRun{"modular_ep2", "all_to_all_contiguous", "grouped_permuted"},
                      ModularRun{"modular_ep2", "all_to_all_batched", "batched_masked"},
                      ModularRun{"modular_ep2", "all_to_all_capped", "batched_grouped"},
                      ModularRun{"modular_ep2", "batched", "naive_batched"}));

TEST(CliMoe, ListsWhichPairsGoTogether) {
    const Ending ending = run_tessera({"moe", "check"});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, HasSubstr("runs"));
    EXPECT_THAT(ending.out,
                HasSubstr("formats: none gives Standard, batched_masked takes BatchedExperts"));
}

TEST(CliMoe, EndsWithTheReasonOfAPairThatIsRefused) {
    const Ending ending =
        run_tessera({"moe", "check", "--pf", "none", "--experts", "batched_masked"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, HasSubstr("none with batched_masked: formats: none gives Standard, "
                                      "batched_masked takes BatchedExperts"));
}

TEST(CliMoe, TakesThePublicNamesOfAPair) {
    const Ending check = run_tessera({"moe", "check", "--pf", "PplxPrepareAndFinalize", "--experts",
                                      "BatchedTritonOrDeepGemmExperts"});
    const Ending run = run_tessera(
        {"run", "moe_modular", "--set", "params.pf=PplxPrepareAndFinalize", "--set",
         "params.experts=BatchedTritonExperts", "--set", "params.ranks=2", "--timing-only"});

    EXPECT_EQ(check.exit_code, 0) << check.err;
    EXPECT_EQ(check.out,
              "all_to_all_capped (PplxPrepareAndFinalize) with batched_by_shape "
              "(BatchedTritonOrDeepGemmExperts): runs\n");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("pf all_to_all_capped, experts batched_grouped"));
}

TEST(CliMoe, ShowsTheExpertsThatAutoChoosesOrWhyThereAreNone) {
    const auto check = [](const char* quantisation) {
        return run_tessera({"moe", "check", "--ranks", "4", "--pf", "quantised_all_gather",
                            "--experts", "auto", "--quantisation", quantisation});
    };
    const Ending blocks = check("fp8_block");
    const Ending tensor = check("fp8_tensor");

    EXPECT_EQ(blocks.exit_code, 0) << blocks.err;
    EXPECT_THAT(blocks.out, HasSubstr(" with grouped (TritonExperts): runs"));
    EXPECT_EQ(tensor.exit_code, 2);
    EXPECT_THAT(tensor.err,
                HasSubstr("quantised_all_gather with auto: experts: is auto, but none runs with "
                          "quantised_all_gather and quantisation fp8_tensor"));
}

TEST(CliMoe, ExplainsThePartsThatAutoStandsFor) {
    const Ending ending = run_tessera({"moe", "explain", "modular_none", "--set", "params.pf=auto",
                                       "--set", "params.experts=auto"});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    // With 16 tokens a device, runs of `none` are the shortest of all (docs/modular_moe.md).
    EXPECT_THAT(
        ending.out,
        MatchesRegex(
            "moe: 64 experts, 8 of each token, 128 tokens on 8 devices\n"
            "  prepare/finalize   none \\(MoEPrepareAndFinalizeNoEP\\): 16 tokens a device: "
            "estimated none [0-9]+ k cycles beside the products; then [a-z_]+ [0-9]+ k, "
            "[a-z_]+ [0-9]+ k, [a-z_]+ [0-9]+ k\n"
            "  experts            grouped \\(TritonExperts\\): takes rows in the order of tokens "
            "without copies\n"
            "  weight and reduce  no_op: the experts have weighed and summed\n"));
}

TEST(CliMoe, RunsWhatAutoStandsForAndSaysWhy) {
    const Ending ending =
        run_tessera({"run", "moe_modular", "--set", "params.pf=auto", "--set",
                     "params.experts=auto", "--set", "params.ranks=2", "--set", "params.M=64"});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, HasSubstr("batched (BatchedPrepareAndFinalize): 32 tokens a device: "
                                      "estimated batched "));
    EXPECT_THAT(ending.out, HasSubstr("PASS"));
}

TEST(CliMoe, SaysThatAPairRuns) {
    const Ending ending = run_tessera({"moe", "check", "--pf", "none", "--experts", "grouped"});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_EQ(ending.out, "none (MoEPrepareAndFinalizeNoEP) with grouped (TritonExperts): runs\n");
}

TEST(CliMoe, NamesTheNearestOfAnUnknownName) {
    const Ending ending = run_tessera({"moe", "check", "--pf", "nona"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, HasSubstr("--pf nona: unknown, did you mean none?"));
}

TEST(CliMoe, NamesAllExpertsWhereAParamIsNone) {
    const Ending ending =
        run_tessera({"run", "moe_modular", "--set", "params.experts=grouped_fp9"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, HasSubstr("params.experts: grouped_fp9, allowed: auto, grouped, "));
    EXPECT_THAT(ending.err, HasSubstr(", batched_int4_weights, "));
}

TEST(CliMoe, ProfilesBesideItselfUnlessTold) {
    const ScratchFolder folder;

    const Ending ending = run_tessera(
        {"moe", "profile", "--pf", "none", "--experts", "grouped_int8", "moe_modular", "--quiet"},
        folder.file(""));

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_GT(bytes_of(folder.file("none.grouped_int8.trace")).size(), 0U);
    const auto report =
        nlohmann::json::parse(bytes_of(folder.file("none.grouped_int8.report/report.json")));
    EXPECT_THAT(report.dump(), HasSubstr("moe.activated_codes"));
}

TEST(CliMoe, ProfileRefusesAPairWithItsReason) {
    const Ending ending = run_tessera(
        {"moe", "profile", "--pf", "none", "--experts", "batched_masked", "moe_modular"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_THAT(ending.err, HasSubstr("formats: none gives Standard, batched_masked takes "
                                      "BatchedExperts"));
}

TEST(CliMoe, ProfilesAPairWithATraceAndAReport) {
    const ScratchFolder folder;

    const Ending ending = run_tessera({"moe", "profile", "--pf", "batched", "--experts",
                                       "batched_masked", "moe_modular", "--quiet", "--trace",
                                       folder.file("t.trace"), "--report", folder.file("report")});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_GT(bytes_of(folder.file("t.trace")).size(), 0U);
    EXPECT_THAT(bytes_of(folder.file("report") + "/report.json"),
                HasSubstr("moe.batched_expert_out"));
}

}  // namespace
}  // namespace tessera::test
