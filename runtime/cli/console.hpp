// SPDX-License-Identifier: Apache-2.0
// Streams to which commands print. Only main uses the streams of the process directly.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "runtime/ranks/rank_link.hpp"
#include "runtime/report/text_style.hpp"

namespace tessera::cli {

/// How a command shows its progress on standard error: a redrawn line on a terminal, one line a
/// minute in a pipe.
enum class Progress : std::uint8_t { Hidden, Redrawn, EachMinute };

struct Console {
    std::ostream& out;
    std::ostream& err;
    report::TextStyle out_style;
    Progress progress = Progress::Hidden;  ///< on `err`
    /// Other processes of `mpirun`; null: none. Only the first prints and writes files.
    ranks::RankLink* link = nullptr;
    int out_descriptor = 1;  ///< behind `out`; main moves it away from 1
};

/// Style of text on a file descriptor. A terminal has its width, and colours unless NO_COLOR is not
/// empty or TERM is "dumb". Everything else is plain.
[[nodiscard]] report::TextStyle style_of(int file_descriptor);
[[nodiscard]] Progress progress_on(int file_descriptor);

}  // namespace tessera::cli
