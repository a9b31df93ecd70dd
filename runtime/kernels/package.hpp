// SPDX-License-Identifier: Apache-2.0
// Where the package lies that this program was built with: what came with Tessera and is needed at
// run time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

struct Package {
    std::filesystem::path pass;          ///< emu/kernel_pass, which the compiler loads as a plugin
    std::filesystem::path include_dir;   ///< holds tessera/kernel/
    std::filesystem::path metalium_dir;  ///< holds the header names of TT-Metalium
    std::filesystem::path share_dir;     ///< holds configs/ and ops/<op>/kernels/
};

/// The package at the prefix $TESSERA_HOME, if that is set; else the one that linking put on the
/// program's run path, if it did; else the build tree that compiled this library, by its configured
/// path; else where it was configured to be installed. Never found by where the program itself
/// happens to lie.
/// Errors   UsageError if $TESSERA_HOME is no absolute path or there is no package at it.
[[nodiscard]] Package find_package();

/// The package among the folders of a run path: the one that ends as an installed package does.
/// Empty paths if none does.
[[nodiscard]] Package package_on(const std::vector<std::filesystem::path>& run_path);

/// Checks that nobody but root, the user and the owner of the program could have put `plugin`
/// there: what the compiler loads may do all that the user may.
/// Errors   UsageError naming the file or folder, its owner and its mode.
void require_trusted(const std::filesystem::path& plugin);

}  // namespace tessera
