// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/trace_names.hpp"

#include <filesystem>

namespace tessera {

TraceNames::TraceNames(std::vector<std::string>& names) : names_(&names) {
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        indices_.emplace(names[i], i);
    }
    static_cast<void>(index_of(""));
}

std::uint32_t TraceNames::index_of(std::string_view name) {
    const auto next = static_cast<std::uint32_t>(names_->size());
    const auto [it, is_new] = indices_.try_emplace(std::string(name), next);
    if (is_new) {
        // The path of a header may lead through the folder that includes it ("a/../b.hpp").
        names_->push_back(name.find("/../") == std::string_view::npos
                              ? std::string(name)
                              : std::filesystem::path(name).lexically_normal().string());
    }
    return it->second;
}

}  // namespace tessera
