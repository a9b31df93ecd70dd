// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <span>
#include <thread>

#include "bench/accuracy/csv_rows.hpp"
#include "bench/accuracy/models.hpp"
#include "bench/accuracy/score_json.hpp"
#include "bench/accuracy/score_markdown.hpp"
#include "bench/accuracy/score_plot.hpp"
#include "bench/accuracy/score_rows.hpp"
#include "bench/accuracy/score_text.hpp"
#include "emu/base/tensor_file/partial_file.hpp"
#include "runtime/cli/config_folders.hpp"
#include "runtime/cli/config_options.hpp"
#include "runtime/cli/output_path.hpp"
#include "runtime/cli/progress_line.hpp"
#include "runtime/kernels/package.hpp"
#include "runtime/study/run_timer.hpp"
#include "tessera/errors.hpp"

namespace tessera::score {
namespace {

using cli::Command;
using cli::Console;
using cli::ExitCode;
using cli::Ranks;

struct ScoreCommand {
    std::optional<std::string> csv;
    std::vector<std::string> groups;
    std::optional<std::string> arch;
    std::optional<std::string> output;
    std::optional<std::string> plot;
    std::string plot_by = "mechanism";
    std::uint32_t threads = 0;
    cli::DrawOptions draws;
    bool rows = false;
    bool json = false;
    bool table = false;
};

/// Returns the measurements that ship with Tessera, so that users can repeat its score.
std::string shipped_measurements() {
    return (find_package().share_dir / "bench/accuracy/measurements/measurements.csv").string();
}

void add_options(CLI::App& command, ScoreCommand& options) {
    constexpr std::uint32_t kMaxThreads = 1024;
    command.add_option("CSV", options.csv, "Rows of measurements [those that ship with Tessera]")
        ->type_name("");
    cli::add_repeated_option(command, "--group", options.groups, "GROUP",
                             "Only rows of this group; repeat the option for several");
    command.add_option("--arch", options.arch, "Only rows of wormhole, or of blackhole")
        ->type_name("ARCH")
        ->check(CLI::IsMember({"wormhole", "blackhole"}));
    command.add_flag("--rows", options.rows,
                     "Print each row too, and the ids of all rows not "
                     "scored");
    command.add_flag("--json", options.json, "Print all rows as JSON, with the host's seconds");
    command
        .add_flag("--table", options.table,
                  "Print the tables of docs/accuracy.md and README.md, in Markdown")
        ->excludes("--json")
        ->excludes("--rows");
    command.add_option("--csv", options.output, "Write predictions of all rows to a CSV file")
        ->type_name("FILE");
    command
        .add_option("--plot", options.plot,
                    "Write predicted over measured by mechanism to an SVG file")
        ->type_name("FILE");
    command.add_option("--plot-by", options.plot_by, "Panels of --plot: mechanism or workload")
        ->type_name("KIND")
        ->check(CLI::IsMember({"mechanism", "workload"}))
        ->needs("--plot");
    command.add_option("--threads", options.threads, "Rows at a time [one for each core]")
        ->type_name("N")
        ->check(cli::whole_number(1, kMaxThreads));
    cli::add_draw_options(command, options.draws);
    command.footer(
        "Columns of CSV: id, arch, workload, parameters (key=value;…), metric, value, unit,\n"
        "group; others are ignored. The program of each row runs without computing values, and\n"
        "is timed. The interval comes from draws of the constants within their ranges, and from\n"
        "the error of the model.");
}

std::vector<Row> selected_rows(const ScoreCommand& options) {
    const std::string csv = options.csv.value_or(shipped_measurements());
    std::vector<Row> rows = read_csv(csv);
    for (const std::string& group : options.groups) {
        require(std::ranges::find(rows, group, &Row::group) != rows.end(),
                "--group {}: {} has no such group", group, csv);
    }
    std::erase_if(rows, [&](const Row& row) {
        const bool other_group =
            !options.groups.empty() &&
            std::ranges::find(options.groups, row.group) == options.groups.end();
        return other_group || (options.arch && row.arch != *options.arch);
    });
    require(!rows.empty(), "{}: no rows are left to score", csv);
    return rows;
}

void print(const ScoreCommand& options, std::span<const Row> rows, std::span<const RowScore> scores,
           const Console& console) {
    if (options.json) {
        console.out << to_json(rows, scores).dump(2) << '\n';
        return;
    }
    if (options.table) {
        const auto kinds = alternatives_of(rows, scores);
        console.out << groups_markdown(rows, scores) << '\n'
                    << alternatives_markdown(kinds) << '\n'
                    << residues_markdown(residues_of(rows, scores)) << '\n'
                    << unscored_markdown(rows, scores) << '\n'
                    << summary_markdown(group_scores(rows, scores), kinds);
        return;
    }
    const auto detail = options.rows ? RowDetail::Rows : RowDetail::Groups;
    if (options.rows) {
        console.out << rows_text(rows, scores, console.out_style) << '\n';
    }
    console.out << groups_text(rows, scores, console.out_style);
    for (const std::string& part :
         {alternatives_text(alternatives_of(rows, scores), console.out_style),
          residues_text(residues_of(rows, scores), console.out_style),
          reasons_text(rows, scores, detail, console.out_style)}) {
        console.out << (part.empty() ? "" : "\n") << part;
    }
}

/// Opens the file that an option names. It is opened before scoring because it may be refused. Only
/// the first rank writes it.
std::optional<PartialFile> file_of(const char* option, const std::optional<std::string>& name,
                                   std::string_view ending, const Console& console) {
    cli::require_file_name(option, name);
    cli::require_ending(option, name, ending);
    return name && ranks::is_first(console.link) ? std::optional<PartialFile>(std::in_place, *name)
                                                 : std::nullopt;
}

void write(std::optional<PartialFile>& file, const std::string& text) {
    file->write_at(0, std::as_bytes(std::span(text)));
    file->finish();
}

ExitCode run(const ScoreCommand& options, const Console& console) {
    std::optional<PartialFile> file = file_of("--csv", options.output, ".csv", console);
    std::optional<PartialFile> plot = file_of("--plot", options.plot, ".svg", console);
    const std::vector<Row> rows = selected_rows(options);
    Models models(cli::shipped_configs() / "arch", options.draws.draws());
    cli::ProgressLine progress(console);
    const std::uint32_t threads =
        options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    const auto scores =
        score_rows(rows, models,
                   {threads, [&](std::size_t done) { progress.count("rows", done, rows.size()); },
                    console.link});
    if (!ranks::is_first(console.link)) {
        return ExitCode::Success;
    }
    if (file) {
        write(file, rows_csv(rows, scores));
    }
    if (plot) {
        const auto kind =
            options.plot_by == "workload" ? PanelKind::Workload : PanelKind::Mechanism;
        write(plot, score_svg(rows, scores, kind));
    }
    print(options, rows, scores, console);
    return ExitCode::Success;
}

}  // namespace

Command add_score(CLI::App& root, Console& console) {
    auto* command =
        root.add_subcommand("score", "Predict measurements of hardware, and say how far off");
    auto options = std::make_shared<ScoreCommand>();
    add_options(*command, *options);
    return {command, [options, &console] { return run(*options, console); }, Ranks::Several};
}

}  // namespace tessera::score
