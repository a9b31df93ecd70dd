// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_markdown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "bench/accuracy/group_basis.hpp"
#include "bench/accuracy/statistics.hpp"

namespace tessera::score {
namespace {

/// Descriptions of groups, in the order of the table.
constexpr std::array<std::pair<std::string_view, std::string_view>, 27> kGroups{{
    {"noc_table", "transfers of 1 to n cores"},
    {"noc_epcc", "single streams, latency and rate"},
    {"nocread_epcc", "reads of one core"},
    {"nocev_epcc", "events of single transfers"},
    {"dram_epcc", "DRAM fan-out"},
    {"dram_sat", "DRAM saturation"},
    {"npe", "reshards"},
    {"matmul_core", "products on one core"},
    {"matmul_hs", "height-sharded products"},
    {"gemm", "products of the whole grid"},
    {"exp", "exp of tensors"},
    {"op_eltwise", "silu of tensors"},
    {"pgm_dispatch", "program launch"},
    {"eth_link", "Ethernet links"},
    {"ccl", "all-gather, reduce-scatter, all-to-all"},
    {"fabric_lat", "round trips of one packet over the fabric"},
    {"fabric_edm", "streams along a line or around a ring of devices"},
    {"fabric_bw", "patterns among neighbours, along lines, around rings, across meshes"},
    {"fabric_mux", "streams through a mux"},
    {"tensix_epcc", "tile loops and instructions"},
    {"sfpu", "SFPU functions"},
    {"tile_calls", "calls on tiles, one thread alone"},
    {"riscv_epcc", "instructions of a data-movement RISC"},
    {"op_deepseek", "ops of DeepSeek's attention"},
    {"op_llama", "ops of Llama's decoding"},
    {"op_sdpa", "attention over chains of cores"},
    {"op_targets", "ops of decoders and of prefill"},
}};

std::string cell_of(std::span<const GroupScore> groups, std::string_view arch,
                    std::string_view name) {
    const auto found = std::ranges::find_if(
        groups, [&](const GroupScore& group) { return group.arch == arch && group.name == name; });
    if (found == groups.end()) {
        return "–";
    }
    const Statistics& figures = found->statistics;
    if (figures.count == 0) {
        return fmt::format("0 of {}", found->rows);
    }
    return fmt::format("{} of {}, {:.1f} % ({:+.1f}), {:.0f} %, {:.0f} %", figures.count,
                       found->rows, kPercent * figures.mean_absolute_error, kPercent * figures.bias,
                       kPercent * figures.share_within_tenth, kPercent * figures.share_covered);
}

std::string line_of(std::span<const GroupScore> groups, std::string_view name,
                    std::string_view first, std::string_view what) {
    const std::string wormhole = cell_of(groups, "wormhole", name);
    const std::string blackhole = cell_of(groups, "blackhole", name);
    const bool is_there = wormhole != "–" || blackhole != "–";
    return !is_there ? ""
                     : fmt::format("| {} | {} | {} | {} |\n", first, what, wormhole, blackhole);
}

bool is_named(std::string_view name) {
    return std::ranges::find(kGroups, name,
                             &std::pair<std::string_view, std::string_view>::first) !=
           kGroups.end();
}

/// Returns the groups without a line of their own: groups of a user's file.
std::set<std::string> others_of(std::span<const GroupScore> groups) {
    std::set<std::string> names;
    for (const GroupScore& group : groups) {
        if (!group.is_mean && !is_named(group.name)) {
            names.insert(group.name);
        }
    }
    return names;
}

std::string words_of(std::string_view name, std::string_view what) {
    const auto [basis, reason] = basis_of(name);
    return basis == Basis::Program ? std::string(what)
                                   : fmt::format("{} *({}: {})*", what, name_of(basis), reason);
}

std::string share_text(std::size_t part, std::size_t whole) {
    return whole == 0 ? "–"
                      : fmt::format("{:.1f} %", kPercent * static_cast<double>(part) /
                                                    static_cast<double>(whole));
}

std::string cell_of(std::span<const RegimeResidue> residues, std::string_view arch,
                    timing::Regime regime) {
    const auto found = std::ranges::find_if(residues, [&](const RegimeResidue& residue) {
        return residue.arch == arch && residue.regime == regime;
    });
    return found == residues.end()
               ? "–"
               : fmt::format("{}, {:+.1f} %, {:.2f} ({:.2f})", found->count, kPercent * found->bias,
                             1 + found->nine_of_ten, 1 + found->stated);
}

std::string mean_line(const GroupScore& mean) {
    const Statistics& figures = mean.statistics;
    return fmt::format("| {} | {} of {} | {:.1f} % ({:+.1f}) | {:.0f} % | {:.0f} % |\n",
                       mean.arch == "wormhole" ? "Wormhole" : "Blackhole", figures.count, mean.rows,
                       kPercent * figures.mean_absolute_error, kPercent * figures.bias,
                       kPercent * figures.share_within_tenth, kPercent * figures.share_covered);
}

/// Kinds of alternatives in a sum.
enum class Kinds : std::uint8_t { All, Choices };

AlternativeKind sum_of(std::span<const AlternativeKind> kinds, Kinds counted) {
    AlternativeKind sum{
        .name = counted == Kinds::All ? "all kinds" : "without sizes, counts and other workloads"};
    for (const AlternativeKind& kind : kinds) {
        if (counted == Kinds::Choices && is_amount_or_workload(kind.name)) {
            continue;
        }
        sum.num_pairs += kind.num_pairs;
        sum.num_right += kind.num_right;
        sum.num_robust += kind.num_robust;
        sum.num_robust_right += kind.num_robust_right;
    }
    return sum;
}

}  // namespace

std::string groups_markdown(std::span<const Row> rows, std::span<const RowScore> scores) {
    const std::vector<GroupScore> groups = group_scores(rows, scores);
    std::string text =
        "| group | what | Wormhole: rows scored, mean error (bias), within 10 %, covered | "
        "Blackhole |\n|---|---|---|---|\n";
    for (const auto& [name, what] : kGroups) {
        text += line_of(groups, name, fmt::format("`{}`", name), words_of(name, what));
    }
    for (const std::string& name : others_of(groups)) {
        text += line_of(groups, name, fmt::format("`{}`", name), "");
    }
    for (const std::string_view mean : {kMeanOfGroups, kMeanOfCircular}) {
        text += line_of(groups, mean, fmt::format("**{}**", mean), "");
    }
    return text;
}

std::string alternatives_markdown(std::span<const AlternativeKind> kinds) {
    if (kinds.empty()) {
        return "";
    }
    std::string text = fmt::format(
        "| alternatives measured more than {:.0f} % apart | pairs | ordered right | called robust "
        "| "
        "robust and right |\n|---|---|---|---|---|\n",
        kPercent * kFarApart);
    for (const AlternativeKind& kind : kinds) {
        text += fmt::format("| {} | {} | {} | {} | {} |\n", kind.name, kind.num_pairs,
                            share_text(kind.num_right, kind.num_pairs), kind.num_robust,
                            share_text(kind.num_robust_right, kind.num_robust));
    }
    return text;
}

std::string residues_markdown(std::span<const RegimeResidue> residues) {
    if (residues.empty()) {
        return "";
    }
    std::string text =
        "| bound by | Wormhole: rows, bias, 90 % of rows within a factor of (stated) | Blackhole "
        "|\n|---|---|---|\n";
    for (std::size_t i = 0; i < timing::kNumRegimes; ++i) {
        const auto regime = static_cast<timing::Regime>(i);
        const std::string wormhole = cell_of(residues, "wormhole", regime);
        const std::string blackhole = cell_of(residues, "blackhole", regime);
        text += fmt::format("| {} | {} | {} |\n", name_of(regime), wormhole, blackhole);
    }
    return text;
}

std::string unscored_markdown(std::span<const Row> rows, std::span<const RowScore> scores) {
    std::string text = "| rows | groups | why there is no prediction |\n|---|---|---|\n";
    for (const auto& [reason, indices] : unscored_rows(scores)) {
        std::set<std::string> groups;
        for (const std::size_t index : indices) {
            groups.insert(fmt::format("`{}`", rows[index].group));
        }
        text += fmt::format("| {} | {} | {} |\n", indices.size(), fmt::join(groups, ", "), reason);
    }
    return text;
}

std::string summary_markdown(std::span<const GroupScore> groups,
                             std::span<const AlternativeKind> kinds) {
    std::string text =
        "| | rows scored | mean error of groups (bias) | within 10 % | covered |\n"
        "|---|---|---|---|---|\n";
    for (const GroupScore& group : groups) {
        text += group.name == kMeanOfGroups ? mean_line(group) : "";
    }
    // Both sums: most pairs differ in an amount, which any model orders correctly.
    const std::array sums{sum_of(kinds, Kinds::All), sum_of(kinds, Kinds::Choices)};
    return sums.front().num_pairs == 0 ? text : text + '\n' + alternatives_markdown(sums);
}

}  // namespace tessera::score
