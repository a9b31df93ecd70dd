// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/artifact_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "runtime/kernels/content_hash.hpp"
#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

fs::path store(const ArtifactCache& cache, const std::string& text,
               std::span<const fs::path> dependencies = {}) {
    const DraftFolder drafts(cache);
    return cache.store("recipe", drafts.write("made.so", text), dependencies);
}

// A change to the stored artifact that the cache must detect.
struct Damage {
    const char* name;
    void (*apply)(const fs::path&);
};

void PrintTo(const Damage& damage, std::ostream* out) {
    *out << damage.name;
}

class DamagedArtifact : public testing::TestWithParam<Damage> {};

TEST_P(DamagedArtifact, IsNotFoundUntilItIsStoredAgain) {
    const ScratchFolder folder;
    const ArtifactCache cache(folder.path());
    const fs::path stored = store(cache, "object");

    GetParam().apply(stored);

    EXPECT_EQ(cache.find("recipe"), std::nullopt);
    EXPECT_EQ(store(cache, "object"), stored);
    EXPECT_EQ(cache.find("recipe"), stored);
}

void become_a_link(const fs::path& path) {
    fs::rename(path, path.string() + ".real");
    fs::create_symlink(path.string() + ".real", path);
}

// Only root may change the owner of files.
void belong_to_another(const fs::path& path) {
    if (chown(path.c_str(), 65534, 65534) != 0) {
        GTEST_SKIP() << "only root may give files away";
    }
}

INSTANTIATE_TEST_SUITE_P(
    ArtifactCache, DamagedArtifact,
    testing::Values(Damage{"Empty", [](const fs::path& path) { fs::resize_file(path, 0); }},
                    Damage{"Truncated", [](const fs::path& path) { fs::resize_file(path, 3); }},
                    Damage{"OtherBytes",
                           [](const fs::path& path) { std::ofstream(path) << "planted"; }},
                    Damage{"GroupMayWrite",
                           [](const fs::path& path) { fs::permissions(path, fs::perms{0620}); }},
                    Damage{"AnybodyMayWrite",
                           [](const fs::path& path) { fs::permissions(path, fs::perms{0602}); }},
                    Damage{"Link", become_a_link}, Damage{"ForeignOwner", belong_to_another},
                    Damage{"Gone", [](const fs::path& path) { fs::remove(path); }}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ArtifactCache, FindsNothingForARecipeThatWasNeverStored) {
    const ScratchFolder folder;
    const ArtifactCache cache(folder.path());

    EXPECT_EQ(cache.find("recipe"), std::nullopt);
}

TEST(ArtifactCache, FindsWhatWasStoredUnderTheSameRecipeOnly) {
    const ScratchFolder folder;
    const ArtifactCache cache(folder.path());

    const fs::path stored = store(cache, "object");

    EXPECT_EQ(cache.find("recipe"), stored);
    EXPECT_EQ(read_file(stored), "object");
    EXPECT_EQ(cache.find("other recipe"), std::nullopt);
}

TEST(ArtifactCache, ForgetsAnArtifactWhenADependencyChanges) {
    const ScratchFolder folder;
    const ArtifactCache cache(folder.path() / "cache");
    const std::vector header{folder.write("my header.hpp", "one")};
    const fs::path first = store(cache, "object of one", header);

    folder.write("my header.hpp", "two");

    EXPECT_EQ(cache.find("recipe"), std::nullopt);
    const fs::path second = store(cache, "object of two", header);
    EXPECT_EQ(cache.find("recipe"), second);
    EXPECT_EQ(read_file(first), "object of one") << "a process may still load the old one";
}

TEST(ArtifactCache, ForgetsAnArtifactWhenADependencyIsGone) {
    const ScratchFolder folder;
    const ArtifactCache cache(folder.path() / "cache");
    const std::vector header{folder.write("header.hpp", "one")};
    store(cache, "object", header);

    fs::remove(header.front());

    EXPECT_EQ(cache.find("recipe"), std::nullopt);
}

TEST(ArtifactCache, LeavesNoDraftsBehind) {
    const ScratchFolder folder;
    const ArtifactCache cache(folder.path());

    store(cache, "object");

    const auto files = fs::directory_iterator(folder.path());
    EXPECT_EQ(std::distance(begin(files), end(files)), 2) << "the artifact and its list";
}

// Returns the list of the only stored recipe.
fs::path list_in(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".list") {
            return entry.path();
        }
    }
    return {};
}

TEST(ArtifactCache, FindsNothingByAListThatNamesAFileElsewhere) {
    const ScratchFolder folder;
    const ArtifactCache cache(folder.path() / "cache");
    const fs::path stored = store(cache, "object");
    fs::copy_file(stored, folder.path() / stored.filename());

    std::ofstream(list_in(folder.path() / "cache")) << "../" << stored.filename().string() << '\n';

    EXPECT_EQ(cache.find("recipe"), std::nullopt);
}

TEST(ArtifactCache, FindsNothingByAListThatAnybodyMayWrite) {
    const ScratchFolder folder;
    const ArtifactCache cache(folder.path());
    store(cache, "object");

    fs::permissions(list_in(folder.path()), fs::perms{0666});

    EXPECT_EQ(cache.find("recipe"), std::nullopt);
}

fs::perms mode_of(const fs::path& path) {
    return fs::status(path).permissions();
}

TEST(ArtifactCache, MakesItsFilesForTheUserAloneWhateverTheUmask) {
    const ScratchFolder folder;
    const mode_t before = umask(0);
    const ArtifactCache cache(folder.path() / "cache");
    const fs::path stored = store(cache, "object");
    umask(before);

    EXPECT_EQ(mode_of(folder.path() / "cache"), fs::perms{0700});
    EXPECT_EQ(mode_of(stored), fs::perms{0600});
    EXPECT_EQ(mode_of(list_in(folder.path() / "cache")), fs::perms{0600});
}

TEST(ArtifactCache, SweepsUpTheDraftsOfAProcessThatIsGone) {
    const ScratchFolder folder;
    const fs::path cache = folder.path() / "cache";
    const pid_t killed = fork();
    if (killed == 0) {
        static_cast<void>(ArtifactCache(cache).make_draft_folder());
        _exit(0);  // as if killed: no clean-up
    }
    waitpid(killed, nullptr, 0);
    ASSERT_FALSE(fs::is_empty(cache)) << "the draft folder of the process";

    const ArtifactCache swept(cache);

    EXPECT_TRUE(fs::is_empty(cache));
}

TEST(ArtifactCache, LeavesTheDraftsOfAProcessThatRuns) {
    const ScratchFolder folder;
    const ArtifactCache cache(folder.path());
    const DraftFolder drafts(cache);

    const ArtifactCache other(folder.path());

    EXPECT_TRUE(fs::is_directory(drafts.path()));
}

std::string refusal_of(const fs::path& folder) {
    try {
        const ArtifactCache cache(folder);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

TEST(ArtifactCache, RefusesAFolderThatCannotBeMade) {
    const ScratchFolder folder;
    const fs::path below_a_file = folder.write("file", "") / "cache";

    EXPECT_EQ(refusal_of(below_a_file),
              "the kernel cache " + below_a_file.string() +
                  " cannot be written; TESSERA_CACHE_DIR may name another folder");
}

TEST(ArtifactCache, RefusesAFolderThatAnybodyMayWrite) {
    const ScratchFolder folder;
    fs::permissions(folder.path(), fs::perms{0777});

    EXPECT_EQ(refusal_of(folder.path()),
              "the kernel cache " + folder.path().string() +
                  " may be changed by others: it belongs to user " + std::to_string(geteuid()) +
                  " and has mode 0777; allowed: a folder of yours that not everybody may write; "
                  "TESSERA_CACHE_DIR may name another");
}

}  // namespace
}  // namespace tessera
