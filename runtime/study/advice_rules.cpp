// SPDX-License-Identifier: Apache-2.0
// Table of rules: the assumption of each, and the advice if it gains.
#include <array>
#include <utility>

#include "runtime/study/advice.hpp"
#include "runtime/study/advice_places.hpp"

namespace tessera::advise {
namespace {

using config::Bound;

/// Returns the line with most of the critical path in these activities, or in waits for these
/// resources.
template <auto... kWords>
std::string line_of(const report::LaunchReport& launch) {
    static constexpr std::array kAll{kWords...};
    return line_on_path(launch, kAll);
}

// Changes edit the trace, which a schedule could do too; bounds change constants, which none could.
Rule change(std::string_view name, std::string_view advice, EditLaunch edit,
            PlaceOf place = nullptr) {
    return {.kind = RuleKind::Change,
            .name = name,
            .advice = advice,
            .edit = std::move(edit),
            .place = place};
}

Rule bound(std::string_view name, std::string_view advice, std::vector<Bound> bounds,
           PlaceOf place = nullptr) {
    return {.kind = RuleKind::Bound,
            .name = name,
            .advice = advice,
            .bounds = std::move(bounds),
            .place = place};
}

// Source   tt-metal, kernel_types.hpp (NOC_MODE), firmware brisc.cc; pull requests 13376, 15613 and
// 37321, issue 55900.
constexpr std::string_view kBothNocs =
    "allowed on silicon only with noc_mode DM_DYNAMIC_NOC for both data-movement kernels of a core "
    "(docs/studies.md); what that mode itself costs is not in the figure";

Rule share_of_reads(std::string_view name, std::string_view advice, double share) {
    Rule rule = change(
        name, advice,
        [share](LaunchTrace& launch, const LaunchContext& context) {
            return move_share(launch, context, share);
        },
        text_of_read_line);
    // One family, of which only the best share is shown.
    rule.family = kShareOfReads;
    rule.note = kBothNocs;
    return rule;
}

Rule joined_barriers(std::string_view name, std::string_view advice, std::uint32_t blocks) {
    Rule rule = change(
        name, advice,
        [blocks](LaunchTrace& launch, const LaunchContext& context) {
            return join_barriers(launch, context, blocks);
        },
        text_of_read_line);
    rule.family = "blocks of reads before a barrier";
    return rule;
}

Rule multicast() {
    Rule rule = bound("repeated reads of a line", "read once what cores share, and multicast it",
                      {}, text_of_read_line);
    rule.edit = multicast_reads;
    rule.note =
        "if cores of a rectangle that read the same banks in the same order read the same pages: a "
        "trace holds no addresses";
    // Assumed, not known: pages that are equal in banks and sizes may differ in their addresses.
    return rule;
}

void add_changes(std::vector<Rule>& rules) {
    rules.push_back(
        change(kSpreadOverBanks,
               "let cores that run side by side start at other banks: another split of columns, a "
               "padded width, an order of blocks by core",
               distribute_banks));
    rules.push_back(change("CBs twice as deep",
                           "raise cb_depth: a latency shows that nothing hides", deepen_cbs,
                           full_cb));
    rules.push_back(change("packets of twice the bytes", "read and write several pages at a time",
                           join_packets));
    rules.push_back(change("products of twice the columns",
                           "a larger subblock: its tiles are unpacked once for more",
                           widen_blocks));
    rules.push_back(change("reads on the other NoC",
                           "give the reader the other NoC, or swap the movers", move_reads));
    rules.push_back(change("writes on the other NoC",
                           "give the writer the other NoC, or swap the movers", move_writes));
    rules.push_back(share_of_reads("12 % of a line's reads on the other NoC",
                                   "issue one read in eight with the other `noc`", 0.125));
    rules.push_back(share_of_reads("25 % of a line's reads on the other NoC",
                                   "issue one read in four with the other `noc`", 0.25));
    rules.push_back(share_of_reads("33 % of a line's reads on the other NoC",
                                   "issue one read in three with the other `noc`", 1.0 / 3));
    rules.push_back(share_of_reads("50 % of a line's reads on the other NoC",
                                   "issue one read in two with the other `noc`", 0.5));
    rules.push_back(
        joined_barriers("2 blocks of reads before a barrier",
                        "reserve, read and push two blocks at a time, in CBs twice as deep", 2));
    rules.push_back(joined_barriers(
        "4 blocks of reads before a barrier",
        "reserve, read and push four blocks at a time, in CBs four times as deep", 4));
    rules.push_back(change(
        "the last core as busy as the median one",
        "split the work evenly if the last core has more of it; else shorten what it waits for",
        relieve_straggler));
}

// The table of device keys (docs/device_keys.md) has the bound of each constant; a test checks that
// none is missing.
void add_bounds(std::vector<Rule>& rules) {
    using enum Bound;
    rules.push_back(bound("DRAM", "read fewer bytes, or keep what is read again in L1", {Dram},
                          line_of<ResourceKind::Dram>));
    rules.push_back(bound("NoC rates", "multicast what cores share, read from nearer places",
                          {NocLinks, NocPorts}));
    rules.push_back(bound(kNocLinks,
                          "send less along the same rows and columns: other places of cores",
                          {NocLinks}, line_of<ResourceKind::NocLink>));
    rules.push_back(bound("ports of cores and banks", "read what cores share once and multicast it",
                          {NocPorts},
                          line_of<ResourceKind::NocInjection, ResourceKind::NocEjection>));
    // A bank's port belongs to the NoC and to DRAM. If cores queue there, neither bound alone shows
    // the gain: distributing pages over banks gained more than unlimited DRAM.
    rules.push_back(bound("DRAM and NoC rates",
                          "spread over banks and their ports what cores read at a time",
                          {Dram, NocLinks, NocPorts}));
    rules.push_back(bound("NoC latency", "have more transfers in flight before each barrier",
                          {NocLatency}, line_of<ResourceKind::NocLatency>));
    rules.push_back(bound("limits of transfers in flight",
                          "move larger pages, or issue from both data-movement kernels",
                          {NocInFlight}, line_of<Activity::WaitNocSlot>));
    rules.push_back(bound("links between devices", "send less, or on more links", {MeshLinks}));
    rules.push_back(
        bound("unpack, math and pack", "use more cores, or a lower fidelity", {Engines}));
    rules.push_back(bound("starts of compute calls",
                          "do more in a call: larger subblocks and k_block", {CallStarts}));
    rules.push_back(bound(
        "issue of transfers", "move larger pages, or use the calls with state", {TransferIssue},
        line_of<Activity::ReadIssue, Activity::WriteIssue, Activity::MulticastIssue>));
    rules.push_back(bound("hand-over", "hand over more pages at a time", {HandOver},
                          line_of<Activity::CbCall, Activity::BarrierPoll, Activity::SemaphoreIssue,
                                  Activity::DstCall>));
    rules.push_back(bound("a kernel's own instructions",
                          "take address arithmetic, divisions and argument reads out of loops",
                          {Instructions}, line_of<Activity::Instructions>));
    rules.push_back(
        bound("launch", "fuse programs, or give them fewer arguments and kernel groups", {Launch}));
    rules.push_back(multicast());
}

}  // namespace

std::vector<Rule> all_rules() {
    std::vector<Rule> rules;
    add_changes(rules);
    add_bounds(rules);
    return rules;
}

}  // namespace tessera::advise
