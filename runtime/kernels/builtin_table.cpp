// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/builtin_table.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "runtime/kernels/content_hash.hpp"
#include "runtime/kernels/kernel_toolchain.hpp"
#include "runtime/log/log.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// A file with its hash at build time.
struct BuiltinFile {
    std::string_view path;  ///< relative to the project
    std::string_view hash;  ///< content_hash
};

constexpr BuiltinFile kFiles[] = {
#include "builtin_files.inc"
};

// Returns the folder of the project's files, from the path of one of them.
std::string root_of(const std::string& found, std::string_view source) {
    return found.substr(0, found.size() - source.size());
}

// Kernels include headers of other folders too; only the compiler knows which.
bool differs_below(const std::string& root, std::string_view source) {
    return std::ranges::any_of(kFiles, [&](const BuiltinFile& file) {
        if (file.path != source && !file.path.ends_with(".hpp")) {
            return false;
        }
        const auto hash = file_hash(root + std::string(file.path));
        return hash.has_value() && *hash != file.hash;
    });
}

bool look_for_edits(std::string_view source) {
    const auto file = kernel_file(std::string(source));
    if (!file || !differs_below(root_of(file->string(), source), source)) {
        return false;
    }
    log::info(log::Area::Jit, "{} has changed since the build: compiling it", file->string());
    return true;
}

}  // namespace

const BuiltinKernel* find_builtin(std::string_view source) noexcept {
    const auto kernels = builtin_kernels();
    const auto row = std::ranges::lower_bound(kernels, source, {}, &BuiltinKernel::source);
    return row != kernels.end() && row->source == source ? &*row : nullptr;
}

bool is_edited(const BuiltinKernel& kernel) {
    static std::mutex mutex;
    static std::map<std::string_view, bool> known;
    const std::lock_guard lock(mutex);
    const auto [place, is_new] = known.try_emplace(kernel.source, false);
    if (is_new) {
        place->second = look_for_edits(kernel.source);
    }
    return place->second;
}

std::string kernel_text_hash() {
    std::string names_and_hashes;
    for (const BuiltinFile& file : kFiles) {
        const auto found = kernel_file(std::string(file.path));
        const auto now = found ? file_hash(*found) : std::nullopt;
        names_and_hashes.append(file.path).append(now.value_or(std::string(file.hash)));
    }
    return content_hash(names_and_hashes);
}

}  // namespace tessera
