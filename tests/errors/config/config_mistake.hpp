// SPDX-License-Identifier: Apache-2.0
// Writes a configuration with one mistake to a temporary folder and catches what loading says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::test {

/// A run file that is in order; tests replace a part of it.
inline constexpr std::string_view kRun = R"(mesh:
  device: wormhole_n150
  shape: [1, 2]
params:
  rows: 64
  columns: {value: 96, range: [1, 1024]}
  mode: {value: plain, choices: [plain, fancy]}
tensors:
  x: {shape: [rows, columns], dtype: bfloat16, layout: tile}
steps:
  - {name: double, op: scale, in: [x], out: [y], set: {factor: 2}}
)";

/// `text` with `from` replaced, which must stand in it once.
[[nodiscard]] std::string replaced(std::string_view text, std::string_view from,
                                   std::string_view to);

/// The message with which `tessera check` refuses `run.yaml` of this text, the folder's path
/// removed;
/// "" if it is accepted. Fails the test if `tessera run` refuses it with another message, and on
/// any error but a ConfigError.
[[nodiscard]] std::string refusal_of_run(const std::string& text,
                                         const std::vector<std::string>& sets = {});

/// The same for `wormhole_n150.yaml` with `from` replaced; "@" in the result stands for the line
/// and column at which `from` began.
[[nodiscard]] std::string refusal_of_arch(std::string_view from, std::string_view to);

}  // namespace tessera::test
