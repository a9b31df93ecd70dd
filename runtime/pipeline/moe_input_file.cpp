// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/moe_input_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "tessera/errors.hpp"

namespace tessera::run {
namespace {

const StoredTensor& stored(const SafetensorsFile& file, const char* name, Dtype dtype,
                           std::size_t rank) {
    const StoredTensor& tensor = file.at(name);
    require(tensor.dtype == dtype, "{}: {}: dtype {}, allowed: {}", file.path(), name,
            name_of(tensor.dtype), name_of(dtype));
    require(tensor.shape.size() == rank, "{}: {}: shape {} of rank {}, allowed: rank {}",
            file.path(), name, to_string(tensor.shape), tensor.shape.size(), rank);
    require(num_elements(tensor.shape) > 0, "{}: {}: shape {}, allowed: no extent of 0",
            file.path(), name, to_string(tensor.shape));
    return tensor;
}

/// `letters` say where the extents come from: "(T,K) of hidden_states and selected_experts".
void require_shape(const SafetensorsFile& file, const StoredTensor& tensor, const Shape& shape,
                   const char* letters) {
    require(tensor.shape == shape, "{}: {}: shape {}, allowed: {}, which is {}", file.path(),
            tensor.name, to_string(tensor.shape), to_string(shape), letters);
}

void check_shapes(const SafetensorsFile& file) {
    const Shape hidden = stored(file, "hidden_states", Dtype::BF16, 2).shape;
    const Shape selected = stored(file, "selected_experts", Dtype::U32, 2).shape;
    const Shape mapping = stored(file, "device_expert_mapping", Dtype::I32, 2).shape;
    const StoredTensor& gate = stored(file, "gate_weights", Dtype::BF16, 3);
    const std::uint32_t tokens = hidden[0];
    const std::uint32_t experts = mapping[0] * mapping[1];
    const std::uint32_t intermediate = gate.shape[2];

    require_shape(file, file.at("selected_experts"), {tokens, selected[1]},
                  "(T,K) with T of hidden_states");
    require_shape(file, stored(file, "routing_weights", Dtype::BF16, 2), selected,
                  "(T,K) of selected_experts");
    require_shape(file, gate, {experts, hidden[1], intermediate},
                  "(E,H,H') with E of device_expert_mapping and H of hidden_states");
    require_shape(file, stored(file, "up_weights", Dtype::BF16, 3), gate.shape,
                  "(E,H,H') of gate_weights");
    require_shape(file, stored(file, "down_weights", Dtype::BF16, 3),
                  {experts, intermediate, hidden[1]}, "(E,H',H) of gate_weights");
}

// Rows of the experts of one device, gathered from the mapped file.
HostTensor gather_weights(const SafetensorsFile& file, const HostTensor& mapping,
                          Projection projection, std::uint32_t device) {
    const StoredTensor& all = file.at(ops::moe_v2::name_of(projection));
    const std::uint32_t num_experts = mapping.shape.at(1);
    HostTensor own =
        make_host_tensor({num_experts, all.shape[1], all.shape[2]}, DataFormat::Float16_b);
    const std::size_t bytes = own.bytes.size() / num_experts;
    for (std::uint32_t i = 0; i < num_experts; ++i) {
        const auto expert = static_cast<std::size_t>(
            mapping.as<std::int32_t>()[std::size_t{device} * num_experts + i]);
        std::memcpy(own.bytes.data() + i * bytes, all.bytes.data() + expert * bytes, bytes);
    }
    return own;
}

}  // namespace

MoeInputFile::MoeInputFile(const std::filesystem::path& path)
    : file_(std::make_shared<const SafetensorsFile>(path)) {
    check_shapes(*file_);
}

std::uint32_t MoeInputFile::num_devices() const {
    return file_->at("device_expert_mapping").shape[0];
}

std::vector<config::Override> MoeInputFile::shapes() const {
    const Shape& mapping = file_->at("device_expert_mapping").shape;
    struct Extent {
        const char* path;
        std::uint32_t value;
        const char* tensor;
    };
    const std::array extents{
        Extent{"workload.tokens", file_->at("hidden_states").shape[0], "hidden_states"},
        Extent{"workload.hidden", file_->at("hidden_states").shape[1], "hidden_states"},
        Extent{"workload.intermediate", file_->at("gate_weights").shape[2], "gate_weights"},
        Extent{"workload.experts", mapping[0] * mapping[1], "device_expert_mapping"},
        Extent{"workload.top_k", file_->at("selected_experts").shape[1], "selected_experts"},
    };
    std::vector<config::Override> overrides;
    for (const Extent& extent : extents) {
        overrides.push_back({extent.path, std::to_string(extent.value),
                             fmt::format("{}: {}", file_->path(), extent.tensor)});
    }
    return overrides;
}

MoeInputs MoeInputFile::inputs() const {
    MoeInputs inputs;
    inputs.hidden_states = file_->read("hidden_states");
    inputs.selected_experts = file_->read("selected_experts");
    inputs.routing_weights = file_->read("routing_weights");
    inputs.device_expert_mapping = file_->read("device_expert_mapping");
    inputs.intermediate = file_->at("gate_weights").shape[2];
    inputs.make_weights = [file = file_, mapping = inputs.device_expert_mapping](
                              Projection projection, std::uint32_t device) {
        return gather_weights(*file, mapping, projection, device);
    };
    return inputs;
}

}  // namespace tessera::run
