// SPDX-License-Identifier: Apache-2.0
// Cache on disk of files that are made from other files, valid until one of those changes.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// Folder of artifacts. The key of an artifact is its recipe: a text of everything that it is made
/// from except included files. A file of the recipe lists these with their hashes, after the
/// artifact's name, which is the hash of its bytes. Several processes may use one folder: a file
/// gets its name when it is complete.
///
/// Artifacts are loaded into the program. So only a regular file is accepted that belongs to the
/// user, that nobody else may write, and whose bytes are the stored ones. All files are created
/// with mode 0600 and folders with 0700, whatever the umask.
class ArtifactCache {
public:
    /// Removes drafts of runs that have ended.
    /// Errors   UsageError if the folder cannot be created or written, or if others may change its
    ///          contents.
    explicit ArtifactCache(std::filesystem::path folder);

    /// Returns the artifact last stored for `recipe`, if it is unchanged and none of its
    /// dependencies has changed.
    [[nodiscard]] std::optional<std::filesystem::path> find(std::string_view recipe) const;

    /// Moves the file `made` into the cache and returns its new path.
    /// Errors   UsageError if a dependency cannot be read or the folder cannot be written.
    std::filesystem::path store(std::string_view recipe, const std::filesystem::path& made,
                                std::span<const std::filesystem::path> dependencies) const;

    /// Creates a folder in the cache for the caller only, for files that `store` will take.
    /// Errors   UsageError if it cannot be created.
    [[nodiscard]] std::filesystem::path make_draft_folder() const;

private:
    std::filesystem::path folder_;
};

/// Draft folder that the destructor removes, with all files that were not stored.
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

/// Returns $TESSERA_CACHE_DIR, else $XDG_CACHE_HOME/tessera, else ~/.cache/tessera.
/// Errors   UsageError if none of the variables is set.
[[nodiscard]] std::filesystem::path default_cache_folder();

}  // namespace tessera
