// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "runtime/study/time_trace.hpp"

namespace tessera::advise {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Four cores that read 48 pages of DRAM each, page j of core i from bank `bank_of(i, j)`.
template <class BankOf>
compare::RecordedRun run_of(BankOf bank_of) {
    constexpr std::uint32_t kPages = 48;
    const auto device = config::load_arch(std::filesystem::path(TESSERA_SOURCE_DIR) /
                                          "configs/arch/wormhole_n150.yaml");
    const MeshSpec mesh{.shape = {1, 1}, .topology = Topology::Line, .device = device.arch.name};
    compare::RecordedRun run{"camp", {}, timed_run::machine_of(device, mesh)};
    run.trace.arch = device.arch.name;
    run.trace.mesh = mesh;
    run.trace.names = {"", "reader.cpp"};
    LaunchTrace launch{.name = "gate"};
    launch.dispatch.push_back({.device = 0, .kernels = 1, .cores = 4, .threads = 4});
    for (std::uint32_t core = 0; core < 4; ++core) {
        ThreadTrace thread{.processor = Processor::Riscv1, .kernel = 1, .sites = {{}}};
        for (std::uint32_t page = 0; page < kPages; ++page) {
            const NocPlace bank = NocPlace::dram(bank_of(core, page) % 12);
            thread.events.push_back({.kind = EventKind::NocRead,
                                     .count = 1,
                                     .argument = TransferArgument{8192, bank}.pack()});
        }
        thread.events.push_back({.kind = EventKind::ReadBarrier, .count = 1});
        launch.cores.push_back({.core = {core, 0}, .threads = {thread}});
    }
    run.trace.launches.push_back(std::move(launch));
    return run;
}

const Finding& finding_of(const Advice& advice, std::string_view name) {
    const auto found = std::ranges::find_if(
        advice.findings, [&](const Finding& finding) { return finding.rule.name == name; });
    EXPECT_NE(found, advice.findings.end()) << name;
    return *found;
}

/// All at bank 0, and each at another bank at a time.
constexpr auto kCamping = [](std::uint32_t, std::uint32_t) { return 0U; };
constexpr auto kSpread = [](std::uint32_t core, std::uint32_t page) { return 3 * core + page; };

TEST(Advise, ProvesThatCampingOnABankCostsTime) {
    const Advice camping = advise(run_of(kCamping));
    const Advice spread = advise(run_of(kSpread));

    EXPECT_GT(finding_of(camping, kDealOutBanks).gain, 0.4);
    EXPECT_LT(std::abs(finding_of(spread, kDealOutBanks).gain), 0.1);
    EXPECT_LT(spread.makespan, camping.makespan) << "as the rule says";
}

// What a bound gains no change of that kind can exceed: without DRAM the run is launch and issue.
TEST(Advise, BoundsWhatAResourceCanGain) {
    const Advice advice = advise(run_of(kCamping));

    EXPECT_GT(finding_of(advice, "DRAM").gain, finding_of(advice, kDealOutBanks).gain);
    EXPECT_EQ(finding_of(advice, "links between devices").gain, 0);
    EXPECT_EQ(finding_of(advice, "links between devices").makespan, advice.makespan);
}

TEST(Advise, RefusesRulesThatFindNothingToChange) {
    const Advice advice = advise(run_of(kCamping));

    EXPECT_EQ(finding_of(advice, "CBs twice as deep").refusal,
              "nothing of the run is of that kind");
    EXPECT_EQ(finding_of(advice, "packets of twice the bytes").refusal,
              "nothing of the run is of that kind");
}

TEST(Advise, SortsByKindAndThenByGain) {
    const Advice advice = advise(run_of(kCamping));

    for (std::size_t i = 1; i < advice.findings.size(); ++i) {
        const Finding& before = advice.findings[i - 1];
        const Finding& after = advice.findings[i];
        EXPECT_TRUE(before.rule.kind < after.rule.kind || before.gain >= after.gain) << i;
    }
}

TEST(AdviceText, ShowsGainsWhatToDoAndTheMapOfBanks) {
    const std::string text = to_text(advise(run_of(kCamping)), {});

    EXPECT_THAT(text, HasSubstr("camp on wormhole_n150: "));
    EXPECT_THAT(text, HasSubstr("  what if "));
    EXPECT_THAT(text, HasSubstr("let cores that run side by side start at other banks"));
    EXPECT_THAT(text, HasSubstr("\ngate: cores camp on 1.0 of 12 banks at a time, 3.5 were even; "
                                "from page to page a core goes 0 banks on\n    bank  0 |"));
    EXPECT_THAT(text, HasSubstr("\nnot tried: CBs twice as deep: nothing of the run is of that "
                                "kind\n"));
}

TEST(AdviceText, LeavesStepsThatSpreadOutAlone) {
    const std::string text = to_text(advise(run_of(kSpread)), {});

    EXPECT_THAT(text, Not(HasSubstr("camp on 1")));
}

}  // namespace
}  // namespace tessera::advise
