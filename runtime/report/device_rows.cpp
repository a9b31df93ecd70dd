// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/device_rows.hpp"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

namespace tessera::report {
namespace {

using Json = nlohmann::ordered_json;

/// Different rows, in the order of their first occurrence.
class UniqueRows {
public:
    std::size_t index_of(Json row) {
        const auto [place, is_new] = indices_.try_emplace(row.dump(), rows_.size());
        if (is_new) {
            rows_.push_back(std::move(row));
        }
        return place->second;
    }
    Json take() { return std::move(rows_); }

private:
    std::unordered_map<std::string, std::size_t> indices_;
    Json rows_ = Json::array();
};

void add_to_runs(std::size_t index, Json& runs) {
    const std::size_t size = runs.size();
    if (size > 0 &&
        runs[size - 2].get<std::size_t>() + runs[size - 1].get<std::size_t>() == index) {
        runs[size - 1] = runs[size - 1].get<std::size_t>() + 1;
    } else {
        runs.push_back(index);
        runs.push_back(1);
    }
}

}  // namespace

Json fold_devices(Json rows) {
    UniqueRows unique;
    Json devices = Json::array();
    for (Json& row : rows) {
        Json device = std::move(row.at("device"));
        row.erase("device");
        if (devices.empty() || devices.back().at(0) != device) {
            devices.push_back(Json::array({std::move(device), Json::array()}));
        }
        add_to_runs(unique.index_of(std::move(row)), devices.back().at(1));
    }
    return {{"rows", unique.take()}, {"devices", std::move(devices)}};
}

Json unfold_devices(const Json& folded) {
    const Json& unique = folded.at("rows");
    Json rows = Json::array();
    for (const Json& device : folded.at("devices")) {
        const Json& runs = device.at(1);
        for (std::size_t run = 0; run + 1 < runs.size(); run += 2) {
            const auto first = runs.at(run).get<std::size_t>();
            const auto count = runs.at(run + 1).get<std::size_t>();
            for (std::size_t i = first; i < first + count; ++i) {
                Json row{{"device", device.at(0)}};
                row.update(unique.at(i));
                rows.push_back(std::move(row));
            }
        }
    }
    return rows;
}

}  // namespace tessera::report
