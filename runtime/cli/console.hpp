// SPDX-License-Identifier: Apache-2.0
// Where commands print: given by main, which alone knows the process's streams.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "runtime/report/text_style.hpp"

namespace tessera::cli {

/// How a command says on standard error what it is doing: on a terminal in a line that is redrawn;
/// in a pipe in a line for each minute that it takes.
enum class Progress : std::uint8_t { Hidden, Redrawn, EachMinute };

struct Console {
    std::ostream& out;
    std::ostream& err;
    report::TextStyle out_style;
    Progress progress = Progress::Hidden;  ///< on `err`
};

/// How text on a file descriptor is to look: in a terminal its width, and colours unless the
/// environment has a NO_COLOR that is not empty or a TERM of "dumb"; else plain.
[[nodiscard]] report::TextStyle style_of(int file_descriptor);
[[nodiscard]] Progress progress_on(int file_descriptor);

}  // namespace tessera::cli
