// SPDX-License-Identifier: Apache-2.0
// Where commands print: given by main, which alone knows the process's streams.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "runtime/report/text_style.hpp"

namespace tessera::cli {

enum class Progress : std::uint8_t { Hidden, Shown };

struct Console {
    std::ostream& out;
    std::ostream& err;
    report::TextStyle out_style;
    Progress progress = Progress::Hidden;  ///< on `err`, if that is a terminal
};

/// How text on a file descriptor is to look: in a terminal its width, and colours unless the
/// environment has a NO_COLOR that is not empty or a TERM of "dumb"; else plain.
[[nodiscard]] report::TextStyle style_of(int file_descriptor);
[[nodiscard]] Progress progress_on(int file_descriptor);

}  // namespace tessera::cli
