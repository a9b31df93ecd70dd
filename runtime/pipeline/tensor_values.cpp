// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/tensor_values.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "emu/base/bf16.hpp"
#include "emu/base/counted_random.hpp"
#include "emu/base/random_routing.hpp"
#include "emu/base/random_tensor.hpp"
#include "emu/base/tensor_file/dtype.hpp"
#include "emu/tile/format/fp8_e4m3.hpp"
#include "runtime/config/load_tree.hpp"
#include "runtime/config/pipeline_file.hpp"
#include "runtime/session/page_codec.hpp"
#include "tessera/errors.hpp"

namespace tessera::pipeline {
namespace {

constexpr float kGap = 0.125F;  // least distance from 0 of values that must not be 0

float moved_into(Domain domain, float value) {
    switch (domain) {
        case Domain::All:
            return value;
        case Domain::NotZero:
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
    }
}

// A bfloat16 has 8 bits: a second one, 2^-8 as large, fills those behind it.
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

// Bits at random would be NaN in places. There are few enough bfloat16 numbers for a table.
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
    HostTensor tensor = make_host_tensor(shape, format);
    for (std::size_t i = 0; i < tensor.bytes.size(); i += sizeof(std::uint64_t)) {
        const std::uint64_t word = random_word(seed, i);
        std::memcpy(tensor.bytes.data() + i, &word,
                    std::min(sizeof(word), tensor.bytes.size() - i));
    }
    return tensor;
}

float stddev_of(const TensorOrigin& origin) {
    return origin.fan_in == 0 ? static_cast<float>(origin.stddev)
                              : 1.0F / std::sqrt(static_cast<float>(origin.fan_in));
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
            throw UsageError(
                fmt::format("a constant in {}; allowed: bfloat16, float32, int32, "
                            "uint32, uint16 or uint8",
                            name_of(spec.format)));
    }
    return tensor;
}

/// Of each element what the origin's expression says for its number.
HostTensor indexed(const TensorSpec& spec, const TensorOrigin& origin, std::uint32_t device) {
    require(spec.format == DataFormat::Int32 || spec.format == DataFormat::UInt32,
            "numbers of elements in {}; allowed: int32 or uint32", name_of(spec.format));
    HostTensor tensor = make_host_tensor(spec.shape, spec.format);
    const auto out = tensor.as<std::int32_t>();
    constexpr std::size_t kPiece = 4096;
    tbb::parallel_for(std::size_t{0}, (out.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
        Scope scope(origin.names.get());
        scope.set("device", std::int64_t{device});
        for (std::size_t i = piece * kPiece; i < std::min(out.size(), (piece + 1) * kPiece); ++i) {
            scope.set("i", static_cast<std::int64_t>(i));
            out[i] = static_cast<std::int32_t>(evaluate_integer(origin.index, scope));
        }
    });
    return tensor;
}

/// Rows `indices` of axis `axis`, copied from a tensor of `shape`.
HostTensor gather(const HostTensor& whole, std::uint32_t axis,
                  std::span<const std::uint32_t> indices) {
    std::size_t outer = 1;
    std::size_t inner = element_bytes(whole.format);
    for (std::size_t i = 0; i < whole.shape.size(); ++i) {
        (i < axis ? outer : inner) *= i == axis ? 1 : whole.shape[i];
    }
    const std::size_t extent = whole.shape[axis];
    HostTensor part{whole.shape, whole.format, {}};
    part.shape[axis] = static_cast<std::uint32_t>(indices.size());
    part.bytes.resize(outer * indices.size() * inner);
    for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t i = 0; i < indices.size(); ++i) {
            std::memcpy(part.bytes.data() + (o * indices.size() + i) * inner,
                        whole.bytes.data() + (o * extent + indices[i]) * inner, inner);
        }
    }
    return part;
}

bool is_drawn(OriginKind kind) {
    return kind == OriginKind::Normal || kind == OriginKind::Routing ||
           kind == OriginKind::RoutingWeights || kind == OriginKind::RoutingLogits ||
           kind == OriginKind::ExpertMapping || kind == OriginKind::ExpertMap;
}

bool is_used(const PipelineSpec& pipeline, const std::string& name) {
    const bool is_operand = std::ranges::any_of(pipeline.steps, [&](const PipelineStep& step) {
        return std::ranges::find(step.inputs, name) != step.inputs.end();
    });
    return is_operand || std::ranges::any_of(pipeline.tensors, [&](const PipelineTensor& tensor) {
               const auto& parts = tensor.origin.parts;
               return tensor.split_by == name || std::ranges::find(parts, name) != parts.end();
           });
}

}  // namespace

std::vector<config::Override> params_of(const InputFile& inputs,
                                        const std::filesystem::path& run_file,
                                        config::ConfigFolders folders) {
    if (inputs == nullptr) {
        return {};
    }
    std::vector<config::NamedShape> shapes;
    for (const StoredTensor& tensor : inputs->tensors()) {
        require(num_elements(tensor.shape) > 0, "{}: {}: shape {}, allowed: no extent of 0",
                inputs->path(), tensor.name, to_string(tensor.shape));
        shapes.push_back({tensor.name, tensor.shape});
    }
    return config::params_of_shapes(config::read_run(run_file, folders), shapes, inputs->path());
}

TensorValues::TensorValues(const PipelineSpec& pipeline, std::uint32_t devices, InputFile inputs,
                           InputFile state)
    : pipeline_(pipeline), devices_(devices), inputs_(std::move(inputs)), state_(std::move(state)) {
    for (const PipelineTensor& tensor : pipeline_.tensors) {
        if (tensor.origin.kind == OriginKind::File) {
            InputFile& file = files_[tensor.origin.file];
            if (file == nullptr) {
                file = std::make_shared<const SafetensorsFile>(
                    std::filesystem::path(pipeline_.folder) / tensor.origin.file);
            }
        }
        if (is_used(pipeline_, tensor.name)) {
            check_stored(tensor);
        }
    }
}

const SafetensorsFile* TensorValues::file_of(const PipelineTensor& tensor) const {
    if (state_ != nullptr && tensor.persistent && is_read_from(pipeline_, tensor.name, 0)) {
        return state_.get();
    }
    if (tensor.origin.kind == OriginKind::File) {
        return files_.at(tensor.origin.file).get();
    }
    const bool is_replaced = is_drawn(tensor.origin.kind) || !tensor.stored_as.empty();
    return inputs_ != nullptr && is_replaced ? inputs_.get() : nullptr;
}

// Where each device has its own, a file may hold one for all of them all the same.
const StoredTensor& TensorValues::stored(const SafetensorsFile& file, const PipelineTensor& tensor,
                                         std::uint32_t device) {
    const bool is_named = tensor.origin.kind == OriginKind::File && !tensor.origin.tensor.empty();
    const std::string& own = tensor.stored_as.empty() ? tensor.name : tensor.stored_as;
    const std::string name = name_on(is_named ? tensor.origin.tensor : own, device);
    if (tensor.distribution == Distribution::Each && file.find(name) == nullptr) {
        return file.at(own_name(device, name));
    }
    return file.at(name);
}

void TensorValues::check_stored(const PipelineTensor& tensor) const {
    const SafetensorsFile* file = file_of(tensor);
    const std::uint32_t own = tensor.distribution == Distribution::Each ? devices_ : 1;
    for (std::uint32_t device = 0; file != nullptr && device < own; ++device) {
        const StoredTensor& found = stored(*file, tensor, device);
        const Dtype dtype = dtype_of(host_format(tensor.spec.format));
        require(found.dtype == dtype, "{}: {}: dtype {}, allowed: {}", file->path(), found.name,
                name_of(found.dtype), name_of(dtype));
        require(found.shape == tensor.spec.shape, "{}: {}: shape {}, allowed: {}", file->path(),
                found.name, to_string(found.shape), to_string(tensor.spec.shape));
    }
}

void put_part(const HostTensor& part, std::size_t axis, std::span<const std::uint32_t> indices,
              HostTensor& whole) {
    const std::size_t extent = whole.shape[axis];
    std::size_t inner = element_bytes(whole.format);
    for (std::size_t i = axis + 1; i < whole.shape.size(); ++i) {
        inner *= whole.shape[i];
    }
    const std::size_t outer = whole.bytes.size() / (extent * inner);
    const std::byte* from = part.bytes.data();
    for (std::size_t i = 0; i < outer; ++i) {
        for (const std::uint32_t index : indices) {
            std::memcpy(whole.bytes.data() + (i * extent + index) * inner, from, inner);
            from += inner;
        }
    }
}

namespace {

/// The indices that a device's map gives the places 0 to count − 1.
std::vector<std::uint32_t> indices_in_map(const HostTensor& map, std::uint32_t count,
                                          const PipelineTensor& tensor, std::uint32_t device) {
    const auto places = map.as<std::int32_t>();
    std::vector<std::uint32_t> indices;
    for (std::uint32_t place = 0; place < count; ++place) {
        const auto found = std::ranges::find(places, static_cast<std::int32_t>(place));
        require(found != places.end(),
                "tensors.{}.split.by: {} of device {} has no {}; it must have 0 to {}", tensor.name,
                tensor.split_by, device, place, count - 1);
        indices.push_back(static_cast<std::uint32_t>(found - places.begin()));
    }
    return indices;
}

/// Of each expert its place in row `device` of a (D,E/D) mapping, or −1.
HostTensor expert_map(const HostTensor& mapping, std::uint32_t device) {
    const auto count = static_cast<std::uint32_t>(num_elements(mapping.shape));
    const std::uint32_t each = mapping.shape.at(1);
    HostTensor map = make_host_tensor({count}, DataFormat::Int32);
    std::ranges::fill(map.as<std::int32_t>(), -1);
    for (std::uint32_t place = 0; place < each; ++place) {
        const std::int32_t expert = mapping.as<std::int32_t>()[device * each + place];
        map.as<std::int32_t>()[static_cast<std::size_t>(expert)] = static_cast<std::int32_t>(place);
    }
    return map;
}

/// Scores by which a router that takes the largest selects these experts, and in this order: chosen
/// ones fall from 2 to 0, the others are far enough below that no small bias brings them in.
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

/// Ids as any 32-bit integers, weights as float32 too.
HostTensor as_format(HostTensor drawn, DataFormat format) {
    if (drawn.format == DataFormat::Float16_b && format == DataFormat::Float32) {
        HostTensor wide = make_host_tensor(drawn.shape, format);
        std::ranges::transform(drawn.as<std::uint16_t>(), wide.as<float>().begin(), bf16_to_float);
        return wide;
    }
    if (element_bytes(drawn.format) == element_bytes(format)) {
        drawn.format = format;
    }
    return drawn;
}

}  // namespace

std::vector<std::uint32_t> TensorValues::indices_on(const PipelineTensor& tensor,
                                                    std::uint32_t device) const {
    const std::uint32_t extent = tensor.spec.shape[tensor.split_axis];
    const std::uint32_t parts = num_parts(tensor, devices_);
    const std::uint32_t each = extent / parts;
    const std::uint32_t own = part_on(tensor, device);
    std::vector<std::uint32_t> indices(each);
    if (tensor.split_by.empty()) {
        for (std::uint32_t i = 0; i < each; ++i) {
            indices[i] = own * each + i;
        }
        return indices;
    }
    const HostTensor mapping = whole(*find_tensor(pipeline_, tensor.split_by), device);
    if (mapping.format == DataFormat::Int32 && mapping.shape == Shape{extent}) {
        return indices_in_map(mapping, each, tensor, device);
    }
    require(mapping.format == DataFormat::Int32 && mapping.shape == Shape{parts, each},
            "tensors.{}.split.by: {} is {} {}; it must be ({},{}) int32", tensor.name,
            tensor.split_by, to_string(mapping.shape), name_of(mapping.format), parts, each);
    for (std::uint32_t i = 0; i < each; ++i) {
        const std::int32_t index = mapping.as<std::int32_t>()[std::size_t{own} * each + i];
        require(index >= 0 && static_cast<std::uint32_t>(index) < extent,
                "{}({},{}) is {}; allowed: 0 to {}", tensor.split_by, own, i, index, extent - 1);
        indices[i] = static_cast<std::uint32_t>(index);
    }
    return indices;
}

HostTensor TensorValues::drawn(const PipelineTensor& tensor, std::uint32_t device) const {
    const TensorOrigin& origin = tensor.origin;
    const Shape& shape = tensor.spec.shape;
    RoutingDraw routing{.experts = origin.experts,
                        .kind = origin.routing,
                        .zipf_exponent = origin.zipf_exponent,
                        .weights = origin.weights,
                        .mapping = origin.mapping,
                        .seed = pipeline_.seed};
    if (origin.kind == OriginKind::ExpertMapping) {
        routing.experts = static_cast<std::uint32_t>(num_elements(shape));
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
        return expert_map(make_device_expert_mapping(routing, devices_), device);
    }
    const std::string name = tensor.distribution == Distribution::Each
                                 ? fmt::format("{} of device {}", tensor.name, device)
                                 : tensor.name;
    return draw_normal(tensor.spec, origin, seed_for(pipeline_.seed, name));
}

HostTensor TensorValues::joined(const PipelineTensor& tensor, std::uint32_t device) const {
    HostTensor all = make_host_tensor(tensor.spec.shape, host_format(tensor.spec.format));
    std::uint32_t first = 0;
    for (const std::string& name : tensor.origin.parts) {
        const HostTensor part = whole(*find_tensor(pipeline_, name), device);
        const Shape shape = with_rank(part.shape, tensor.spec.shape.size());
        std::vector<std::uint32_t> indices(shape[tensor.origin.axis]);
        std::iota(indices.begin(), indices.end(), first);
        put_part(part, tensor.origin.axis, indices, all);
        first += static_cast<std::uint32_t>(indices.size());
    }
    return all;
}

HostTensor TensorValues::whole(const PipelineTensor& tensor, std::uint32_t device) const {
    if (const SafetensorsFile* file = file_of(tensor)) {
        return file->read(stored(*file, tensor, device).name);
    }
    switch (tensor.origin.kind) {
        case OriginKind::Zeros:
            return make_host_tensor(tensor.spec.shape, host_format(tensor.spec.format));
        case OriginKind::Constant:
            return constant(tensor.spec, tensor.origin.value);
        case OriginKind::Join:
            return joined(tensor, device);
        case OriginKind::Index:
            return indexed(tensor.spec, tensor.origin, device);
        default:
            return drawn(tensor, device);
    }
}

// Of the first axis of a large tensor no more is drawn or read than the device holds.
HostTensor TensorValues::leading_part(const PipelineTensor& tensor,
                                      std::span<const std::uint32_t> indices) const {
    const Shape& shape = tensor.spec.shape;
    Shape own = shape;
    own[0] = static_cast<std::uint32_t>(indices.size());
    HostTensor part = make_host_tensor(own, DataFormat::Float16_b);
    const std::uint64_t elements = num_elements(shape) / shape[0];
    const SafetensorsFile* file = file_of(tensor);
    const NormalSequence sequence{.seed = seed_for(pipeline_.seed, tensor.name),
                                  .stddev = stddev_of(tensor.origin)};
    const auto out = part.as<std::uint16_t>();
    tbb::parallel_for(std::size_t{0}, indices.size(), [&](std::size_t i) {
        const auto slice = out.subspan(i * elements, elements);
        if (file != nullptr) {
            const std::byte* bytes = stored(*file, tensor, 0).bytes.data();
            std::memcpy(slice.data(), bytes + indices[i] * elements * 2, elements * 2);
        } else {
            fill_normal_bf16(slice, indices[i] * elements, sequence);
        }
    });
    return part;
}

HostTensor TensorValues::part(const PipelineTensor& tensor, std::uint32_t device) const {
    const std::vector<std::uint32_t> indices = indices_on(tensor, device);
    const bool is_lean = tensor.split_axis == 0 && tensor.spec.format == DataFormat::Float16_b &&
                         tensor.origin.domain == Domain::All &&
                         (file_of(tensor) != nullptr || tensor.origin.kind == OriginKind::Normal);
    HostTensor part = is_lean ? leading_part(tensor, indices)
                              : gather(whole(tensor, device), tensor.split_axis, indices);
    if (tensor.drops_axis) {
        part.shape.erase(part.shape.begin() + tensor.split_axis);
    }
    return part;
}

HostTensor TensorValues::on(const PipelineTensor& tensor, std::uint32_t device) const {
    return tensor.distribution == Distribution::Split ? part(tensor, device)
                                                      : whole(tensor, device);
}

}  // namespace tessera::pipeline
