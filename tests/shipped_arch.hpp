// SPDX-License-Identifier: Apache-2.0
// Device models of configs/arch without their timing constants.
#pragma once

#include <string>

#include "tessera/arch_spec.hpp"

namespace tessera::testing {

/// Loads configs/arch/<name>.yaml.
[[nodiscard]] ArchSpec shipped_arch(const std::string& name);

}  // namespace tessera::testing
