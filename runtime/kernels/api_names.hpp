// SPDX-License-Identifier: Apache-2.0
// Names of the kernel API, and how many kernels use each.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tessera {

/// Returns the words of a text that are identifiers.
[[nodiscard]] std::set<std::string> words_of_text(const std::string& text);

/// Returns the names of functions, macros and tile functions in the headers of the kernel API below
/// `include_dir`. Names of Tessera's own in these headers are among them; kernels do not use those.
[[nodiscard]] std::set<std::string> api_names(const std::filesystem::path& include_dir);

/// Returns for each of `names` the number of `files` whose text has it; names in none are left out.
[[nodiscard]] std::map<std::string, std::size_t> uses_of(
    const std::set<std::string>& names, const std::vector<std::filesystem::path>& files);

/// Returns for each of `names` a source file below `folder` that has it: its test.
[[nodiscard]] std::map<std::string, std::string> first_file_with(
    const std::set<std::string>& names, const std::filesystem::path& folder);

}  // namespace tessera
