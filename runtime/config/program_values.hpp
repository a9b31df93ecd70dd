// SPDX-License-Identifier: Apache-2.0
// Values of the keys of a `program:` block: plain ones, and expressions that stay text.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/config/pipeline_binder.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {

/// Reads optional keys of maps. A member without its key keeps its value; a value of a wrong kind
/// is recorded as a mistake.
class ProgramValues {
public:
    /// `path` is the path of the program's keys; expressions use `names`.
    /// Precondition   binder and names outlive the object.
    ProgramValues(PipelineBinder& binder, std::string path, const pipeline::Scope& names)
        : binder_(binder), path_(std::move(path)), names_(names) {}

protected:
    // Records a mistake unless the node is a map; callers then skip it.
    bool is_map(const Node& node, const std::string& path);
    // Calls `act` for each entry of an optional map.
    template <class F>
    void each(const Node& node, std::string_view key, F act) {
        const Node* map = node.find(key);
        if (map == nullptr || !is_map(*map, fmt::format("{}.{}", path_, key))) {
            return;
        }
        for (const Entry& entry : map->entries) {
            act(entry);
        }
    }
    template <class T>
    void plain(const Node& map, std::string_view key, const std::string& path, T& member) {
        const Node* node = map.find(key);
        if (node == nullptr) {
            return;
        }
        const std::string full = fmt::format("{}.{}", path, key);
        binder_.guarded(*node, full, [&] {
            auto parsed = Value<T>::parse(*node);
            // Not a plain value, so it is an expression: `grid: [columns, 1]`.
            if (std::holds_alternative<Mistake>(parsed)) {
                parsed = Value<T>::parse(binder_.evaluated(*node, names_));
            }
            const auto* mistake = std::get_if<Mistake>(&parsed);
            require(mistake == nullptr, "{}", mistake == nullptr ? "" : mistake->text);
            member = std::get<T>(parsed);
            binder_.resolve_word(*node, full, Value<T>::show(member));
        });
    }
    // Binds an expression, which stays text: it is evaluated for each device or core.
    void text(const Node& map, std::string_view key, const std::string& path, std::string& member);
    // Binds expressions by name, which stay text.
    void named_words(const Node& map, std::string_view key, const std::string& path,
                     std::map<std::string, std::string>& member);
    // Binds a list of expressions, which stay text.
    void words(const Node& map, std::string_view key, const std::string& path,
               std::vector<std::string>& member);

    PipelineBinder& binder_;
    std::string path_;
    const pipeline::Scope& names_;
};

}  // namespace tessera::config
