// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/tuning_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emu/base/fields/node.hpp"
#include "runtime/config/read.hpp"
#include "runtime/kernels/builtin_table.hpp"
#include "runtime/report/file_set.hpp"
#include "tessera/errors.hpp"

namespace tessera::tuning {
namespace {

constexpr std::uint64_t kFnvOffset = 0xcbf29ce484222325U;
// The hash tells builds apart. It does not protect a table against its editor.
constexpr std::uint64_t kFnvPrime = 0x100000001b3U;

void mix(std::uint64_t& hash, std::string_view text) {
    for (const char letter : text) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * kFnvPrime;
    }
    hash = (hash ^ 0xFFU) * kFnvPrime;  // not in UTF-8, so it marks the end of a text
}

[[noreturn]] void refuse(const config::Node& node, const std::string& wanted) {
    throw ConfigError(
        fmt::format("{}: expected {}, found {}", to_string(node.origin), wanted, describe(node)));
}

const config::Node& child(const config::Node& map, const char* key) {
    const config::Node* found = map.find(key);
    if (found == nullptr) {
        const bool is_map = map.kind == config::NodeKind::Map;
        throw ConfigError(fmt::format("{}: expected a map with {}, found {}", to_string(map.origin),
                                      key, is_map ? "one without" : describe(map)));
    }
    return *found;
}

std::string text_at(const config::Node& map, const char* key) {
    const config::Node& node = child(map, key);
    if (node.kind != config::NodeKind::Scalar) {
        refuse(node, "text");
    }
    return node.text;
}

/// Reads one choice. `verdict` is optional: tables of older versions lack it.
Choice read_choice(const config::Node& node) {
    Choice choice{.shape = text_at(node, "shape"),
                  .made_on = text_at(node, "made_on"),
                  .settings = {},
                  .candidates = {}};
    // Values of settings stay YAML, so that they are set as the run file has them.
    for (const config::Entry& setting : child(node, "set").entries) {
        choice.settings.push_back({setting.key, to_yaml(setting.value)});
    }
    for (const config::Node& candidate : child(node, "candidates").elements) {
        const bool has_verdict = candidate.find("verdict") != nullptr;
        choice.candidates.push_back({text_at(candidate, "point"), text_at(candidate, "us"),
                                     text_at(candidate, "bound"),
                                     has_verdict ? text_at(candidate, "verdict") : ""});
    }
    return choice;
}

std::string to_yaml(const Choice& choice) {
    // Shapes and points have commas and colons, hence the quotes.
    std::string text = fmt::format("  - shape: \"{}\"\n    made_on: \"{}\"\n    set:\n",
                                   choice.shape, choice.made_on);
    for (const Setting& setting : choice.settings) {
        text += fmt::format("      {}: {}\n", setting.key, setting.value);
    }
    text += "    candidates:\n";
    for (const Candidate& candidate : choice.candidates) {
        text +=
            fmt::format("      - {{point: \"{}\", us: \"{}\", bound: \"{}\", verdict: \"{}\"}}\n",
                        candidate.point, candidate.us, candidate.bound, candidate.verdict);
    }
    return text;
}

bool is_chosen(const std::vector<Setting>& settings, const std::string& param) {
    return std::ranges::find(settings, "params." + param, &Setting::key) != settings.end();
}

}  // namespace

std::string shape_of(const config::LoadedRun& loaded, const std::vector<Setting>& settings) {
    // Params that the sweep sets are the choice; the others are the shape by which it is found.
    std::string shape;
    for (const pipeline::PipelineParam& param : loaded.pipeline.params) {
        // A derived param may follow from the choice.
        if (!param.is_derived && !is_chosen(settings, param.name)) {
            shape += fmt::format("{}{} {}", shape.empty() ? "" : ", ", param.name,
                                 pipeline::show(param.value));
        }
    }
    return shape;
}

std::string fingerprint(const config::LoadedRun& loaded, const std::string& version) {
    std::uint64_t hash = kFnvOffset;
    mix(hash, version);
    // All built-in kernels count: which of them a pipeline uses is known only after building its
    // programs.
    mix(hash, kernel_text_hash());
    for (const config::ResolvedValue& value : loaded.resolved) {
        // Params are the shape and the settings, by which the table is searched.
        if (value.path.starts_with("arch.") || value.path.starts_with("mesh.")) {
            mix(hash, value.path);
            mix(hash, value.text);
        }
    }
    // Another pipeline may have params of the same names and values.
    for (const pipeline::PipelineStep& step : loaded.pipeline.steps) {
        mix(hash, step.name);
        mix(hash, pipeline::op_name(step));
    }
    return fmt::format("{:016x}", hash);
}

std::vector<Setting> settings_of(const config::LoadedSweep& sweep) {
    std::vector<Setting> settings;
    for (const std::string& key : sweep::keys_of(sweep)) {
        settings.push_back({key, ""});
    }
    return settings;
}

void require_one_shape(const config::LoadedSweep& sweep) {
    require(sweep.sweep.cases.empty(), "{}: has cases; a choice is made for one shape", sweep.name);
}

Choice choice_of(const config::LoadedSweep& sweep, const sweep::SweepResult& result,
                 const std::string& version) {
    const std::vector<sweep::Ranked> ranked = sweep::ranking(result);
    require(!ranked.empty(), "{}: no point has a time", result.name);
    const config::LoadedRun& winner = sweep.points[ranked.front().point].loaded;
    Choice choice{.shape = {},
                  .made_on = fingerprint(winner, version),
                  .settings = settings_of(sweep),
                  .candidates = {}};
    for (std::size_t i = 0; i < choice.settings.size(); ++i) {
        // Settings and values have one order, that of the sweep's keys.
        choice.settings[i].value = result.points[ranked.front().point].values[i];
    }
    // A point may leave a key at the run file's value, which is then part of the shape.
    std::erase_if(choice.settings, [](const Setting& setting) { return setting.value.empty(); });
    choice.shape = shape_of(winner, choice.settings);
    for (const sweep::Ranked& entry : ranked) {
        choice.candidates.push_back({sweep::name_of(result, entry.point),
                                     fmt::format("{:.3f}", entry.time.expected / 1000), entry.bound,
                                     sweep::word_of(entry)});
    }
    return choice;
}

std::string explanation(const Choice& choice) {
    std::string text = fmt::format("{}\nmade on {}\n", choice.shape, choice.made_on);
    for (const Candidate& candidate : choice.candidates) {
        const std::string slower = candidate.verdict.empty()     ? ""
                                   : candidate.verdict == "best" ? "; best"
                                                                 : "; slower: " + candidate.verdict;
        text += fmt::format("  {}: {} us, bound by {}{}\n", candidate.point, candidate.us,
                            candidate.bound, slower);
    }
    return text;
}

TuningTable::TuningTable(std::filesystem::path path) : path_(std::move(path)) {
    // The first `tune` creates the file.
    if (!std::filesystem::exists(path_)) {
        return;
    }
    const config::Node root = config::read_file(path_);
    const config::Node* choices = root.find("choices");
    if (choices == nullptr || choices->kind != config::NodeKind::Sequence) {
        refuse(root, "a table of tessera tune, with choices");
    }
    for (const config::Node& choice : choices->elements) {
        choices_.push_back(read_choice(choice));
    }
}

const Choice* TuningTable::find(const config::LoadedRun& loaded, const std::string& version) const {
    const auto found = std::ranges::find_if(choices_, [&](const Choice& choice) {
        return choice.shape == shape_of(loaded, choice.settings);
    });
    if (found == choices_.end()) {
        return nullptr;
    }
    // A stale choice is refused, not ignored: otherwise the run would use the defaults in silence.
    const std::string now = fingerprint(loaded, version);
    require(found->made_on == now,
            "{}: the choice for {} is stale: it was made on {}, this machine, pipeline and kernels "
            "are {}; "
            "tessera tune --again replaces it",
            path_.string(), found->shape, found->made_on, now);
    return &*found;
}

void TuningTable::keep(Choice choice) {
    const auto old = std::ranges::find(choices_, choice.shape, &Choice::shape);
    if (old == choices_.end()) {
        choices_.push_back(std::move(choice));
    } else {
        *old = std::move(choice);
    }
    std::string text =
        "# Written by tessera tune. A choice holds for its shape, on the machine and pipeline "
        "that\n"
        "# it was made on.\nchoices:\n";
    for (const Choice& held : choices_) {
        text += to_yaml(held);
    }
    const std::filesystem::path folder = path_.parent_path();
    // Files appear under their names when they are complete, so that an interrupted tune leaves the
    // old table.
    report::write_together(folder.empty() ? "." : folder, {{path_.filename().string(), text}});
}

}  // namespace tessera::tuning
