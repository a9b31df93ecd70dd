// SPDX-License-Identifier: Apache-2.0
// Table of the names in a trace without duplicates, in the order in which launches use them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tessera {

/// Table of names with an index by text.
class TraceNames {
public:
    /// Adds to `names`, which must outlive this; the first name is "".
    explicit TraceNames(std::vector<std::string>& names);

    /// Returns the index of a name; adds the name if it is new.
    [[nodiscard]] std::uint32_t index_of(std::string_view name);

private:
    std::vector<std::string>* names_;
    std::unordered_map<std::string, std::uint32_t> indices_;
};

}  // namespace tessera
