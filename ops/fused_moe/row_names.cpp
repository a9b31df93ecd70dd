// SPDX-License-Identifier: Apache-2.0
// Keys of the op that name a row of its tables.
#include <fmt/ranges.h>

#include "emu/base/fields/nearest.hpp"
#include "ops/fused_moe/fused_moe.hpp"

namespace tessera::ops::fused_moe {
namespace {

template <class Row>
std::vector<std::string> names_of(std::span<const Row> rows) {
    std::vector<std::string> names;
    for (const Row& row : rows) {
        names.emplace_back(row.name);
    }
    return names;
}

template <class Row>
config::Mistake no_row(const config::Node& node, std::span<const Row> rows) {
    return {node.origin, fmt::format("{}, allowed: {}, {}", config::describe(node), kAuto,
                                     fmt::join(names_of(rows), ", "))};
}

}  // namespace
}  // namespace tessera::ops::fused_moe

namespace tessera::config {

using ops::fused_moe::ExpertsName;
using ops::fused_moe::PrepareFinalizeName;
using ops::fused_moe::WeightFormatName;

Parsed<WeightFormatName> Value<WeightFormatName>::parse(const Node& node) {
    const auto* row = ops::fused_moe::find_weight_format(node.text);
    if (row == nullptr) {
        return ops::fused_moe::no_row(node, ops::fused_moe::all_weight_formats());
    }
    return WeightFormatName{row};
}

std::string Value<WeightFormatName>::show(const WeightFormatName& value) {
    return std::string(value.row->name);
}

std::string Value<WeightFormatName>::allowed() {
    return fmt::format(
        "{}", fmt::join(ops::fused_moe::names_of(ops::fused_moe::all_weight_formats()), ", "));
}

Parsed<PrepareFinalizeName> Value<PrepareFinalizeName>::parse(const Node& node) {
    const auto* row = ops::fused_moe::find_prepare_finalize(node.text);
    if (row == nullptr && node.text != ops::fused_moe::kAuto) {
        return ops::fused_moe::no_row(node, ops::fused_moe::all_prepare_finalize());
    }
    return PrepareFinalizeName{row};
}

std::string Value<PrepareFinalizeName>::show(const PrepareFinalizeName& value) {
    return std::string(value.row == nullptr ? ops::fused_moe::kAuto : value.row->name);
}

std::string Value<PrepareFinalizeName>::allowed() {
    return fmt::format(
        "{}, {}", ops::fused_moe::kAuto,
        fmt::join(ops::fused_moe::names_of(ops::fused_moe::all_prepare_finalize()), ", "));
}

Parsed<ExpertsName> Value<ExpertsName>::parse(const Node& node) {
    const auto* row = ops::fused_moe::find_experts(node.text);
    if (row == nullptr && node.text != ops::fused_moe::kAuto) {
        return ops::fused_moe::no_row(node, ops::fused_moe::all_experts());
    }
    return ExpertsName{row};
}

std::string Value<ExpertsName>::show(const ExpertsName& value) {
    return std::string(value.row == nullptr ? ops::fused_moe::kAuto : value.row->name);
}

std::string Value<ExpertsName>::allowed() {
    return fmt::format("{}, {}", ops::fused_moe::kAuto,
                       fmt::join(ops::fused_moe::names_of(ops::fused_moe::all_experts()), ", "));
}

}  // namespace tessera::config
