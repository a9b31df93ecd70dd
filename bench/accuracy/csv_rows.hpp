// SPDX-License-Identifier: Apache-2.0
// Reads rows to score from a CSV file (RFC 4180: quoted fields may hold commas, quotes and lines).
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "bench/accuracy/row.hpp"

namespace tessera::score {

/// Rows of `text` in order. The first line names the columns; those of Row must be among them, in
/// any order, and others are left out. `name` stands for the file in messages.
/// Errors   UsageError `name:line: …` for a missing column, a line with fewer or more fields than
///          the first, an unclosed quote, an empty id or group, an unknown arch, an id given twice,
///          or a value that is not a number above 0.
[[nodiscard]] std::vector<Row> parse_csv(std::string_view text, const std::string& name);

/// Errors   UsageError if the file cannot be read, and as parse_csv.
[[nodiscard]] std::vector<Row> read_csv(const std::filesystem::path& path);

}  // namespace tessera::score
