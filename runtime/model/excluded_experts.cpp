// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/excluded_experts.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <set>
#include <string_view>
#include <vector>

#include "runtime/model/config_json.hpp"
#include "runtime/model/families.hpp"
#include "runtime/model/moe_model.hpp"
#include "tessera/errors.hpp"

namespace tessera::model {
namespace {

/// Lists of compressed-tensors, modelopt, transformers and vLLM.
constexpr std::array kLists{"ignore", "exclude_modules", "modules_to_not_convert",
                            "ignored_layers"};

/// An entry of a list.
class Entry {
public:
    Entry(const ConfigJson& section, const char* list, std::string word)
        : list_(list), word_(std::move(word)) {
        constexpr std::string_view kExpression = "re:";
        if (!word_.starts_with(kExpression)) {
            return;
        }
        try {
            expression_.emplace(word_.substr(kExpression.size()));
        } catch (const std::regex_error&) {
            throw UsageError(
                fmt::format("{}: has \"{}\"; allowed: names, globs with *, and re: "
                            "with a regular expression of ECMAScript",
                            section.place(list), word_));
        }
    }

    [[nodiscard]] bool covers(const std::string& module) const {
        if (expression_) {
            return std::regex_search(module, *expression_, std::regex_constants::match_continuous);
        }
        return word_.find_first_of("*?[") == std::string::npos
                   ? fmt::format(".{}.", module).find(fmt::format(".{}.", word_)) !=
                         std::string::npos
                   : fits_glob(module);
    }
    [[nodiscard]] std::string text() const { return fmt::format("{} has \"{}\"", list_, word_); }

private:
    /// Returns whether the glob fits a module or one that the module is in.
    [[nodiscard]] bool fits_glob(std::string module) const {
        while (fnmatch(word_.c_str(), module.c_str(), 0) != 0) {
            const std::size_t end = module.rfind('.');
            if (end == std::string::npos) {
                return false;
            }
            module.resize(end);
        }
        return true;
    }

    const char* list_;
    std::string word_;
    std::optional<std::regex> expression_;
};

std::vector<Entry> entries_of(const ConfigJson& section) {
    std::vector<Entry> entries;
    for (const char* list : kLists) {
        if (section.has(list)) {
            for (std::string& word : section.words(list)) {
                entries.emplace_back(section, list, std::move(word));
            }
        }
    }
    return entries;
}

/// Returns modules with experts of a layer. The first expert stands for all. Lists say mlp.experts
/// for families with other names, too.
std::set<std::string> expert_modules(const MoeModel& model, std::uint32_t layer) {
    const CheckpointNames& names = model.family->names;
    std::set<std::string> modules;
    const auto add = [&](std::string_view prefix, std::string module) {
        constexpr std::string_view kTensor = ".weight";
        if (const auto star = module.find('*'); star != std::string::npos) {
            module.replace(star, 1, "0");
        }
        if (module.ends_with(kTensor)) {
            module.resize(module.size() - kTensor.size());
        }
        modules.insert(fmt::format(fmt::runtime(prefix), layer) + module);
    };
    for (const char* module : {"experts", "experts.*", "experts.*.gate_proj", "experts.*.up_proj",
                               "experts.*.down_proj"}) {
        add("model.layers.{}.mlp.", module);
    }
    for (const std::string_view tensor : {names.gate, names.up, names.down}) {
        if (!tensor.empty()) {
            add(names.prefix, std::string(tensor));
        }
    }
    return modules;
}

}  // namespace

std::map<std::uint32_t, std::string> excluded_experts(const ConfigJson& section,
                                                      const MoeModel& model) {
    const std::vector<Entry> entries = entries_of(section);
    std::map<std::uint32_t, std::string> excluded;
    for (const std::uint32_t layer : model.moe_layers) {
        const std::set<std::string> modules = expert_modules(model, layer);
        const auto found = std::ranges::find_if(entries, [&](const Entry& entry) {
            return std::ranges::any_of(
                modules, [&](const std::string& module) { return entry.covers(module); });
        });
        if (found != entries.end()) {
            excluded.emplace(layer, found->text());
        }
    }
    return excluded;
}

}  // namespace tessera::model
