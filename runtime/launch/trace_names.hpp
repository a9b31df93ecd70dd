// SPDX-License-Identifier: Apache-2.0
// The names of a trace, each once, numbered in the order in which launches mention them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tessera {

class TraceNames {
public:
    /// Adds to `names`, which must outlive this; the first name is "".
    explicit TraceNames(std::vector<std::string>& names);

    [[nodiscard]] std::uint32_t index_of(std::string_view name);

private:
    std::vector<std::string>* names_;
    std::unordered_map<std::string, std::uint32_t> indices_;
};

}  // namespace tessera
