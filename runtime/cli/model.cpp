// SPDX-License-Identifier: Apache-2.0
// tessera model: writes the run file of a model's layer from its config.json, and runs it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "emu/base/host_memory.hpp"
#include "runtime/cli/command.hpp"
#include "runtime/cli/config_folders.hpp"
#include "runtime/cli/given_routing.hpp"
#include "runtime/cli/output_path.hpp"
#include "runtime/cli/run.hpp"
#include "runtime/config/arch_file.hpp"
#include "runtime/model/layer_run.hpp"
#include "runtime/model/read_model.hpp"
#include "runtime/report/text_table.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

using report::Align;
using report::Column;

struct ModelOptions {
    std::string model;
    std::string mesh = "1x8";
    std::string phase = "decode";
    std::string part = "moe";
    std::optional<std::uint32_t> context;
    model::LayerDemand demand;
    std::optional<std::string> routing;  ///< a file or a synthetic load
    std::optional<std::string> out;
    bool force = false;
    bool write_only = false;
    RunOptions run;
};

/// Reads "ROWSxCOLUMNS".
void parse_mesh(const std::string& text, model::LayerDemand& demand) {
    std::istringstream stream(text);
    char by = 0;
    constexpr std::uint32_t kMost = 256;
    stream >> demand.rows >> by >> demand.columns;
    require(!stream.fail() && stream.peek() == std::istringstream::traits_type::eof() &&
                by == 'x' && demand.rows >= 1 && demand.columns >= 1 && demand.rows <= kMost &&
                demand.columns <= kMost && demand.devices() <= kMost,
            "--mesh {}: allowed: ROWSxCOLUMNS of at most {} devices, such as 4x8", text, kMost);
}

void parse_demand(ModelOptions& options) {
    model::LayerDemand& demand = options.demand;
    parse_mesh(options.mesh, demand);
    if (config::is_path_of_arch(demand.device)) {
        // A path of the command line is relative to the current folder, one of a run file to that
        // file's: the layer is planned in a shipped file and written to --out.
        demand.device = std::filesystem::absolute(demand.device).lexically_normal().string();
    }
    demand.phase = options.phase == "decode" ? model::Phase::Decode : model::Phase::Prefill;
    demand.part = options.part == "whole" ? model::LayerPart::Whole : model::LayerPart::Moe;
    constexpr std::uint32_t kContext = 1024;
    demand.context = options.context.value_or(options.phase == "decode" ? kContext : 0);
    require(!options.context || demand.part == model::LayerPart::Whole,
            "--context {}: the cache belongs to attention; allowed: with --layer whole",
            demand.context);
}

/// The run of the layer, and the same as the shipped file loads it.
struct PlannedLayer {
    model::LayerRun run;
    config::LoadedRun loaded;
};

PlannedLayer plan(const model::ReadModel& read, const ModelOptions& options,
                  const model::LayerDemand& demand) {
    PlannedLayer planned{.run = model::layer_run(read, demand), .loaded = {}};
    std::vector<config::Override> overrides = overrides_of(planned.run);
    const auto sets = config::parse_sets(options.run.config.sets);
    overrides.insert(overrides.end(), sets.begin(), sets.end());
    const std::array folders{shipped_configs()};
    planned.loaded = config::load_run(find_run_config(planned.run.extends), overrides, folders);
    return planned;
}

/// Refuses weights that the devices cannot hold. Planning finds everything else that does not fit.
/// A device that the user describes in a file is left to planning.
void require_room(const model::ReadModel& read, const model::LayerDemand& demand) {
    const std::filesystem::path arch = shipped_configs() / "arch" / (demand.device + ".yaml");
    if (!std::filesystem::exists(arch)) {
        return;
    }
    const DramSpec dram = config::load_arch(arch).arch.dram;
    const std::uint64_t bytes = dram.bank_size.value * dram.num_banks;
    const std::string quantisation = model::quantisation_of(read, demand);
    const std::uint64_t weights = model::layer_bytes(read.model, demand.devices(), quantisation);
    const auto enough = model::devices_that_hold(read.model, bytes, quantisation);
    require(weights <= bytes,
            "{}: the weights of one layer take {} on the fullest of {} devices ({} B), and {} has "
            "{} of DRAM ({} B); allowed: {}",
            read.name, show_bytes(weights), demand.devices(), weights, demand.device,
            show_bytes(bytes), bytes,
            enough ? fmt::format("at least {} devices", *enough)
                   : std::string("another device, since one expert on each is too much"));
}

/// Plans the layer without values if the host cannot hold them.
PlannedLayer plan_for_host(const model::ReadModel& read, ModelOptions& options) {
    model::LayerDemand demand = options.demand;
    demand.computes_values = !options.run.timing_only;
    require_room(read, demand);
    PlannedLayer planned = plan(read, options, demand);
    const std::uint64_t bytes = model::host_bytes(planned.loaded);
    const HostMemory host = host_memory_available();
    if (!demand.computes_values || bytes <= host.bytes) {
        return planned;
    }
    demand.computes_values = false;
    options.run.timing_only = true;
    planned = plan(read, options, demand);
    planned.run.assumptions.push_back(
        fmt::format("--timing-only: values would take {}, and {} has {} available",
                    show_bytes(bytes), host.bound, show_bytes(host.bytes)));
    return planned;
}

std::string taken_text(const model::ReadModel& read, const report::TextStyle& style) {
    std::vector<Column> columns{{"value", Align::Left, 9, {}},
                                {"", Align::Right, 8, {}},
                                {"key of " + read.path, Align::Left, 7, {}}};
    for (const model::TakenValue& taken : read.taken) {
        columns[0].cells.push_back({taken.name});
        columns[1].cells.push_back({taken.value});
        columns[2].cells.push_back({taken.key});
    }
    return to_text(columns, style);
}

std::string memory_text(const model::ReadModel& read, const model::DeviceMemory& memory) {
    return fmt::format(
        "Memory of the fullest device: weights {}, cache {}, activations {}; {} of {}\n"
        "All {} layers with experts would take {} of weights on that device\n",
        show_bytes(memory.weights), show_bytes(memory.cache), show_bytes(memory.activations),
        show_bytes(memory.total()), show_bytes(memory.dram), read.model.moe_layers.size(),
        show_bytes(memory.weights * read.model.moe_layers.size()));
}

void print_model(const model::ReadModel& read, const PlannedLayer& planned, const std::string& path,
                 const Console& console) {
    const model::LayerDemand& demand = planned.run.demand;
    const char* part = demand.part == model::LayerPart::Whole ? "layer" : "MoE layer";
    const char* phase = demand.phase == model::Phase::Decode ? "decode" : "prefill";
    const std::string device = std::filesystem::path(demand.device).stem().string();
    console.out << fmt::format("{} ({}): {} on {} × {} {}, {} tokens, {}\n\n", read.name,
                               read.model.family->name, part, demand.rows, demand.columns, device,
                               demand.tokens, phase)
                << taken_text(read, console.out_style) << '\n';
    for (const std::string& assumption : planned.run.assumptions) {
        console.out << "Assumed: " << assumption << '\n';
    }
    console.out << memory_text(read, model::device_memory(planned.loaded)) << "Run file: " << path
                << "\n\n";
}

/// Refuses keys that have an option: the plan of the layer follows from the options.
void refuse_demand_sets(const ModelOptions& options) {
    struct Replaced {
        std::string_view path;
        std::string_view option;
    };
    constexpr std::array kReplaced{Replaced{"mesh.shape", "--mesh"},
                                   Replaced{"mesh.device", "--device"},
                                   Replaced{"params.tokens", "--tokens"}};
    for (const config::Override& set : config::parse_sets(options.run.config.sets)) {
        const auto* const found = std::ranges::find(kReplaced, set.path, &Replaced::path);
        require(found == kReplaced.end(), "{}: use {}, from which the layer is planned", set.origin,
                found == kReplaced.end() ? "" : found->option);
    }
}

/// Notes the parts of the layer that the user sets: the quantisation decides what is read from files,
/// and the dispatch and the experts fit each other and the quantisation.
void take_parts(ModelOptions& options) {
    for (const config::Override& set : config::parse_sets(options.run.config.sets)) {
        if (set.path == "params.quantisation") {
            options.demand.quantisation = set.value;
        } else if (set.path == "params.pf") {
            options.demand.prepare_finalize = set.value;
        } else if (set.path == "params.experts_by") {
            options.demand.experts = set.value;
        }
    }
}

ExitCode run_model(ModelOptions options, const Console& console) {
    parse_demand(options);
    refuse_demand_sets(options);
    take_parts(options);
    require_file_name("--out", options.out);
    check_run_options(options.run);
    const std::string model_file = find_model(options.model);
    const model::ReadModel read = model::read_model(model_file);
    const std::string path = options.out.value_or(read.name + ".yaml");
    require_different({{"--out", path}}, {{"MODEL", model_file}});
    require_yaml_ending("--out", options.out);
    std::optional<GivenRouting> given;
    if (options.routing) {
        given = read_given_routing(*options.routing, read, options.demand);
        // Next to the run file, which names it without a folder.
        options.demand.ids_file =
            std::filesystem::path(path).stem().string() + ".routing.safetensors";
        options.demand.ids_source = given->trace.name;
    }
    const PlannedLayer planned = plan_for_host(read, options);
    write_unless_edited(
        path, run_file_text(read, planned.run, config::parse_sets(options.run.config.sets)),
        options.force ? Force::Yes : Force::No,
        "--out with another name, or --force to replace it");
    options.run.config.sets.clear();  // the run file has them
    if (given) {
        write_ids(*given, std::filesystem::path(path).parent_path() / *options.demand.ids_file,
                  options.demand);
    }
    if (options.write_only && options.run.json) {
        console.out << to_json(read.model, options.demand.devices()).dump(2) << '\n';
    } else if (!options.run.json && !options.run.quiet) {
        print_model(read, planned, path, console);
        console.out << (given ? given_text(*given, read, options.demand, console.out_style) : "");
    }
    if (options.write_only) {
        return ExitCode::Success;
    }
    options.run.config.config = path;
    options.run.stages = true;
    return run(options.run, console);
}

void add_demand_options(CLI::App& command, ModelOptions& options) {
    command
        .add_option("MODEL", options.model,
                    "A config.json, the folder that holds it, or a name that `tessera list models` "
                    "shows")
        ->required()
        ->type_name("");
    command.add_option("--mesh", options.mesh, "Rows and columns of devices [1x8]")
        ->type_name("RxC");
    command
        .add_option("--device", options.demand.device,
                    "Device model, or a file of one [wormhole_n150]")
        ->type_name("NAME");
    command.add_option("--tokens", options.demand.tokens, "Tokens of all devices together [32]")
        ->type_name("N")
        ->check(whole_number(1, 1 << 20));
    command
        .add_option("--phase", options.phase,
                    "decode: each token is of another sequence; prefill: all are of one prompt "
                    "[decode]")
        ->check(CLI::IsMember({"decode", "prefill"}).description("decode|prefill"))
        ->type_name("");
    command
        .add_option("--layer", options.part,
                    "moe: the mixture of experts alone; whole: with norms, attention and "
                    "residuals [moe]")
        ->check(CLI::IsMember({"moe", "whole"}).description("moe|whole"))
        ->type_name("");
    command
        .add_option("--context", options.context,
                    "Cached positions of each sequence, with --layer whole [1024; prefill: 0]")
        ->type_name("N")
        ->check(whole_number(0, 1 << 20));
}

}  // namespace

Command add_model(CLI::App& root, Console& console) {
    auto* command = root.add_subcommand(
        "model", "Write the run file of a model's layer from its config.json, and run it");
    auto options = std::make_shared<ModelOptions>();
    add_demand_options(*command, *options);
    command
        ->add_option("--weights", options->demand.weights,
                     "Weights of the layer from the model's safetensors files")
        ->type_name("DIR");
    command
        ->add_option("--layer-index", options->demand.layer,
                     "Number of the layer, from 0 [the first with experts]")
        ->type_name("N")
        ->check(whole_number(0, kMostLayer));
    command
        ->add_option("--routing", options->routing,
                     "Experts of the tokens: a .npy or safetensors file of (tokens, layers, "
                     "top-k) ids, or uniform, zipf[:S], lognormal[:SIGMA], hot[:SHARE]")
        ->type_name("FILE|LOAD");
    command->add_option("--out", options->out, "The run file [MODEL.yaml in this folder]")
        ->type_name("FILE");
    command->add_flag("--force", options->force, "Replace a run file that differs");
    command->add_flag("--write-only", options->write_only,
                      "Write the run file and run nothing; with --json, print the numbers of the "
                      "model");
    add_set_option(*command, options->run.config.sets);
    add_run_options_without_config(*command, options->run);
    return {command, [options, &console] { return run_model(*options, console); }};
}

}  // namespace tessera::cli
