// SPDX-License-Identifier: Apache-2.0
// Checks of the values in routing tables that were not drawn here.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/tensor.hpp"

namespace tessera::run {

/// Checks that each expert of 0 … D·E/D-1 stands once in a (D,E/D) int32 mapping. `file` begins
/// the messages.
/// Errors   UsageError naming the place and the value.
void check_device_expert_mapping(const std::string& file, const HostTensor& mapping);

/// Checks that (T,K) uint32 ids are below `num_experts` and none stands twice in a row.
/// Errors   UsageError naming the place and the value.
void check_selected_experts(const std::string& file, const HostTensor& selected,
                            std::uint32_t num_experts);

}  // namespace tessera::run
