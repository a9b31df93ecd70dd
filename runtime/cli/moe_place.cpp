// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/moe_place.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>

#include "emu/base/host_memory.hpp"
#include "emu/base/tensor_file/partial_file.hpp"
#include "ops/fused_moe/modular_kernel.hpp"
#include "runtime/cli/compare.hpp"
#include "runtime/cli/config_folders.hpp"
#include "runtime/cli/config_options.hpp"
#include "runtime/cli/output_path.hpp"
#include "runtime/cli/run.hpp"
#include "runtime/model/layer_run.hpp"
#include "runtime/model/placed_run.hpp"
#include "runtime/model/routing_text.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

struct PlaceOptions {
    ConfigOptions config;
    std::string routing;
    std::optional<std::string> other;  ///< a later trace
    model::PlacementDemand demand;
    std::string by = "load";  ///< or links
    std::optional<std::string> out;
    bool plan_only = false;
};

/// Files of the proposal, side by side.
struct PlacedFiles {
    std::string before;
    std::string after;
    std::string tensors;
};

/// Returns the value of a param as text; empty if the run has no param of that name.
std::string param_of(const config::LoadedRun& loaded, std::string_view name) {
    for (const pipeline::PipelineParam& param : loaded.pipeline.params) {
        if (param.name == name) {
            return pipeline::show(param.value);
        }
    }
    return "";
}

/// Loads the run, with given ids if it has the choice.
config::LoadedRun load_routed(const PlaceOptions& options) {
    const config::LoadedRun loaded = load(options.config);
    return param_of(loaded, "ids").empty()
               ? loaded
               : load(options.config, {{"params.ids", "given_ids", "moe place"}});
}

/// Copies of experts need their own numbers; so do experts of a run whose dispatch reads no map.
model::PlacedBy placed_by(const config::LoadedRun& loaded, const model::RoutedRun& run,
                          std::uint32_t redundant) {
    const auto* pf = ops::fused_moe::find_prepare_finalize(param_of(loaded, "pf"));
    const bool reads_map = run.has_maps || (pf != nullptr && !pf->needs_contiguous_experts);
    return reads_map && redundant == 0 ? model::PlacedBy::Map : model::PlacedBy::Numbers;
}

model::RoutingTrace trace_of(const std::string& word, const model::RoutedRun& run,
                             std::uint32_t layer, std::string_view option) {
    model::RoutingTrace trace =
        model::routing_called(word, {run.tokens, run.experts, run.top_k}, option);
    require(layer < trace.layers, "--layer {}: {} has {}", layer, trace.name,
            trace.layers == 1
                ? "1 layer; allowed: 0"
                : fmt::format("{} layers; allowed: 0 to {}", trace.layers, trace.layers - 1));
    require(trace.top_k == run.top_k, "{}: {} experts a token; allowed: {}, the top-k of the run",
            trace.name, trace.top_k, run.top_k);
    require_ids(trace, run.experts);
    return trace;
}

constexpr std::string_view kWritten = "# Written by tessera moe place.";

/// A name derived from CONFIG may be that of a user's own file; only a file of an earlier call is
/// replaced.
void require_own(const std::string& path) {
    std::ifstream existing(path);
    std::string first;
    require(!existing.good() || (std::getline(existing, first) && first == kWritten),
            "{}: exists, and `moe place` did not write it; allowed: another --out", path);
}

void write_text(const std::string& path, const std::string& text) {
    PartialFile file(path);
    file.write_at(0, std::as_bytes(std::span(text)));
    file.finish();
}

PlacedFiles write_files(const model::RoutedRun& run, const model::PlacedRun& placed,
                        const PlaceOptions& options) {
    const fs::path base = fs::absolute(find_run_config(options.config.config));
    const std::string stem = options.out.value_or(base.stem().string());
    PlacedFiles files{stem + ".before.yaml", stem + ".placed.yaml",
                      stem + ".placement.safetensors"};
    require_own(files.before);
    require_own(files.after);
    const std::string tensors = fs::path(files.tensors).filename().string();
    write_placement(placed, files.tensors);
    const auto text = [&](model::Side side) {
        std::vector<model::PathValue> values{{"extends", fmt::format("\"{}\"", base.string())}};
        for (const config::Override& set : config::parse_sets(options.config.sets)) {
            values.push_back({set.path, set.value, "--set"});
        }
        const auto placed_values = model::placed_values(run, placed, side, tensors);
        values.insert(values.end(), placed_values.begin(), placed_values.end());
        return std::string(kWritten) + "\n" + model::yaml_text(values);
    };
    write_text(files.before, text(model::Side::Before));
    write_text(files.after, text(model::Side::After));
    return files;
}

/// Largest loads over the mean, before and after, and under the other trace.
std::string loads_text(const model::RoutedRun& run, const model::PlacedRun& placed,
                       const model::RoutingTrace& trace,
                       const std::optional<model::RoutingTrace>& later,
                       const PlaceOptions& options) {
    const auto under = [&](const model::RoutingTrace& other, const char* what) {
        const auto linear =
            routing_load(other, options.demand.layer, placed.before, run.devices).devices;
        return fmt::format("Largest load over the mean{}: {:.4f} in order, {:.4f} placed\n", what,
                           model::max_over_mean(linear),
                           max_over_mean_under(placed, other, options.demand.layer, run.devices));
    };
    std::string text = under(trace, "");
    // Copies of an expert take its tokens in turn, which no trace states.
    if (placed.after.size() == placed.before.size()) {
        const auto reached = [&](const model::Placement& placement) {
            return routing_load(trace, options.demand.layer, placement, run.devices).fan_out;
        };
        text += fmt::format("Devices of a token: {:.2f} in order, {:.2f} placed\n",
                            reached(placed.before), reached(placed.after));
    }
    if (later) {
        text += under(*later, (" under " + *options.other).c_str());
    }
    return text;
}

/// Computes the values of the placed run, if the host can hold them.
ExitCode verify(const std::string& path, const Console& console) {
    RunOptions options;
    options.config.config = path;
    const std::uint64_t bytes = model::host_bytes(load(options.config));
    if (bytes > host_memory_available().bytes) {
        console.out << fmt::format("Values were not computed: they take {}\n", show_bytes(bytes));
        return ExitCode::Success;
    }
    options.no_timing = true;
    options.quiet = true;
    console.out << path << ": ";
    return run(options, console);
}

ExitCode place(const PlaceOptions& options, const Console& console) {
    require_file_name("--out", options.out);
    const config::LoadedRun loaded = load_routed(options);
    const model::RoutedRun run = model::routed_run(loaded, options.config.config);
    const model::RoutingTrace trace =
        trace_of(options.routing, run, options.demand.layer, "--routing");
    const auto later =
        options.other
            ? std::optional(trace_of(*options.other, run, options.demand.layer, "--routing-check"))
            : std::nullopt;
    const model::PlacedBy by = placed_by(loaded, run, options.demand.redundant);
    require(by == model::PlacedBy::Map || !run.has_model_weights,
            "{}: its experts have weights from files, so they keep their numbers; allowed: "
            "without --redundant, a run with the param maps",
            options.config.config);
    const model::PlacedRun placed = place_experts(run, trace, options.demand, by);
    const PlacedFiles files = write_files(run, placed, options);
    console.out << "Placement of " << placed.after.size() << " experts on " << run.devices
                << " devices by " << trace.name << "\n"
                << "Experts in order:\n"
                << routing_text(
                       routing_load(trace, options.demand.layer, placed.before, run.devices),
                       placed.before, console.out_style)
                << loads_text(run, placed, trace, later, options) << "Run files: " << files.before
                << ", " << files.after << "; tensors: " << files.tensors << "\n\n";
    if (options.plan_only) {
        return ExitCode::Success;
    }
    (void)compare_runs(files.before, files.after, console);
    return verify(files.after, console);
}

}  // namespace

Command add_moe_place(CLI::App& moe, Console& console) {
    auto* command = moe.add_subcommand(
        "place", "Place experts on devices by the load of a trace, and compare before and after");
    auto options = std::make_shared<PlaceOptions>();
    add_config_options(*command, options->config);
    command
        ->add_option("--routing", options->routing,
                     "Trace: a .npy or safetensors file of (tokens, layers, top-k) ids, or "
                     "uniform, zipf[:S], lognormal[:SIGMA], hot[:SHARE]")
        ->required()
        ->type_name("FILE|LOAD");
    command
        ->add_option("--routing-check", options->other,
                     "A later trace: also print the loads of the placement under it")
        ->type_name("FILE|LOAD");
    command->add_option("--layer", options->demand.layer, "Layer of the trace, from 0 [0]")
        ->type_name("N")
        ->check(whole_number(0, kMostLayer));
    command
        ->add_option(
            "--by", options->by,
            "load: the largest load of a device is small; links: tokens reach few devices, "
            "with at most 1.1 times that load [load]")
        ->check(CLI::IsMember({"load", "links"}).description("load|links"))
        ->type_name("");
    command
        ->add_option("--redundant", options->demand.redundant, "Further copies of busy experts [0]")
        ->type_name("N")
        ->check(whole_number(0, 65536));
    command->add_option("--out", options->out, "Start of the names of the files [that of CONFIG]")
        ->type_name("STEM");
    command->add_flag("--plan-only", options->plan_only, "Write the files and run nothing");
    command->footer(
        "Writes STEM.before.yaml, STEM.placed.yaml and STEM.placement.safetensors. The run needs\n"
        "the tensors given_ids or topk_ids, and expert_map: model_moe, moe_modular and run files\n"
        "that extend them have both.");
    return {command, [options, &console] {
                options->demand.what =
                    options->by == "links" ? model::PlacedFor::Links : model::PlacedFor::Load;
                return place(*options, console);
            }};
}

}  // namespace tessera::cli
