// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/artifact_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/kernels/content_hash.hpp"
#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

fs::path draft(const ArtifactCache& cache, const std::string& text) {
    const fs::path path = cache.fresh_path(".so");
    std::ofstream(path) << text;
    return path;
}

TEST(ArtifactCache, FindsNothingForARecipeThatWasNeverStored) {
    const ScratchFolder folder;
    const ArtifactCache cache(folder.path());

    EXPECT_EQ(cache.find("recipe"), std::nullopt);
}

TEST(ArtifactCache, FindsWhatWasStoredUnderTheSameRecipeOnly) {
    const ScratchFolder folder;
    const ArtifactCache cache(folder.path());

    const fs::path stored = cache.store("recipe", draft(cache, "object"), {});

    EXPECT_EQ(cache.find("recipe"), stored);
    EXPECT_EQ(read_file(stored), "object");
    EXPECT_EQ(cache.find("other recipe"), std::nullopt);
}

TEST(ArtifactCache, ForgetsAnArtifactWhenADependencyChanges) {
    const ScratchFolder folder;
    const ArtifactCache cache(folder.path() / "cache");
    const std::vector header{folder.write("my header.hpp", "one")};
    const fs::path first = cache.store("recipe", draft(cache, "object of one"), header);

    folder.write("my header.hpp", "two");

    EXPECT_EQ(cache.find("recipe"), std::nullopt);
    const fs::path second = cache.store("recipe", draft(cache, "object of two"), header);
    EXPECT_EQ(cache.find("recipe"), second);
    EXPECT_EQ(read_file(first), "object of one") << "a process may still load the old one";
}

TEST(ArtifactCache, ForgetsAnArtifactWhenADependencyIsGone) {
    const ScratchFolder folder;
    const ArtifactCache cache(folder.path() / "cache");
    const std::vector header{folder.write("header.hpp", "one")};
    cache.store("recipe", draft(cache, "object"), header);

    fs::remove(header.front());

    EXPECT_EQ(cache.find("recipe"), std::nullopt);
}

TEST(ArtifactCache, LeavesNoDraftsBehind) {
    const ScratchFolder folder;
    const ArtifactCache cache(folder.path());

    cache.store("recipe", draft(cache, "object"), {});

    const auto files = fs::directory_iterator(folder.path());
    EXPECT_EQ(std::distance(begin(files), end(files)), 2) << "the artifact and its list";
}

TEST(ArtifactCache, RefusesAFolderThatCannotBeMade) {
    const ScratchFolder folder;
    const fs::path file = folder.write("file", "");

    try {
        const ArtifactCache cache(file / "cache");
        FAIL() << "made a folder below a file";
    } catch (const UsageError& error) {
        EXPECT_EQ(error.what(),
                  "the kernel cache " + (file / "cache").string() +
                      " cannot be written; TESSERA_CACHE_DIR may name another folder");
    }
}

}  // namespace
}  // namespace tessera
