// SPDX-License-Identifier: Apache-2.0
// Writes a configuration with one mistake to a temporary folder and returns the message of loading
// it.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::test {

/// A valid run file; tests replace a part of it.
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

/// A part of kRun, what a user wrote in its place, and the message about it.
struct Mistake {
    const char* name;
    const char* from;
    const char* to;
    const char* message;
};

inline void PrintTo(const Mistake& mistake, std::ostream* stream) {
    *stream << mistake.name;
}

/// Returns `text` with `from` replaced, which must occur once.
[[nodiscard]] std::string replaced(std::string_view text, std::string_view from,
                                   std::string_view to);

/// Returns the message with which `tessera check` refuses `run.yaml` of this text, without the
/// folder's path; "" if it is accepted. Fails the test if `tessera run` refuses it with another
/// message, and on any error except a ConfigError.
[[nodiscard]] std::string refusal_of_run(const std::string& text,
                                         const std::vector<std::string>& sets = {});

/// Returns the same for `wormhole_n150.yaml` with `from` replaced. "@" in the result is the line
/// and column of `from`.
[[nodiscard]] std::string refusal_of_arch(std::string_view from, std::string_view to);

}  // namespace tessera::test
