// SPDX-License-Identifier: Apache-2.0
#include "tests/errors/cli/layer_file.hpp"

#include <algorithm>
#include <array>

#include "emu/base/tensor_file/safetensors_writer.hpp"

namespace tessera::test {

Layer make_layer() {
    constexpr auto kBf16 = DataFormat::Float16_b;
    Layer layer{{"hidden_states", make_host_tensor({3, 32}, kBf16)},
                {"selected_experts", make_host_tensor({3, 2}, DataFormat::UInt32)},
                {"routing_weights", make_host_tensor({3, 2}, kBf16)},
                {"device_expert_mapping", make_host_tensor({2, 2}, DataFormat::Int32)},
                {"gate_weights", make_host_tensor({4, 32, 64}, kBf16)},
                {"up_weights", make_host_tensor({4, 32, 64}, kBf16)},
                {"down_weights", make_host_tensor({4, 64, 32}, kBf16)}};
    constexpr std::array<std::uint32_t, 6> kSelected{0, 1, 2, 3, 3, 0};
    constexpr std::array<std::int32_t, 4> kMapping{2, 0, 1, 3};
    std::ranges::copy(kSelected, layer.at("selected_experts").as<std::uint32_t>().begin());
    std::ranges::copy(kMapping, layer.at("device_expert_mapping").as<std::int32_t>().begin());
    return layer;
}

void write_layer(const Layer& layer, const std::string& path) {
    std::map<std::string, const HostTensor*> tensors;
    for (const auto& [name, tensor] : layer) {
        tensors[name] = &tensor;
    }
    write_safetensors(path, tensors);
}

}  // namespace tessera::test
