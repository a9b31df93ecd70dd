// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/config_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "emu/base/print_sink.hpp"
#include "runtime/cli/config_folders.hpp"
#include "runtime/cli/output_path.hpp"
#include "runtime/config/fields/run_fields.hpp"
#include "runtime/kernels/artifact_cache.hpp"
#include "runtime/kernels/kernel_roots.hpp"
#include "tessera/errors.hpp"

namespace tessera::cli {
namespace {

std::uint32_t parse_threads(std::string_view text) {
    std::uint32_t threads = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, threads);
    require(error == std::errc() && rest == end && threads >= 1 && threads <= config::kMostThreads,
            "--threads {}: allowed: 1 to {}; without it, one for each core of the host", text,
            config::kMostThreads);
    return threads;
}

config::Override threads_override(std::string_view text) {
    return {"host.threads", std::to_string(parse_threads(text)), fmt::format("--threads {}", text)};
}

// If file and command line give different shapes, one of them would be ignored without a message.
void require_not_set(const std::vector<config::Override>& sets,
                     const std::vector<config::Override>& shapes) {
    for (const config::Override& shape : shapes) {
        const auto set = std::ranges::find(sets, shape.path, &config::Override::path);
        require(set == sets.end() || set->value == shape.value, "{}: {} is {} in {}",
                set == sets.end() ? "" : set->origin, shape.path, shape.value, shape.origin);
    }
}

// Checked before the run: the file itself is created when a kernel prints for the first time.
void require_print_place(const std::string& place) {
    std::error_code error;
    const auto status = std::filesystem::status(place, error);
    const bool is_device = std::filesystem::exists(status) &&
                           !std::filesystem::is_regular_file(status) &&
                           !std::filesystem::is_directory(status);
    // A terminal, a pipe and a link are allowed here, since no other file replaces them.
    if (place != "stderr" && place != "off" && !is_device &&
        !std::filesystem::is_symlink(place, error)) {
        require_file_name("--dprint", place);
    }
}

}  // namespace

void add_config_options(CLI::App& command, ConfigOptions& options) {
    command
        .add_option("CONFIG", options.config,
                    "A YAML file, or the name of one that `tessera list configs` shows")
        ->required()
        ->type_name("");
    add_set_option(command, options.sets);
}

CLI::Option& add_repeated_option(CLI::App& command, const char* name,
                                 std::vector<std::string>& values, const char* value,
                                 const std::string& about) {
    // By default CLI11 shows "VALUE ...", as if several values could follow one option.
    return *command.add_option(name, values, about)
                ->type_name(value)
                ->option_text(value)
                ->allow_extra_args(false);
}

void add_set_option(CLI::App& command, std::vector<std::string>& sets) {
    add_repeated_option(command, "--set", sets, "KEY=VALUE",
                        "Replace a value: --set mesh.shape=[1,4]; repeat the option for each "
                        "value: --set 'arch.l1.size=1 MiB'");
}

void add_threads_option(CLI::App& command, ConfigOptions& options) {
    command
        .add_option("--threads", options.threads,
                    "Worker threads of the host, from 1 [one for each of its cores]")
        ->type_name("N");
}

void add_include_option(CLI::App& command, KernelOptions& options) {
    add_repeated_option(command, "--include", options.include, "DIR",
                        "Search kernels and the headers that they include in a folder, as those of "
                        "TESSERA_INCLUDE_PATH and TT_METAL_HOME");
}

void add_kernel_options(CLI::App& command, ConfigOptions& config, KernelOptions& options) {
    add_include_option(command, options);
    command.add_flag("--strict", config.strict,
                     "End the run at behaviour that a chip tolerates, as machine.rules: strict");
    command
        .add_option("--dprint", options.dprint,
                    "Where DPRINT of kernels goes: stderr, off, or a file [TESSERA_DPRINT, else "
                    "stderr]")
        ->type_name("PLACE");
}

CLI::Validator whole_number(std::uint32_t fewest, std::uint32_t most) {
    return CLI::Range(fewest, most).description(fmt::format("{}-{}", fewest, most));
}

void apply(const KernelOptions& options) {
    for (const std::string& folder : options.include) {
        add_kernel_root(folder);
    }
    if (options.dprint) {
        require_print_place(*options.dprint);
        setenv(kPrintVariable, options.dprint->c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    }
}

timed_run::Draws DrawOptions::draws() const {
    return {count.value_or(timed_run::kDefaultDraws),
            are_replayed ? timed_run::DrawTimes::Replayed : timed_run::DrawTimes::Estimated};
}

void add_draw_options(CLI::App& command, DrawOptions& options, const std::string& by_default) {
    constexpr std::uint32_t kFewest = 2;
    constexpr std::uint32_t kMost = 1024;
    command
        .add_option("--draws", options.count,
                    fmt::format("Draws of the timing constants for intervals [{}]", by_default))
        ->type_name("N")
        ->check(whole_number(kFewest, kMost));
    command.add_flag("--replay-draws", options.are_replayed,
                     "Replay the run for each draw instead of estimating its time from the "
                     "critical path");
}

std::optional<std::filesystem::path> launch_cache_folder() {
    try {
        return default_cache_folder() / "launches";
    } catch (const UsageError&) {
        return std::nullopt;  // no HOME: times are kept in memory only
    }
}

void add_each_constant_flag(CLI::App& command, bool& each_constant) {
    command.add_flag("--each-constant", each_constant,
                     "Compute the effect of each constant at both ends of its range, even if that "
                     "takes long");
}

void add_full_flag(CLI::App& command, bool& full) {
    command.add_flag("--full", full, "Print the whole text, not only 40 lines");
}

std::string one_screen_of(const std::string& text, std::size_t num_last) {
    constexpr std::size_t kMostLines = 40;
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    if (lines.size() <= kMostLines) {
        return text;
    }
    const std::size_t num_first = kMostLines - 1 - num_last;
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(num_first);
    const auto last = lines.end() - static_cast<std::ptrdiff_t>(num_last);
    std::vector<std::string> shown(lines.begin(), first);
    shown.push_back(fmt::format("… {} more lines; --full prints them", last - first));
    shown.insert(shown.end(), last, lines.end());
    return fmt::format("{}\n", fmt::join(shown, "\n"));
}

std::vector<config::Override> params_of(const ConfigOptions& options,
                                        const pipeline::InputFile& inputs) {
    const std::array folders{shipped_configs()};
    return pipeline::params_of(inputs, find_run_config(options.config), folders,
                               config::parse_sets(options.sets));
}

config::LoadedRun load(const std::string& config, const std::vector<config::Override>& overrides) {
    const std::array folders{shipped_configs()};
    return config::load_run(find_run_config(config), overrides, folders);
}

config::LoadedRun load(const ConfigOptions& options, const std::vector<config::Override>& shapes) {
    std::vector<config::Override> overrides = config::parse_sets(options.sets);
    require_not_set(overrides, shapes);
    if (options.threads) {
        overrides.push_back(threads_override(*options.threads));
    }
    if (options.strict) {
        overrides.push_back({"machine.rules", "strict", "--strict"});
    }
    overrides.insert(overrides.end(), shapes.begin(), shapes.end());
    return load(options.config, overrides);
}

config::LoadedSweep load_sweep(const ConfigOptions& options) {
    const std::array folders{shipped_configs()};
    return config::load_sweep(find_sweep_config(options.config), config::parse_sets(options.sets),
                              folders);
}

std::uint32_t threads_of(const std::optional<std::string>& threads) {
    return threads ? parse_threads(*threads) : 0;
}

}  // namespace tessera::cli
