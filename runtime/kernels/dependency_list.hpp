// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace tessera {

/// Returns the dependencies of a make rule in the form of -MD: words separated by spaces and
/// continued lines; in names, `\ ` is a space, `\#` is `#` and `$$` is `$`.
[[nodiscard]] std::vector<std::filesystem::path> dependencies_in(std::string_view rule);

}  // namespace tessera
