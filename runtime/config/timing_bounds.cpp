// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/timing_bounds.hpp"

#include <algorithm>

#include "runtime/config/field_table.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

/// Direction in which a constant is moved.
enum class End : std::uint8_t { Short, Long };

bool is_override(const Node& node) {
    return node.origin.kind == OriginKind::Override;
}

void move_fact(const Field& field, Node& node, End end) {
    Node* value = node.kind == NodeKind::Map ? node.find("value") : nullptr;
    const Node* range = value == nullptr ? nullptr : node.find("range");
    // A value from the command line does not keep the file's range, as in bind_fact.
    if (range == nullptr || (is_override(*value) && !is_override(*node.find("source")))) {
        return;
    }
    // A larger rate makes runs short, a larger time makes them long.
    const bool takes_least = (field.shortens == Shortens::Less) == (end == End::Short);
    *value = range->elements.at(takes_least ? 0 : 1);
}

void move_all(std::span<const Field> fields, Node& node, End end) {
    for (const Field& field : fields) {
        Node* below = node.find(field.key);
        if (below == nullptr) {
            continue;
        }
        if (field.kind == FieldKind::Section) {
            move_all(field.fields, *below, end);
        } else if (field.kind == FieldKind::FactMap) {
            for (Entry& entry : below->entries) {
                move_fact(field.fields.front(), entry.value, end);
            }
        } else {
            move_fact(field, *below, end);
        }
    }
}

TimingSpec bind_one(const Node& timing, const std::string& path, Hertz clock, Binding& binding) {
    TimingSpec spec;
    bind_fields(timing_fields(), timing, &spec, path, binding);
    // SfpuCost finds a function by binary search.
    std::ranges::sort(spec.sfpu.functions);
    spec.clock = clock;
    return spec;
}

TimingSpec bind_end(Node timing, End end, const std::string& path, Hertz clock) {
    move_all(timing_fields(), timing, end);
    Binding binding;
    TimingSpec spec = bind_one(timing, path, clock, binding);
    // Ends have passed the checks of the value itself (range_of in bind_fact.cpp).
    ensure(binding.violations.empty(), "an end of a range of {} is not a valid value", path);
    return spec;
}

}  // namespace

TimingBounds bind_timing(const Node& timing, const Origin& parent, const std::string& prefix,
                         Hertz clock, Binding& binding) {
    const std::string path = prefix + "timing.";
    if (timing.kind == NodeKind::Null) {
        binding.violations.add(parent, prefix + "timing", "required key is missing");
        return {};
    }
    Binding own;
    TimingBounds bounds;
    bounds.expected = bind_one(timing, path, clock, own);
    if (own.violations.empty()) {
        bounds.low = bind_end(timing, End::Short, path, clock);
        bounds.high = bind_end(timing, End::Long, path, clock);
    }
    binding.resolved.insert(binding.resolved.end(), own.resolved.begin(), own.resolved.end());
    binding.violations.append(own.violations);
    return bounds;
}

}  // namespace tessera::config
