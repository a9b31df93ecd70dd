// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/expert_tables.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "tessera/tensor_compare.hpp"
#include "tessera/errors.hpp"

namespace tessera::run {

void check_device_expert_mapping(const std::string& file, const HostTensor& mapping) {
    const auto experts = mapping.as<std::int32_t>();
    std::vector<std::optional<std::size_t>> places(experts.size());
    for (std::size_t i = 0; i < experts.size(); ++i) {
        require(experts[i] >= 0 && static_cast<std::size_t>(experts[i]) < experts.size(),
                "{}: device_expert_mapping{} is {}, allowed: 0 to {}", file,
                position_in(mapping.shape, i), experts[i], experts.size() - 1);
        auto& place = places[static_cast<std::size_t>(experts[i])];
        require(!place, "{}: device_expert_mapping holds expert {} at {} and {}, allowed: once",
                file, experts[i], position_in(mapping.shape, place.value_or(0)),
                position_in(mapping.shape, i));
        place = i;
    }
}

void check_selected_experts(const std::string& file, const HostTensor& selected,
                            std::uint32_t num_experts) {
    const auto ids = selected.as<std::uint32_t>();
    const std::size_t top_k = selected.shape.at(1);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        require(ids[i] < num_experts, "{}: selected_experts{} is {}, allowed: 0 to {}", file,
                position_in(selected.shape, i), ids[i], num_experts - 1);
        const auto row = ids.subspan(i / top_k * top_k, i % top_k);
        require(std::ranges::find(row, ids[i]) == row.end(),
                "{}: selected_experts{} is {}, which token {} has selected before", file,
                position_in(selected.shape, i), ids[i], i / top_k);
    }
}

}  // namespace tessera::run
