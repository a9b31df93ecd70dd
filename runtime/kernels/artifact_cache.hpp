// SPDX-License-Identifier: Apache-2.0
// Files made from other files, kept on disk until one of those changes.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// A folder of artifacts. Each is known by its recipe, a text that holds all that it was made from
/// but the included files; those are listed beside it with their hashes. Several processes may use
/// one folder: files appear under their names only when they are whole.
class ArtifactCache {
public:
    /// Errors   UsageError if the folder cannot be made or written.
    explicit ArtifactCache(std::filesystem::path folder);

    /// The artifact last stored for `recipe`, if none of its dependencies has changed since.
    [[nodiscard]] std::optional<std::filesystem::path> find(std::string_view recipe) const;

    /// Moves the file `made` into the cache and returns where it lies now.
    /// Errors   UsageError if a dependency cannot be read or the folder not be written.
    std::filesystem::path store(std::string_view recipe, const std::filesystem::path& made,
                                std::span<const std::filesystem::path> dependencies) const;

    /// A fresh name in the folder, for a file on its way to `store`; no other caller gets it.
    [[nodiscard]] std::filesystem::path fresh_path(std::string_view extension) const;

private:
    std::filesystem::path folder_;
};

/// $TESSERA_CACHE_DIR, else $XDG_CACHE_HOME/tessera, else ~/.cache/tessera.
/// Errors   UsageError if none of the variables is set.
[[nodiscard]] std::filesystem::path default_cache_folder();

}  // namespace tessera
