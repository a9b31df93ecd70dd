// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace tessera {

/// The files a rule of make depends on, as compilers write them with -MD: words parted by spaces
/// and continued lines, in names `\ ` for a space, `\#` for `#` and `$$` for `$`.
[[nodiscard]] std::vector<std::filesystem::path> dependencies_in(std::string_view rule);

}  // namespace tessera
