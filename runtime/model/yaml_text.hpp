// SPDX-License-Identifier: Apache-2.0
// Values by key paths as the text of a run file.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tessera::model {

/// A value of a run file: its path ("params.hidden") and its YAML text.
struct PathValue {
    std::string path;
    std::string value;
    std::string about = {};  ///< a comment after the value
};

/// Returns nested maps, keys in the order of their first path. A later value of a path replaces an
/// earlier one.
[[nodiscard]] std::string yaml_text(const std::vector<PathValue>& values);

}  // namespace tessera::model
