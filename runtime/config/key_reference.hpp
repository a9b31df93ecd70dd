// SPDX-License-Identifier: Apache-2.0
// Pages of all keys of run files and of device files, generated from the tables that bind them.
#pragma once

#include <string>

namespace tessera::config {

/// Returns docs/configuration.md: keys of a run, of its params, tensors, steps and programs,
/// operands and parameters of each op, keys of a sweep.
[[nodiscard]] std::string key_reference();

/// Returns docs/device_keys.md: keys of device files (configs/arch), with unit or type, allowed
/// range and meaning.
[[nodiscard]] std::string device_key_reference();

}  // namespace tessera::config
