// SPDX-License-Identifier: Apache-2.0
// Spellings that the chip's compiler accepts and the host's does not.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

/// Returns the files in a compiler's output whose errors may come from such a spelling, as the
/// compiler names them, each once.
[[nodiscard]] std::vector<std::string> files_to_respell(const std::string& output);

/// Returns a text with the same lines in the host's spelling:
///   - `#pragma GCC unroll 0`, which clang refuses, is `#pragma GCC unroll 1`; both keep the loop;
///   - integers with the suffix of `long` have 32 bits, as `long` has on the chip: 0ul is 0u.
[[nodiscard]] std::string host_spelling(const std::string& text);

/// Files that the compiler reads in place of others, under the names of the others.
class FileOverlay {
public:
    /// `file`: an absolute path; `contents`: the file that is read.
    void replace(const std::filesystem::path& file, const std::string& contents);
    /// Returns the text of a file for clang's -ivfsoverlay.
    [[nodiscard]] std::string text() const;

private:
    std::vector<std::string> rows_;
};

}  // namespace tessera
