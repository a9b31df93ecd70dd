// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/origin_values.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "emu/base/bf16.hpp"
#include "emu/base/counted_random.hpp"
#include "emu/base/random_routing.hpp"
#include "emu/base/random_tensor.hpp"
#include "emu/tile/format/fp8_e4m3.hpp"
#include "runtime/session/page_codec.hpp"
#include "runtime/steps/expression.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {
namespace {

constexpr float kGap = 0.125F;  // smallest magnitude of values that must not be 0

float moved_into(Domain domain, float value) {
    switch (domain) {
        case Domain::All:
            return value;
        case Domain::NotZero:
            // Shifted, not clamped: a clamp would give many elements the same value.
            return value + std::copysign(kGap, value);
        case Domain::Positive:
            return std::fabs(value) + kGap;
    }
    return value;
}

void move_into(Domain domain, HostTensor& tensor) {
    if (domain == Domain::All) {
        return;
    }
    if (tensor.format == DataFormat::Float16_b) {
        for (std::uint16_t& bits : tensor.as<std::uint16_t>()) {
            bits = float_to_bf16(moved_into(domain, bf16_to_float(bits)));
        }
    } else if (tensor.format == DataFormat::Float32) {
        for (float& value : tensor.as<float>()) {
            value = moved_into(domain, value);
        }
    } else if (tensor.format == DataFormat::Fp8_e4m3) {
        for (std::uint8_t& code : tensor.as<std::uint8_t>()) {
            code = tile::e4m3_from_float(moved_into(domain, tile::e4m3_to_float(code)));
        }
    }
}

// Draws float32 as the sum of two bfloat16 draws. A bfloat16 has 8 significant bits; the second
// one, 2^-8 as large, fills the bits after them.
HostTensor normal_floats(const Shape& shape, std::uint64_t seed, float stddev) {
    const HostTensor high = make_normal_bf16(shape, {.seed = seed, .stddev = stddev});
    const HostTensor low = make_normal_bf16(shape, {.seed = mix64(seed), .stddev = stddev / 256});
    HostTensor tensor = make_host_tensor(shape, DataFormat::Float32);
    const auto out = tensor.as<float>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] =
            bf16_to_float(high.as<std::uint16_t>()[i]) + bf16_to_float(low.as<std::uint16_t>()[i]);
    }
    return tensor;
}

// Draws fp8 codes by rounding normal numbers: random bits would include NaN. A table of all 65536
// bfloat16 numbers replaces a conversion for each element.
HostTensor normal_codes(const Shape& shape, std::uint64_t seed, float stddev) {
    static const std::vector<std::uint8_t> kCodes = [] {
        std::vector<std::uint8_t> codes(std::size_t{1} << 16U);
        for (std::size_t bits = 0; bits < codes.size(); ++bits) {
            codes[bits] = tile::e4m3_from_float(bf16_to_float(static_cast<std::uint16_t>(bits)));
        }
        return codes;
    }();
    const HostTensor numbers = make_normal_bf16(shape, {.seed = seed, .stddev = stddev});
    HostTensor tensor = make_host_tensor(shape, DataFormat::Fp8_e4m3);
    std::ranges::transform(numbers.as<std::uint16_t>(), tensor.as<std::uint8_t>().begin(),
                           [](std::uint16_t bits) { return kCodes[bits]; });
    return tensor;
}

HostTensor random_bits(const Shape& shape, DataFormat format, std::uint64_t seed) {
    // A word depends on seed and position alone, so values do not depend on threads.
    HostTensor tensor = make_host_tensor(shape, format);
    for (std::size_t i = 0; i < tensor.bytes.size(); i += sizeof(std::uint64_t)) {
        const std::uint64_t word = random_word(seed, i);
        std::memcpy(tensor.bytes.data() + i, &word,
                    std::min(sizeof(word), tensor.bytes.size() - i));
    }
    return tensor;
}

HostTensor draw_normal(const TensorSpec& spec, const TensorOrigin& origin, std::uint64_t seed) {
    HostTensor tensor;
    if (spec.format == DataFormat::Float16_b) {
        tensor = make_normal_bf16(spec.shape, {.seed = seed, .stddev = stddev_of(origin)});
    } else if (spec.format == DataFormat::Float32 || is_block_format(spec.format)) {
        tensor = normal_floats(spec.shape, seed, stddev_of(origin));
    } else if (spec.format == DataFormat::Fp8_e4m3) {
        tensor = normal_codes(spec.shape, seed, stddev_of(origin));
    } else {
        tensor = random_bits(spec.shape, spec.format, seed);
    }
    move_into(origin.domain, tensor);
    return tensor;
}

/// Returns a tensor of one number. Formats are listed, since each needs its own conversion; others
/// are refused by name.
HostTensor constant(const TensorSpec& spec, double value) {
    HostTensor tensor = make_host_tensor(spec.shape, host_format(spec.format));
    const auto fill = [&](auto element) {
        for (std::size_t at = 0; at < tensor.bytes.size(); at += sizeof(element)) {
            std::memcpy(tensor.bytes.data() + at, &element, sizeof(element));
        }
    };
    switch (tensor.format) {
        case DataFormat::Float16_b:
            fill(float_to_bf16(static_cast<float>(value)));
            break;
        case DataFormat::Float32:
            fill(static_cast<float>(value));
            break;
        case DataFormat::Int32:
            fill(static_cast<std::int32_t>(value));
            break;
        case DataFormat::UInt32:
            fill(static_cast<std::uint32_t>(value));
            break;
        case DataFormat::UInt16:
            fill(static_cast<std::uint16_t>(value));
            break;
        case DataFormat::UInt8:
            fill(static_cast<std::uint8_t>(value));
            break;
        default:
            ensure(false, "a constant in {}", name_of(spec.format));
    }
    return tensor;
}

/// Evaluates the origin's expression for the index of each element.
HostTensor indexed(const PipelineTensor& origin, std::uint32_t device) {
    HostTensor tensor = make_host_tensor(origin.spec.shape, origin.spec.format);
    const auto out = tensor.as<std::int32_t>();
    // Each piece has its own scope, whose `i` changes from element to element.
    constexpr std::size_t kPiece = 4096;
    tbb::parallel_for(std::size_t{0}, (out.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
        Scope scope(origin.origin.names.get());
        scope.set("device", std::int64_t{device});
        for (std::size_t i = piece * kPiece; i < std::min(out.size(), (piece + 1) * kPiece); ++i) {
            out[i] = static_cast<std::int32_t>(index_value(origin, i, scope));
        }
    });
    return tensor;
}

/// Returns, for each of `experts`, its index in row `device` of a mapping, or −1.
HostTensor expert_map(const HostTensor& mapping, std::uint32_t experts, std::uint32_t device) {
    const std::uint32_t slots = mapping.shape.at(1);
    HostTensor map = make_host_tensor({experts}, DataFormat::Int32);
    std::ranges::fill(map.as<std::int32_t>(), kNoExpert);
    for (std::uint32_t place = 0; place < slots; ++place) {
        // The last slots of a device are empty if it has fewer experts than others.
        const std::int32_t expert = mapping.as<std::int32_t>()[device * slots + place];
        if (expert != kNoExpert) {
            map.as<std::int32_t>()[static_cast<std::size_t>(expert)] =
                static_cast<std::int32_t>(place);
        }
    }
    return map;
}

/// Returns scores with which a top-k router selects these experts in this order. Scores of selected
/// experts fall from 2 to 0; all others are −8, so that a router's small bias cannot select them.
HostTensor logits_of(const HostTensor& selected, std::uint32_t experts) {
    constexpr float kLargest = 2;
    constexpr float kNotChosen = -8;
    const std::uint32_t top_k = selected.shape.at(1);
    HostTensor logits = make_host_tensor({selected.shape[0], experts}, DataFormat::Float32);
    std::ranges::fill(logits.as<float>(), kNotChosen);
    for (std::size_t choice = 0; choice < num_elements(selected.shape); ++choice) {
        const auto rank = static_cast<float>(choice % top_k) / static_cast<float>(top_k);
        const auto expert = static_cast<std::size_t>(selected.as<std::int32_t>()[choice]);
        logits.as<float>()[choice / top_k * experts + expert] = kLargest * (1 - rank);
    }
    return logits;
}

/// Converts drawn values to a tensor's format: ids to any 32-bit integers, weights to float32.
HostTensor as_format(HostTensor drawn, DataFormat format) {
    if (drawn.format == DataFormat::Float16_b && format == DataFormat::Float32) {
        HostTensor wide = make_host_tensor(drawn.shape, format);
        std::ranges::transform(drawn.as<std::uint16_t>(), wide.as<float>().begin(), bf16_to_float);
        return wide;
    }
    // Ids are small, so that formats of 32-bit integers have the same bytes for them.
    if (element_bytes(drawn.format) == element_bytes(format)) {
        drawn.format = format;
    }
    return drawn;
}

HostTensor drawn(const PipelineTensor& tensor, const OriginPlace& place) {
    const TensorOrigin& origin = tensor.origin;
    const Shape& shape = tensor.spec.shape;
    RoutingDraw routing{.experts = origin.experts,
                        .kind = origin.routing,
                        .zipf_exponent = origin.zipf_exponent,
                        .weights = origin.weights,
                        .mapping = origin.mapping,
                        .seed = place.seed};
    if (origin.kind == OriginKind::ExpertMapping) {
        // All kinds of routing share one draw: weights, logits and maps fit the experts that are
        // selected.
        routing.experts =
            origin.experts != 0 ? origin.experts : static_cast<std::uint32_t>(num_elements(shape));
        return make_device_expert_mapping(routing, shape.at(0));
    }
    if (origin.kind == OriginKind::Routing || origin.kind == OriginKind::RoutingWeights) {
        routing.tokens = shape.at(0);
        routing.top_k = shape.at(1);
        return as_format(origin.kind == OriginKind::Routing ? make_selected_experts(routing)
                                                            : make_routing_weights(routing),
                         tensor.spec.format);
    }
    if (origin.kind == OriginKind::RoutingLogits) {
        routing.tokens = shape.at(0);
        routing.experts = shape.at(1);
        routing.top_k = origin.top_k;
        return as_format(logits_of(make_selected_experts(routing), routing.experts),
                         tensor.spec.format);
    }
    if (origin.kind == OriginKind::ExpertMap) {
        routing.experts = shape.at(0);
        return expert_map(make_device_expert_mapping(routing, place.devices), routing.experts,
                          place.device);
    }
    // Seeds come from names, so that a tensor that is added to a run file does not change the
    // others' values. A split tensor has the same values on any number of devices.
    const std::string name = tensor.distribution == Distribution::Each
                                 ? fmt::format("{} of device {}", tensor.name, place.device)
                                 : tensor.name;
    return draw_normal(tensor.spec, origin, seed_for(place.seed, name));
}

}  // namespace

float stddev_of(const TensorOrigin& origin) {
    return origin.fan_in == 0 ? static_cast<float>(origin.stddev)
                              : 1.0F / std::sqrt(static_cast<float>(origin.fan_in));
}

HostTensor value_of_origin(const PipelineTensor& tensor, const OriginPlace& place) {
    switch (tensor.origin.kind) {
        case OriginKind::Zeros:
            return make_host_tensor(tensor.spec.shape, host_format(tensor.spec.format));
        case OriginKind::Constant:
            return constant(tensor.spec, tensor.origin.value);
        case OriginKind::Index:
            return indexed(tensor, place.device);
        default:
            return drawn(tensor, place);
    }
}

}  // namespace tessera::pipeline
