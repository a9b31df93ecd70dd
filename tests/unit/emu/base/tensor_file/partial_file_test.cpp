// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_file/partial_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

/// Returns a process id that no process has: of a child that has ended.
::pid_t gone_process() {
    const ::pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
    return child;
}

class PartialFileTest : public testing::Test {
protected:
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder_.path())) {
            names.push_back(entry.path().filename());
        }
        return names;
    }
    [[nodiscard]] static std::string text_of(const fs::path& path) {
        std::ifstream stream(path);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    static void write(PartialFile& file, std::string_view text) {
        file.write_at(0, std::as_bytes(std::span(text)));
    }
    /// Returns the message of opening `path` for output.
    static std::string refusal_of(const fs::path& path) {
        try {
            const PartialFile file(path);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "no UsageError";
    }
    /// End of every refusal.
    static constexpr const char* kAllowed =
        ", allowed: a new name, or a regular file that may be written";

    ScratchFolder folder_;
    fs::path path_ = folder_.path() / "out";
};

TEST_F(PartialFileTest, ReplacesAFileOnceItIsWhole) {
    folder_.write("out", "old");
    PartialFile file(path_);
    write(file, "new");
    EXPECT_EQ(text_of(path_), "old");

    file.finish();

    EXPECT_EQ(text_of(path_), "new");
    EXPECT_THAT(names(), ElementsAre("out"));
}

TEST_F(PartialFileTest, ReplacesNoFifo) {
    ASSERT_EQ(mkfifo(path_.c_str(), 0666), 0);

    EXPECT_EQ(refusal_of(path_), path_.string() + ": is a FIFO" + kAllowed);
    EXPECT_TRUE(fs::is_fifo(path_));
    EXPECT_THAT(names(), ElementsAre("out"));
}

TEST_F(PartialFileTest, ReplacesNoSymbolicLinkWhereverItLeads) {
    fs::create_symlink(folder_.write("target", "kept"), path_);
    EXPECT_EQ(refusal_of(path_), path_.string() + ": is a symbolic link" + kAllowed);

    fs::remove(folder_.path() / "target");
    EXPECT_EQ(refusal_of(path_), path_.string() + ": is a symbolic link" + kAllowed);
    EXPECT_TRUE(fs::is_symlink(path_));
}

TEST_F(PartialFileTest, ReplacesNoSocket) {
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);

    EXPECT_EQ(refusal_of(path_), path_.string() + ": is a socket" + kAllowed);
    close(fd);
}

TEST_F(PartialFileTest, ReplacesNoFolder) {
    fs::create_directory(path_);

    EXPECT_EQ(refusal_of(path_), path_.string() + ": is a folder" + kAllowed);
}

TEST_F(PartialFileTest, ReplacesNoReadOnlyFileEvenOfRoot) {
    folder_.write("out", "kept");
    fs::permissions(path_, fs::perms{0444});

    EXPECT_EQ(refusal_of(path_), path_.string() + ": is read-only (mode 0444)" + kAllowed);
    EXPECT_EQ(text_of(path_), "kept");
}

TEST_F(PartialFileTest, GivesTheSystemsReasonForOtherObstacles) {
    folder_.write("file", "");

    EXPECT_EQ(obstacle_at(folder_.path() / "file" / "out"), "Not a directory");
    EXPECT_EQ(obstacle_at(folder_.path() / std::string(256, 'x')), "File name too long");
    EXPECT_EQ(obstacle_at(folder_.path() / "none" / "out"), "");
}

TEST_F(PartialFileTest, ReplacesNothingThatAppearedWhileItWasWritten) {
    PartialFile file(path_);
    ASSERT_EQ(mkfifo(path_.c_str(), 0666), 0);

    EXPECT_THROW(file.finish(), UsageError);
    EXPECT_TRUE(fs::is_fifo(path_));
}

TEST_F(PartialFileTest, SweepsUpWhatProcessesThatAreGoneLeftOfTheSameFile) {
    const ::pid_t gone = gone_process();
    folder_.write(fmt::format("out.partial-{}-0", gone), "half");
    folder_.write(fmt::format("out.partial-{}-17", gone), "half");
    const std::string other_file = fmt::format("output.partial-{}-0", gone);
    const std::string living = fmt::format("out.partial-{}-0", getppid());
    const std::string no_leftover = fmt::format("out.partial-{}-0.bak", gone);
    for (const std::string& name : {other_file, living, no_leftover}) {
        folder_.write(name, "");
    }

    PartialFile(path_).finish();

    EXPECT_THAT(names(), UnorderedElementsAre("out", other_file, living, no_leftover));
}

// A process in another container is not visible here, but it holds its file's lock.
TEST_F(PartialFileTest, LeavesWhatIsStillLocked) {
    const std::string locked = fmt::format("out.partial-{}-0", gone_process());
    const int fd = open(folder_.write(locked, "").c_str(), O_RDONLY);
    ASSERT_EQ(flock(fd, LOCK_EX), 0);

    PartialFile(path_).finish();

    EXPECT_THAT(names(), UnorderedElementsAre("out", locked));
    close(fd);
}

TEST_F(PartialFileTest, TheHandlerOfASignalRemovesWhatIsUnfinished) {
    const ::pid_t child = fork();
    if (child == 0) {
        const PartialFile one(path_);
        const PartialFile two(folder_.path() / "two");
        PartialFile(folder_.path() / "three").finish();
        remove_partial_files();
        _exit(0);
    }
    ASSERT_EQ(waitpid(child, nullptr, 0), child);

    EXPECT_THAT(names(), ElementsAre("three"));
}

TEST_F(PartialFileTest, TheHandlerOfASignalRemovesAListedFolderAfterItsFiles) {
    const ::pid_t child = fork();
    if (child == 0) {
        const std::filesystem::path folder = folder_.path() / "run";
        std::filesystem::create_directory(folder);
        list_as_partial(folder);
        std::ofstream(folder / "run.yaml") << "text";
        list_as_partial(folder / "run.yaml");
        remove_partial_files();
        _exit(0);
    }
    ASSERT_EQ(waitpid(child, nullptr, 0), child);

    EXPECT_THAT(names(), ElementsAre());
}

}  // namespace
}  // namespace tessera
