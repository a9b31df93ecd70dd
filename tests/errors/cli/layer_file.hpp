// SPDX-License-Identifier: Apache-2.0
// A small input file of a MoE layer that is in order, for tests that spoil one thing of it.
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
