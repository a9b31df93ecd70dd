// SPDX-License-Identifier: Apache-2.0
// Destination of the text that kernels print.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// Environment variable with the destination: "stderr" (also if it is not set), "off", or the path
/// of a file, which is created anew. `tessera run --dprint` sets it.
inline constexpr const char* kPrintVariable = "TESSERA_DPRINT";

/// Returns whether printed lines are written: the destination is not "off".
[[nodiscard]] bool prints_are_on();
/// Writes a whole line. Threads may call it at the same time; each thread's lines keep their order.
/// Errors   UsageError at the first line if the file cannot be created.
void print_line(std::string_view line);

}  // namespace tessera
