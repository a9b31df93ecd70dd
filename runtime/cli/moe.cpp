// SPDX-License-Identifier: Apache-2.0
// tessera moe: lists the pairs of prepare/finalize and experts that run, and profiles one forward
// pass of a pair with its trace and report. moe_place.cpp places experts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "emu/base/fields/nearest.hpp"
#include "ops/fused_moe/find_row.hpp"
#include "ops/fused_moe/selection.hpp"
#include "runtime/cli/command.hpp"
#include "runtime/cli/moe_explain.hpp"
#include "runtime/cli/moe_place.hpp"
#include "runtime/cli/run.hpp"
#include "runtime/report/text_table.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

using ops::fused_moe::Demands;
using ops::fused_moe::Experts;
using ops::fused_moe::PrepareAndFinalize;
using report::Align;
using report::Column;

struct PairOptions {
    std::string prepare_finalize;
    std::string experts;
    std::string quantisation;  ///< of weights; empty: the default
};

struct MoeCheckOptions {
    PairOptions pair;
    std::uint32_t ranks = 1;
    std::string topk_indices = "int32";
    bool is_chunked = false;

    [[nodiscard]] Demands demands() const {
        return {.ranks = ranks,
                .topk_indices = topk_indices == "int32" ? DataFormat::Int32 : DataFormat::UInt32,
                .is_chunked = is_chunked,
                .weights = ops::fused_moe::find_weight_format(pair.quantisation)};
    }
};

/// The row called `name`. Errors   UsageError with the option, the unknown name and all rows.
template <class Row>
const Row& row_called(const std::string& name, std::string_view option, std::span<const Row> rows) {
    if (const Row* found = ops::fused_moe::find_row(rows, name)) {
        return *found;
    }
    std::vector<std::string> names;
    for (const Row& row : rows) {
        names.emplace_back(row.name);
    }
    throw UsageError(
        fmt::format("{} {}: unknown{} Allowed: {}, or the names in parentheses that "
                    "moe check prints",
                    option, name, config::did_you_mean(name, names), fmt::join(names, ", ")));
}

/// A row by its own name and that of the public implementation.
template <class Row>
std::string both_names(const Row& row) {
    return fmt::format("{} ({})", row.name, row.like);
}

/// The rows that an option selects: one, or all.
template <class Row>
std::span<const Row> chosen(const std::string& name, std::string_view option,
                            std::span<const Row> rows) {
    return name.empty() ? rows : std::span(&row_called(name, option, rows), 1);
}

/// Returns why a layer does not run, in words of its keys; nothing if it does.
std::optional<std::string> words_of(const std::vector<ops::fused_moe::KeyRefusal>& refusals) {
    return refusals.empty() ? std::nullopt
                            : std::optional(fmt::format("{}: {}", refusals.front().key,
                                                        refusals.front().reason));
}

/// A pair of the table, and why it does not run.
struct CheckedPair {
    const PrepareAndFinalize& prepare_finalize;
    const Experts& experts;
    std::optional<std::string> reason;
};

/// Returns a dispatch with the experts that `auto` chooses for it.
CheckedPair auto_pair(const PrepareAndFinalize& pf, const Demands& demands) {
    const auto pair = ops::fused_moe::select_pair(
        {.demands = demands, .sizes = {.ranks = demands.ranks}, .prepare_finalize = &pf});
    return {pf, *pair.experts, words_of(pair.refusals)};
}

CheckedPair checked(const PrepareAndFinalize& pf, const Experts& experts, const Demands& demands) {
    const auto reason = refusal(pf, experts, demands);
    return {pf, experts, reason ? reason : words_of(layer_refusals(pf, experts, demands))};
}

/// Returns the pairs that the options select.
std::vector<CheckedPair> checked_pairs(const MoeCheckOptions& options) {
    std::vector<CheckedPair> pairs;
    for (const auto& pf :
         chosen(options.pair.prepare_finalize, "--pf", ops::fused_moe::all_prepare_finalize())) {
        if (options.pair.experts == ops::fused_moe::kAuto) {
            pairs.push_back(auto_pair(pf, options.demands()));
            continue;
        }
        for (const auto& experts :
             chosen(options.pair.experts, "--experts", ops::fused_moe::all_experts())) {
            pairs.push_back(checked(pf, experts, options.demands()));
        }
    }
    return pairs;
}

std::string pair_table(std::span<const CheckedPair> pairs, const report::TextStyle& style) {
    std::vector<Column> columns{{"prepare/finalize", Align::Left, 9, {}},
                                {"experts", Align::Left, 8, {}},
                                {"weight and reduce", Align::Left, 5, {}},
                                {"", Align::Left, 7, {}}};
    for (const auto& [pf, experts, reason] : pairs) {
        columns[0].cells.push_back({both_names(pf)});
        columns[1].cells.push_back({both_names(experts)});
        columns[2].cells.push_back({std::string(experts.finalize_weight_and_reduce)});
        columns[3].cells.push_back({reason.value_or("runs")});
    }
    return to_text(columns, style);
}

ExitCode check_pairs(const MoeCheckOptions& options, const Console& console) {
    require(options.topk_indices == "int32" || options.topk_indices == "uint32",
            "--topk-indices {}, allowed: int32, uint32", options.topk_indices);
    const std::vector<CheckedPair> pairs = checked_pairs(options);
    if (options.pair.prepare_finalize.empty() || options.pair.experts.empty()) {
        console.out << pair_table(pairs, console.out_style);
        return ExitCode::Success;
    }
    const auto& [pf, experts, reason] = pairs.front();
    require(!reason, "{} with {}: {}", pf.name,
            options.pair.experts == ops::fused_moe::kAuto ? ops::fused_moe::kAuto : experts.name,
            reason.value_or(""));
    console.out << fmt::format("{} with {}: runs\n", both_names(pf), both_names(experts));
    return ExitCode::Success;
}

void add_pair_options(CLI::App& command, PairOptions& pair, bool is_required) {
    command.add_option("--pf", pair.prepare_finalize, "Prepare/finalize, as moe check lists them")
        ->required(is_required);
    command.add_option("--experts", pair.experts, "Experts, as moe check lists them")
        ->required(is_required);
    std::vector<std::string> formats;
    for (const auto& format : ops::fused_moe::all_weight_formats()) {
        formats.emplace_back(format.name);
    }
    command
        .add_option("--quantisation", pair.quantisation, "How the weights of experts are stored")
        ->type_name("NAME")
        ->check(CLI::IsMember(formats));
}

/// A subcommand of `moe`: whether it was given, and what it does.
using Part = std::pair<CLI::App*, std::function<ExitCode()>>;

Part add_moe_check(CLI::App& moe, Console& console) {
    auto* command = moe.add_subcommand(
        "check", "List the pairs of prepare/finalize and experts that run, or why a pair does not");
    auto options = std::make_shared<MoeCheckOptions>();
    add_pair_options(*command, options->pair, false);
    command->add_option("--ranks", options->ranks, "Devices of the layer")
        ->check(whole_number(1, 1024));
    command->add_option("--topk-indices", options->topk_indices, "dtype of topk_ids")
        ->type_name("int32|uint32");
    command->add_flag("--chunked", options->is_chunked,
                      "Send tokens through the experts in chunks (chunk_tokens)");
    command->footer(
        "With both --pf and --experts, a refused pair ends with 2 and the reason.\n"
        "--experts auto shows the experts that the key `experts: auto` chooses.");
    return {command, [options, &console] { return check_pairs(*options, console); }};
}

Part add_moe_profile(CLI::App& moe, Console& console) {
    auto* command = moe.add_subcommand(
        "profile", "Run one forward pass of a pair, and write a trace and a report");
    auto pair = std::make_shared<PairOptions>();
    auto options = std::make_shared<RunOptions>();
    add_pair_options(*command, *pair, true);
    add_run_options(*command, *options);
    command->footer(
        "CONFIG is a run file with params pf and experts, as moe_modular. Writes the trace to\n"
        "PF.EXPERTS.trace and the report to PF.EXPERTS.report unless --trace, --report name them.");
    return {command, [pair, options, &console] {
                const std::string stem = pair->prepare_finalize + "." + pair->experts;
                RunOptions own = *options;
                own.config.sets.push_back("params.pf=" + pair->prepare_finalize);
                own.config.sets.push_back("params.experts=" + pair->experts);
                if (!pair->quantisation.empty()) {
                    own.config.sets.push_back("params.quantisation=" + pair->quantisation);
                }
                own.trace = own.trace.value_or(stem + ".trace");
                own.report = own.report.value_or(stem + ".report");
                return run(own, console);
            }};
}

}  // namespace

Command add_moe(CLI::App& root, Console& console) {
    auto* command = root.add_subcommand(
        "moe", "List, explain or profile pairs of the modular MoE kernel, or place experts");
    command->require_subcommand(1);
    const Command explain = add_moe_explain(*command, console);
    const Command place = add_moe_place(*command, console);
    const std::array parts{add_moe_check(*command, console), add_moe_profile(*command, console),
                           Part{explain.options, explain.run}, Part{place.options, place.run}};
    return {command, [parts] {
                const auto given = std::ranges::find_if(
                    parts, [](const Part& part) { return part.first->parsed(); });
                ensure(given != parts.end(), "moe: no subcommand was parsed");
                return given->second();
            }};
}

}  // namespace tessera::cli
