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
/// but the included files; those are listed with their hashes in a file of the recipe's own, after
/// the artifact's name, which is the hash of its bytes. Several processes may use one folder: files
/// appear under their names only when they are whole.
///
/// What is found is loaded into the program. So nothing counts as found but a regular file that
/// belongs to the user, that nobody else may write, and whose bytes are those that were stored; all
/// files are made with mode 0600 and folders with 0700, whatever the umask.
class ArtifactCache {
public:
    /// Removes what runs that are gone left on its way to the cache.
    /// Errors   UsageError if the folder cannot be made or written, or if others may change what
    ///          lies in it.
    explicit ArtifactCache(std::filesystem::path folder);

    /// The artifact last stored for `recipe`, if it is sound and none of its dependencies has
    /// changed since.
    [[nodiscard]] std::optional<std::filesystem::path> find(std::string_view recipe) const;

    /// Moves the file `made` into the cache and returns where it lies now.
    /// Errors   UsageError if a dependency cannot be read or the folder not be written.
    std::filesystem::path store(std::string_view recipe, const std::filesystem::path& made,
                                std::span<const std::filesystem::path> dependencies) const;

    /// Makes a folder of the caller's own in the cache, for files on their way to `store`.
    /// Errors   UsageError if it cannot be made.
    [[nodiscard]] std::filesystem::path make_draft_folder() const;

private:
    std::filesystem::path folder_;
};

/// A draft folder that goes with its owner, and with it what was not stored.
class DraftFolder {
public:
    explicit DraftFolder(const ArtifactCache& cache) : path_(cache.make_draft_folder()) {}
    ~DraftFolder();
    DraftFolder(const DraftFolder&) = delete;
    DraftFolder& operator=(const DraftFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string file(std::string_view name) const { return path_ / name; }
    /// Writes a file and returns its path.
    /// Errors   UsageError naming the file and the host's reason.
    std::string write(std::string_view name, std::string_view text) const;

private:
    std::filesystem::path path_;
};

/// $TESSERA_CACHE_DIR, else $XDG_CACHE_HOME/tessera, else ~/.cache/tessera.
/// Errors   UsageError if none of the variables is set.
[[nodiscard]] std::filesystem::path default_cache_folder();

}  // namespace tessera
