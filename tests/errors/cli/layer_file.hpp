// SPDX-License-Identifier: Apache-2.0
// A small valid input file of a MoE layer. Tests spoil one part of it.
#pragma once

#include <map>
#include <string>

#include "tessera/tensor.hpp"

namespace tessera::test {

/// Tensors by name: 3 tokens of hidden size 32, 4 experts of 64 on 2 devices, top 2.
using Layer = std::map<std::string, HostTensor>;
[[nodiscard]] Layer make_layer();

/// Writes the layer as safetensors.
void write_layer(const Layer& layer, const std::string& path);

}  // namespace tessera::test
