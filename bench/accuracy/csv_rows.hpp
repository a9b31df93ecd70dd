// SPDX-License-Identifier: Apache-2.0
// Reads rows to score from a CSV file (RFC 4180: quoted fields may hold commas, quotes and lines).
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "bench/accuracy/row.hpp"

namespace tessera::score {

/// Returns the rows of `text` in order. The first line names the columns. Every column of Row is
/// required, in any order; other columns are ignored. `name` is the file name in messages.
/// Errors   UsageError `name:line: …` for
///          - a missing column, or a line with fewer or more fields than the first;
///          - an unclosed quote, an empty id or group, an unknown arch, a repeated id;
///          - a value that is not a number above 0.
[[nodiscard]] std::vector<Row> parse_csv(std::string_view text, const std::string& name);

/// Errors   UsageError if the file cannot be read, and those of parse_csv.
[[nodiscard]] std::vector<Row> read_csv(const std::filesystem::path& path);

}  // namespace tessera::score
