// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_v2/moe_inputs.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include "tessera/errors.hpp"

namespace tessera::ops::moe_v2 {
namespace {

void require_format(std::string_view name, const HostTensor& tensor, const char* shape,
                    DataFormat format) {
    require(tensor.shape.size() == 2 && num_elements(tensor.shape) > 0 && tensor.format == format,
            "moe_v2: {} is {} {}; it must be {} {} without an extent of 0", name,
            to_string(tensor.shape), name_of(tensor.format), shape, name_of(format));
}

void require_shape(std::string_view name, const HostTensor& tensor, const Shape& expected) {
    require(tensor.shape == expected, "moe_v2: {} has shape {}; the other tensors ask for {}", name,
            to_string(tensor.shape), to_string(expected));
}

void check_shapes(const MoeInputs& inputs, const MeshSpec& mesh) {
    require_format("hidden_states", inputs.hidden_states, "(T,H)", DataFormat::Float16_b);
    require_format("selected_experts", inputs.selected_experts, "(T,K)", DataFormat::UInt32);
    require_format("routing_weights", inputs.routing_weights, "(T,K)", DataFormat::Float16_b);
    require_format("device_expert_mapping", inputs.device_expert_mapping, "(D,E/D)",
                   DataFormat::Int32);
    const std::uint32_t tokens = inputs.hidden_states.shape[0];
    const std::uint32_t top_k = inputs.selected_experts.shape[1];
    require_shape("selected_experts", inputs.selected_experts, {tokens, top_k});
    require_shape("routing_weights", inputs.routing_weights, {tokens, top_k});
    const std::uint32_t devices = inputs.device_expert_mapping.shape[0];
    require(devices == mesh.shape.num_devices(),
            "moe_v2: device_expert_mapping has {} rows, one for each device; the mesh of {}×{} has "
            "{} devices",
            devices, mesh.shape.rows, mesh.shape.columns, mesh.shape.num_devices());
    require(inputs.intermediate > 0,
            "moe_v2: the intermediate size H' is 0; it must be at least 1");
}

std::string position(const HostTensor& matrix, std::size_t index) {
    const std::uint32_t columns = matrix.shape[1];
    return fmt::format("({},{})", index / columns, index % columns);
}

void check_mapping(const HostTensor& mapping) {
    const auto ids = mapping.as<std::int32_t>();
    std::vector<std::optional<std::size_t>> place(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        require(ids[i] >= 0 && static_cast<std::size_t>(ids[i]) < ids.size(),
                "moe_v2: device_expert_mapping{} is {}; expert ids are 0 to {}",
                position(mapping, i), ids[i], ids.size() - 1);
        auto& first = place[static_cast<std::size_t>(ids[i])];
        require(!first, "moe_v2: device_expert_mapping{} is {}, as is {}; each expert stands once",
                position(mapping, i), ids[i], position(mapping, first.value_or(0)));
        first = i;
    }
}

void check_selection(const HostTensor& selected, std::size_t num_experts) {
    const auto ids = selected.as<std::uint32_t>();
    const std::size_t top_k = selected.shape[1];
    std::vector<std::size_t> last_seen(num_experts, ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        require(ids[i] < num_experts, "moe_v2: selected_experts{} is {}; expert ids are 0 to {}",
                position(selected, i), ids[i], num_experts - 1);
        std::size_t& last = last_seen[ids[i]];
        require(last == ids.size() || last / top_k != i / top_k,
                "moe_v2: selected_experts{} is {}, as is {}; a token selects an expert once",
                position(selected, i), ids[i], position(selected, last));
        last = i;
    }
}

void check_room_for_weights(const MoeInputs& inputs, const ArchSpec& arch) {
    constexpr std::uint64_t kProjections = 3;
    const std::uint32_t experts = inputs.device_expert_mapping.shape[1];
    const TensorSpec spec{{experts, inputs.hidden_states.shape[1], inputs.intermediate},
                          DataFormat::Float16_b,
                          Layout::TILE};
    const std::uint64_t bytes = kProjections * spec.num_bytes();
    const std::uint64_t room =
        arch.dram.num_banks * (arch.dram.bank_size.value - arch.dram.reserved.value);
    require(bytes <= room,
            "moe_v2: the weights of a device's {} experts take {} bytes; a {} has {} bytes of DRAM",
            experts, bytes, arch.name, room);
}

}  // namespace

const char* name_of(Projection projection) noexcept {
    switch (projection) {
        case Projection::Gate:
            return "gate_weights";
        case Projection::Up:
            return "up_weights";
        case Projection::Down:
            return "down_weights";
    }
    return "?";
}

void check_inputs(const MoeInputs& inputs, const MeshSpec& mesh, const ArchSpec& arch) {
    check_shapes(inputs, mesh);
    check_mapping(inputs.device_expert_mapping);
    check_selection(inputs.selected_experts, num_elements(inputs.device_expert_mapping.shape));
    check_room_for_weights(inputs, arch);
}

Shape weights_shape(const MoeInputs& inputs, Projection projection) {
    const bool is_down = projection == Projection::Down;
    const std::uint32_t hidden = inputs.hidden_states.shape[1];
    return {inputs.device_expert_mapping.shape[1], is_down ? inputs.intermediate : hidden,
            is_down ? hidden : inputs.intermediate};
}

void check_weights(const MoeInputs& inputs, Projection projection, std::uint32_t device,
                   const HostTensor& weights) {
    const Shape expected = weights_shape(inputs, projection);
    require(weights.shape == expected && weights.format == DataFormat::Float16_b,
            "moe_v2: {} of device {} are {} {}; they must be {} bfloat16", name_of(projection),
            device, to_string(weights.shape), name_of(weights.format), to_string(expected));
}

}  // namespace tessera::ops::moe_v2
