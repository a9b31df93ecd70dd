// SPDX-License-Identifier: Apache-2.0
// The project's own sources, for tests that read them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tessera {

/// Returns the paths, relative to the project, of the C++ files below `folders`, sorted.
inline std::vector<std::string> source_files(const std::vector<std::string>& folders) {
    namespace fs = std::filesystem;
    const fs::path root = TESSERA_SOURCE_DIR;
    std::vector<std::string> files;
    for (const std::string& folder : folders) {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const fs::path extension = entry.path().extension();
            if (extension == ".cpp" || extension == ".hpp") {
                files.push_back(fs::relative(entry.path(), root).generic_string());
            }
        }
    }
    std::ranges::sort(files);
    return files;
}

/// Returns the text of a file of the project.
inline std::string text_of(const std::string& file) {
    std::ifstream stream(std::filesystem::path(TESSERA_SOURCE_DIR) / file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace tessera
