// SPDX-License-Identifier: Apache-2.0
#include "tessera/tensor_values.hpp"

#include <algorithm>
#include <utility>

#include "emu/base/bf16.hpp"
#include "tessera/errors.hpp"

namespace tessera {

HostTensor make_host_tensor(Shape shape, DataFormat format, std::span<const float> values) {
    require(format == DataFormat::Float16_b || format == DataFormat::Float32,
            "make_host_tensor: values of format {}, allowed: {} or {}", name_of(format),
            name_of(DataFormat::Float16_b), name_of(DataFormat::Float32));
    require(num_elements(shape) == values.size(), "make_host_tensor: {} values for shape {} of {}",
            values.size(), to_string(shape), num_elements(shape));
    HostTensor tensor = make_host_tensor(std::move(shape), format);
    if (format == DataFormat::Float32) {
        std::ranges::copy(values, tensor.as<float>().begin());
    } else {
        std::ranges::transform(values, tensor.as<std::uint16_t>().begin(), float_to_bf16);
    }
    return tensor;
}

}  // namespace tessera
