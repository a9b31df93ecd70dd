// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/workload_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

namespace tessera::report {

std::string workload_text(const PipelineSummary& pipeline) {
    std::string text;
    for (const auto& [name, value] : pipeline.values) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
    }
    return text;
}

nlohmann::ordered_json workload_json(const PipelineSummary& pipeline) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const auto& [name, value] : pipeline.values) {
        std::int64_t whole = 0;
        const char* const end = value.data() + value.size();
        const auto [rest, error] = std::from_chars(value.data(), end, whole);
        if (error == std::errc{} && rest == end) {
            json[name] = whole;
        } else {
            json[name] = value;
        }
    }
    return json;
}

}  // namespace tessera::report
