// SPDX-License-Identifier: Apache-2.0
#include "emu/base/input_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "tests/errors/host/usage_error_message.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::test {
namespace {

std::string refusal_of(const std::filesystem::path& path) {
    return usage_error_message([&] { (void)read_input(path, 8); });
}

TEST(InputFile, OfTheMostBytesIsReadWhole) {
    const ScratchFolder folder;
    folder.write("eight", "12345678");

    EXPECT_EQ(read_input(folder.file("eight"), 8), "12345678");
}

TEST(InputFile, OfOneByteMoreIsRefused) {
    const ScratchFolder folder;
    folder.write("nine", "123456789");

    EXPECT_EQ(refusal_of(folder.file("nine")),
              folder.file("nine") + ": is larger than 8 bytes, the most that is allowed");
}

TEST(InputFile, IsNoDeviceAndNoFolder) {
    EXPECT_EQ(refusal_of("/dev/zero"),
              "/dev/zero: is a character device, allowed: a regular file or a pipe");
    EXPECT_EQ(refusal_of("/dev"), "/dev: is a folder, allowed: a regular file or a pipe");
    EXPECT_EQ(refusal_of("/nowhere"), "/nowhere: cannot open: No such file or directory");
}

TEST(InputFile, MayBeAPipeThatIsWrittenLater) {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe(ends), 0);
    std::thread writer([&] {
        ASSERT_EQ(::write(ends[1], "late", 4), 4);
        ::close(ends[1]);
    });

    const std::string pipe = "/dev/fd/" + std::to_string(ends[0]);
    EXPECT_EQ(read_input(pipe, 8), "late");
    EXPECT_EQ(read_input(pipe, 8), "late");  // as a configuration is read

    writer.join();
    ::close(ends[0]);
}

TEST(InputFile, ThatIsAPipeIsNotWaitedForWithoutAWriter) {
    const ScratchFolder folder;
    ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);

    EXPECT_EQ(refusal_of(folder.file("pipe")),
              folder.file("pipe") + ": is a pipe without a writer");
    EXPECT_EQ(usage_error_message([&] { InputFile(folder.file("pipe"), Pipes::Refused); }),
              folder.file("pipe") + ": is a pipe, allowed: a regular file");
}

}  // namespace
}  // namespace tessera::test
