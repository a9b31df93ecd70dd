// SPDX-License-Identifier: Apache-2.0
// Finds the package that this program was built with: the files of Tessera that are needed at run
// time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

/// Files and folders of a package.
struct Package {
    std::filesystem::path pass;          ///< emu/kernel_pass, which the compiler loads as a plugin
    std::filesystem::path include_dir;   ///< holds tessera/kernel/
    std::filesystem::path metalium_dir;  ///< holds the header names of TT-Metalium
    std::filesystem::path share_dir;     ///< holds configs/ and ops/<op>/kernels/
};

/// Returns the first of these packages that exists:
///   - the package at the prefix $TESSERA_HOME, if that is set;
///   - the package on the program's run path, which linking sets;
///   - the build tree that compiled this library, by its configured path;
///   - the package at the configured install prefix.
/// The path of the program itself is never used.
/// Errors   UsageError if $TESSERA_HOME is not an absolute path or has no package.
[[nodiscard]] Package find_package();

/// Returns the package among the folders of a run path: the folder with the form of an installed
/// package. Empty paths if there is none.
[[nodiscard]] Package package_on(const std::vector<std::filesystem::path>& run_path);

/// Checks that only root, the user or the owner of the program can have installed `plugin`: the
/// compiler loads it, and it then has all rights of the user.
/// Errors   UsageError naming the file or folder, its owner and its mode.
void require_trusted(const std::filesystem::path& plugin);

}  // namespace tessera
