// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/errors.hpp"

namespace tessera::report {
namespace {

/// Returns the enumerator whose word is `json`; `count` is the number of enumerators.
template <class Enum, class WordOf>
Enum enumerator_of(const Json& json, std::size_t count, const char* kind, WordOf word_of) {
    const auto& word = json.get_ref<const std::string&>();
    for (std::size_t i = 0; i < count; ++i) {
        if (word_of(static_cast<Enum>(i)) == word) {
            return static_cast<Enum>(i);
        }
    }
    throw UsageError(
        fmt::format("unknown {} '{}' in the report; written by another version?", kind, word));
}

bool is_below(std::string_view path, std::string_view above) {
    return path.starts_with(above) && (path.size() == above.size() || path[above.size()] == '.');
}

}  // namespace

void JsonReader::read(const Json& json, Activity& activity) {
    activity = enumerator_of<Activity>(json, kNumActivities, "activity",
                                       [](Activity value) { return key_of(value); });
}

void JsonReader::read(const Json& json, ResourceKind& kind) {
    kind = enumerator_of<ResourceKind>(json, kNumResourceKinds, "resource",
                                       [](ResourceKind value) { return key_of(value); });
}

void JsonReader::read(const Json& json, TimelineThread& thread) {
    thread = enumerator_of<TimelineThread>(json, kNumTimelineThreads, "thread",
                                           [](TimelineThread value) { return label_of(value); });
}

bool JsonReader::is_chosen(std::string_view key) const {
    const std::string path = path_ + std::string(key);
    return chosen_.empty() || std::ranges::any_of(chosen_, [&](std::string_view chosen) {
               return is_below(path, chosen) || is_below(chosen, path);
           });
}

JsonReader JsonReader::below(std::string_view key, const Json& json) const {
    return JsonReader(json, chosen_, path_ + std::string(key) + ".");
}

}  // namespace tessera::report
