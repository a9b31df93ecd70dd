// SPDX-License-Identifier: Apache-2.0
// All keys of run files and of device files as pages, from the tables that bind them.
#pragma once

#include <string>

namespace tessera::config {

/// Markdown: keys of a run, of its params, tensors, steps and programs, the operands and parameters
/// of each op, keys of a sweep. docs/configuration.md holds it.
[[nodiscard]] std::string key_reference();

/// Markdown: keys of device files (configs/arch), with unit or type, allowed range and meaning.
/// docs/device_keys.md holds it.
[[nodiscard]] std::string device_key_reference();

}  // namespace tessera::config
