// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/workload_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <span>

namespace tessera::report {

std::string workload_text(const PipelineSummary& pipeline, std::size_t most) {
    std::string text;
    for (const auto& [name, value] :
         std::span(pipeline.values).first(std::min(most, pipeline.values.size()))) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
    }
    const std::size_t count = pipeline.values.size();
    return count <= most ? text : text + fmt::format(", … ({} in all)", count);
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
