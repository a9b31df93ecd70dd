// SPDX-License-Identifier: Apache-2.0
// tessera list: lists ops, device models, configurations and their keys.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>

#include "emu/base/fields/value.hpp"
#include "emu/base/refusal.hpp"
#include "ops/registry.hpp"
#include "runtime/cli/command.hpp"
#include "runtime/cli/config_folders.hpp"
#include "runtime/cli/output_path.hpp"
#include "runtime/config/key_reference.hpp"
#include "runtime/config/load_sweep.hpp"
#include "runtime/model/families.hpp"
#include "runtime/model/read_model.hpp"
#include "runtime/pipeline/expert_load.hpp"
#include "runtime/report/number_text.hpp"
#include "runtime/report/text_table.hpp"
#include "runtime/report/workload_text.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

using report::Align;
using report::Column;

/// A table that is filled row by row.
class Rows {
public:
    explicit Rows(std::vector<Column> columns) : columns_(std::move(columns)) {}
    void add(std::vector<std::string> cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            columns_[i].cells.push_back({std::move(cells[i])});
        }
    }
    [[nodiscard]] std::string text(const report::TextStyle& style) const {
        return to_text(columns_, style);
    }

private:
    std::vector<Column> columns_;
};

std::string list_ops(const report::TextStyle& style) {
    Rows rows({{"op", Align::Left, 9, {}},
               {"schedules", Align::Left, 5, {}},
               {"what it does", Align::Left, 7, {}}});
    for (const ops::Op* op : ops::all_ops()) {
        rows.add({std::string(op->spec.name),
                  fmt::format("{}", fmt::join(op->spec.schedules, ", ")),
                  std::string(op->spec.summary)});
    }
    return rows.text(style);
}

std::string list_archs(const report::TextStyle& style) {
    Rows rows({{"device", Align::Left, 9, {}},
               {"architecture", Align::Left, 4, {}},
               {"cores", Align::Right, 8, {}},
               {"L1 a core", Align::Right, 6, {}},
               {"DRAM", Align::Right, 6, {}},
               {"banks", Align::Right, 5, {}},
               {"clock", Align::Right, 5, {}}});
    const std::filesystem::path folder = shipped_configs() / "arch";
    for (const std::string& name : config::names_in(folder)) {
        const ArchSpec arch = config::load_arch(folder / (name + ".yaml")).arch;
        const GridSize grid = arch.workers.compute;
        const auto dram = static_cast<double>(arch.dram.bank_size.value) * arch.dram.num_banks;
        rows.add({name, arch.architecture, fmt::format("{} × {}", grid.columns, grid.rows),
                  fmt::format("{} KiB", arch.l1.size.value / 1024), report::show_bytes(dram),
                  std::to_string(arch.dram.num_banks),
                  fmt::format("{} GHz", arch.clock.value / 1e9)});
    }
    return rows.text(style);
}

std::string list_sweeps(const report::TextStyle& style) {
    Rows rows({{"sweep", Align::Left, 9, {}},
               {"points", Align::Right, 7, {}},
               {"question", Align::Left, 8, {}}});
    const std::filesystem::path sweeps = shipped_configs() / "sweeps";
    for (const std::string& name : config::names_in(sweeps)) {
        const config::SweepSpec sweep = config::read_sweep(sweeps / (name + ".yaml"));
        rows.add({name, std::to_string(points_of(sweep).size()), sweep.question});
    }
    return rows.text(style);
}

std::string list_configs(const report::TextStyle& style) {
    Rows rows({{"configuration", Align::Left, 9, {}},
               {"mesh", Align::Left, 7, {}},
               {"steps", Align::Right, 6, {}},
               {"workload", Align::Left, 5, {}}});
    constexpr std::size_t kMostParams = 8;  // a layer has up to 60
    const std::array folders{shipped_configs()};
    const std::filesystem::path runs = folders[0] / "runs";
    for (const std::string& name : config::names_in(runs)) {
        const auto file = runs / (name + ".yaml");
        const config::LoadedRun loaded =
            config::load_run(file, std::span<const config::Override>(), folders);
        const RunSpec& run = loaded.run;
        rows.add({name,
                  fmt::format("{} × {} {}", run.mesh.shape.rows, run.mesh.shape.columns,
                              run.mesh.device),
                  std::to_string(loaded.pipeline.steps.size()),
                  report::workload_text(pipeline::summary_of(loaded.pipeline), kMostParams)});
    }
    return rows.text(style) + "\n" + list_sweeps(style) +
           "\ntessera explain NAME prints all params of a configuration.\n";
}

std::string list_models(const report::TextStyle& style) {
    Rows rows({{"model", Align::Left, 9, {}},
               {"family", Align::Left, 5, {}},
               {"hidden", Align::Right, 6, {}},
               {"experts", Align::Right, 8, {}},
               {"top-k", Align::Right, 7, {}},
               {"of an expert", Align::Right, 6, {}},
               {"shared", Align::Right, 4, {}},
               {"layers", Align::Right, 4, {}},
               {"attention", Align::Left, 3, {}}});
    for (const std::string& name : shipped_models()) {
        const model::MoeModel numbers = model::read_model(find_model(name)).model;
        rows.add({name, std::string(numbers.family->name), std::to_string(numbers.hidden),
                  std::to_string(numbers.experts), std::to_string(numbers.top_k),
                  std::to_string(numbers.intermediate), std::to_string(numbers.shared.intermediate),
                  std::to_string(numbers.layers), numbers.attention.form});
    }
    return rows.text(style);
}

struct ListOptions {
    std::string what;
    std::string filter;
    std::optional<std::string> markdown;
};

/// Returns the lines of `text` that contain `filter`, or all lines if it is empty.
/// Errors   UsageError if no line contains it.
std::string lines_with(const std::string& filter, const std::string& text) {
    if (filter.empty()) {
        return text;
    }
    std::string kept;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.find(filter) != std::string::npos) {
            kept += line + "\n";
        }
    }
    if (kept.empty()) {
        throw UsageError(fmt::format("no line of this list contains '{}'", filter));
    }
    return kept;
}

/// A table of a terminal, or pages of the documentation.
struct Listing {
    std::string name;
    std::string (*table)(const report::TextStyle& style) = nullptr;
    std::vector<config::Page> (*pages)() = nullptr;
};

std::vector<config::Page> device_key_pages() {
    return {config::device_key_page()};
}

const std::array kListings{
    Listing{.name = "archs", .table = list_archs},
    Listing{.name = "configs", .table = list_configs},
    Listing{.name = "device-keys", .pages = device_key_pages},
    Listing{.name = "keys", .pages = config::key_pages},
    Listing{.name = "models", .table = list_models},
    Listing{.name = "ops", .table = list_ops},
};

/// Lines that --filter keeps of several pages begin with the page, as those of grep do: a key such
/// as `grid` belongs to many ops.
std::string pages_text(const std::vector<config::Page>& pages, const std::string& filter) {
    std::string text;
    for (const config::Page& page : pages) {
        if (filter.empty() || pages.size() == 1) {
            text += (text.empty() ? "" : "\n") + page.text;
            continue;
        }
        std::istringstream lines(page.text);
        for (std::string line; std::getline(lines, line);) {
            text += fmt::format("{}: {}\n", page.path, line);
        }
    }
    return text;
}

void write_pages(const std::filesystem::path& folder, const std::vector<config::Page>& pages) {
    for (const config::Page& page : pages) {
        const std::filesystem::path file = folder / page.path;
        std::error_code error;
        std::filesystem::create_directories(file.parent_path(), error);
        std::ofstream stream(file);
        stream << page.text;
        stream.close();
        require(!stream.fail(), "--markdown {}: {} cannot be written", folder.string(),
                file.string());
    }
}

ExitCode list(const ListOptions& options, const Console& console) {
    const Listing& listing = *std::ranges::find(kListings, options.what, &Listing::name);
    if (options.markdown) {
        require_folder_name("--markdown", options.markdown);
        require_allowed(listing.pages != nullptr, "list --markdown", "", options.what,
                        "device-keys, keys");
        write_pages(*options.markdown, listing.pages());
        return ExitCode::Success;
    }
    const std::string text = listing.pages != nullptr ? pages_text(listing.pages(), options.filter)
                                                      : listing.table(console.out_style);
    console.out << lines_with(options.filter, text);
    return ExitCode::Success;
}

std::vector<std::string> names_of_listings() {
    std::vector<std::string> names;
    names.reserve(std::size(kListings));
    for (const Listing& listing : kListings) {
        names.push_back(listing.name);
    }
    return names;
}

}  // namespace

Command add_list(CLI::App& root, Console& console) {
    auto* command =
        root.add_subcommand("list", "List ops, device models, configurations or their keys");
    auto options = std::make_shared<ListOptions>();
    const std::vector<std::string> names = names_of_listings();
    command
        ->add_option(
            "WHAT", options->what,
            "ops with their schedules, archs (device models), configs (those that ship), "
            "keys (of run files), models (whose config.json ships) or device-keys (of device "
            "models)")
        ->required()
        ->type_name("")
        ->check(CLI::IsMember(names).description(fmt::format("{}", fmt::join(names, "|"))));
    auto* filter = command->add_option("--filter", options->filter,
                                       "Show only the lines that contain this text");
    command
        ->add_option("--markdown", options->markdown,
                     "Write the pages of keys or device-keys to this folder, one page per op")
        ->type_name("DIR")
        ->excludes(filter);
    return {command, [options, &console] { return list(*options, console); }};
}

}  // namespace tessera::cli
