// SPDX-License-Identifier: Apache-2.0
// Rules of origins, which are known before a run draws values.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "runtime/steps/expression.hpp"
#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {
namespace {

/// Values that an integer format holds.
struct IntegerRange {
    DataFormat format;
    double least;
    double most;
};

constexpr std::array kIntegers{
    IntegerRange{DataFormat::Int32, -0x1p31, 0x1p31 - 1},
    IntegerRange{DataFormat::UInt32, 0, 0x1p32 - 1},
    IntegerRange{DataFormat::UInt16, 0, 0xffff},
    IntegerRange{DataFormat::UInt8, 0, 0xff},
};

const IntegerRange* integers_of(DataFormat format) {
    const auto found = std::ranges::find(kIntegers, format, &IntegerRange::format);
    return found == kIntegers.end() ? nullptr : &*found;
}

void require_format(const PipelineTensor& tensor, std::string_view origin,
                    std::initializer_list<DataFormat> allowed) {
    std::vector<std::string_view> names;
    for (const DataFormat format : allowed) {
        names.push_back(name_of(format));
    }
    require(std::ranges::find(allowed, tensor.spec.format) != allowed.end(),
            "origin: {} in {}; allowed: {}", origin, name_of(tensor.spec.format),
            fmt::join(names, ", "));
}

/// Adds the tensors that a join consists of, also by way of other joins.
void add_parts(const PipelineSpec& pipeline, const PipelineTensor& tensor,
               std::set<std::string>& parts) {
    for (const std::string& name : tensor.origin.parts) {
        const PipelineTensor* part = find_tensor(pipeline, name);
        if (parts.insert(name).second && part != nullptr) {
            add_parts(pipeline, *part, parts);
        }
    }
}

// Parts of a lower rank have leading extents of 1.
void check_join(const PipelineSpec& pipeline, const PipelineTensor& tensor) {
    std::set<std::string> parts;
    add_parts(pipeline, tensor, parts);
    require(!parts.contains(tensor.name), "joins itself; allowed: other tensors");
    const std::uint32_t axis = tensor.origin.axis;
    require(axis < tensor.spec.shape.size(), "axis {} of {} extents; allowed: 0 to {}", axis,
            tensor.spec.shape.size(), tensor.spec.shape.size() - 1);
    std::uint32_t extent = 0;
    for (const std::string& name : tensor.origin.parts) {
        const PipelineTensor* part = find_tensor(pipeline, name);
        require(part != nullptr, "joins {}, which is not an input tensor", name);
        require(part->spec.format == tensor.spec.format, "joins {}, which is {}; allowed: {}", name,
                name_of(part->spec.format), name_of(tensor.spec.format));
        // Weights of single experts are matrices in files and become slices of a 3-dimensional
        // tensor.
        Shape rest = with_rank(part->spec.shape, tensor.spec.shape.size());
        if (rest.size() == tensor.spec.shape.size()) {
            extent += std::exchange(rest[axis], tensor.spec.shape[axis]);
        }
        require(rest == tensor.spec.shape,
                "joins {}, whose shape is {}; allowed: {} except along axis {}", name,
                to_string(part->spec.shape), to_string(tensor.spec.shape), axis);
    }
    require(extent == tensor.spec.shape[axis],
            "has extent {} along axis {}; the extents of its parts add up to {}",
            tensor.spec.shape[axis], axis, extent);
}

void check_places(const PipelineSpec& pipeline, const PipelineTensor& tensor) {
    const PipelineTensor* map = find_tensor(pipeline, tensor.origin.map);
    require(map != nullptr, "places of {}, which is not an input tensor", tensor.origin.map);
    const auto text = [](const PipelineTensor& of) {
        return fmt::format("{} {}", to_string(of.spec.shape), name_of(of.spec.format));
    };
    const bool is_list = tensor.spec.shape.size() == 1 && tensor.spec.format == DataFormat::Int32;
    require(is_list, "is {}; allowed with places: (E) int32", text(tensor));
    require(map->spec.shape == tensor.spec.shape && map->spec.format == tensor.spec.format,
            "is {}; allowed: {}, as {}", text(tensor), text(*map), map->name);
}

void check_constant(const PipelineTensor& tensor) {
    require_format(
        tensor, "a constant",
        {DataFormat::Float16_b, DataFormat::Float32, DataFormat::Bfp8_b, DataFormat::Bfp4_b,
         DataFormat::Int32, DataFormat::UInt32, DataFormat::UInt16, DataFormat::UInt8});
    const double value = tensor.origin.value;
    if (const IntegerRange* range = integers_of(tensor.spec.format)) {
        require(std::trunc(value) == value && value >= range->least && value <= range->most,
                "origin: constant {} in {}; allowed: whole numbers from {:.0f} to {:.0f}", value,
                name_of(tensor.spec.format), range->least, range->most);
        return;
    }
    // Infinity may be meant; a finite number that becomes infinite is not.
    const double largest = tensor.spec.format == DataFormat::Float32
                               ? static_cast<double>(std::numeric_limits<float>::max())
                               : 0x1.fep127;  // of bfloat16, and of the blocks that it fills
    require(!std::isfinite(value) || std::abs(value) <= largest,
            "origin: constant {} in {}; allowed: magnitudes up to {}", value,
            name_of(tensor.spec.format), largest);
}

void check_routing(const PipelineTensor& tensor) {
    const TensorOrigin& origin = tensor.origin;
    const Shape& shape = tensor.spec.shape;
    require(shape.size() == 2, "origin: routing of a tensor {}; allowed: two extents",
            to_string(shape));
    const bool are_logits = origin.kind == OriginKind::RoutingLogits;
    const std::uint32_t experts = are_logits ? shape[1] : origin.experts;
    const std::uint32_t top_k = are_logits ? origin.top_k : shape[1];
    // Weights alone need no number of experts.
    const bool has_experts = origin.kind != OriginKind::RoutingWeights || experts != 0;
    require(!has_experts || (top_k >= 1 && top_k <= experts),
            "origin: each token selects {} of {} experts; allowed: 1 to {}", top_k, experts,
            experts);
}

void check_index(const PipelineTensor& tensor) {
    // Every load checks them; a mistake further back is found when the values are made.
    constexpr std::size_t kFirst = 64;
    require_format(tensor, "an index", {DataFormat::Int32, DataFormat::UInt32});
    const std::size_t elements = num_elements(tensor.spec.shape);
    Scope scope(tensor.origin.names.get());
    scope.set("device", std::int64_t{0});
    for (std::size_t i = 0; i < std::min(kFirst, elements); ++i) {
        (void)index_value(tensor, i, scope);
    }
    if (elements > kFirst) {
        (void)index_value(tensor, elements - 1, scope);
    }
}

}  // namespace

std::int64_t index_value(const PipelineTensor& tensor, std::size_t i, Scope& scope) {
    scope.set("i", static_cast<std::int64_t>(i));
    const std::int64_t value = evaluate_integer(tensor.origin.index, scope);
    const IntegerRange* range = integers_of(tensor.spec.format);
    const auto number = static_cast<double>(value);
    require(range != nullptr && number >= range->least && number <= range->most,
            "origin: index '{}' is {} for i = {}, which {} does not hold", tensor.origin.index,
            value, i, name_of(tensor.spec.format));
    return value;
}

void check_origin(const PipelineSpec& pipeline, const PipelineTensor& tensor) {
    switch (tensor.origin.kind) {
        case OriginKind::Join:
            return check_join(pipeline, tensor);
        case OriginKind::ExpertPlaces:
            return check_places(pipeline, tensor);
        case OriginKind::Constant:
            return check_constant(tensor);
        case OriginKind::Index:
            return check_index(tensor);
        case OriginKind::Routing:
            require_format(tensor, "routing", {DataFormat::Int32, DataFormat::UInt32});
            return check_routing(tensor);
        case OriginKind::RoutingWeights:
            require_format(tensor, "routing_weights", {DataFormat::Float16_b, DataFormat::Float32});
            return check_routing(tensor);
        case OriginKind::RoutingLogits:
            require_format(tensor, "routing_logits", {DataFormat::Float32});
            return check_routing(tensor);
        case OriginKind::ExpertMapping:
            return require_format(tensor, "expert_mapping", {DataFormat::Int32});
        case OriginKind::ExpertMap:
            return require_format(tensor, "expert_map", {DataFormat::Int32});
        default:
            return;
    }
}

}  // namespace tessera::pipeline
