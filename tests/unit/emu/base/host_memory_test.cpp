// SPDX-License-Identifier: Apache-2.0
#include "emu/base/host_memory.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera {
namespace {

/// A root folder with the files in which a host states its memory.
class HostMemoryTest : public testing::Test {
protected:
    void say(const std::string& path, const std::string& text) {
        std::filesystem::create_directories((root_.path() / path).parent_path());
        root_.write(path, text);
    }
    [[nodiscard]] HostMemory available() const { return host_memory_available(root_.path()); }

    ScratchFolder root_;
};

TEST_F(HostMemoryTest, IsWhatTheHostHasAvailable) {
    say("proc/meminfo", "MemTotal: 8000 kB\nMemFree: 100 kB\nMemAvailable: 3000 kB\n");

    EXPECT_EQ(available().bytes, 3000U * 1024);
    EXPECT_EQ(available().bound, "the host");
}

TEST_F(HostMemoryTest, IsUnboundedWhereNothingIsSaid) {
    EXPECT_EQ(available().bytes, std::numeric_limits<std::uint64_t>::max());
}

// 700 of 1000 bytes are used, 200 of them by reclaimable file pages.
TEST_F(HostMemoryTest, IsBoundByTheControlGroupOfVersion2) {
    say("proc/meminfo", "MemAvailable: 3000 kB\n");
    say("proc/self/cgroup", "0::/jobs/one\n");
    say("sys/fs/cgroup/jobs/one/memory.max", "1000\n");
    say("sys/fs/cgroup/jobs/one/memory.current", "700\n");
    say("sys/fs/cgroup/jobs/one/memory.stat", "anon 500\ninactive_file 200\n");

    EXPECT_EQ(available().bytes, 500U);
    EXPECT_EQ(available().bound, "its control group");
}

TEST_F(HostMemoryTest, IsBoundByAGroupAboveTheProcesss) {
    say("proc/meminfo", "MemAvailable: 3000 kB\n");
    say("proc/self/cgroup", "0::/jobs/one\n");
    say("sys/fs/cgroup/jobs/one/memory.max", "max\n");
    say("sys/fs/cgroup/jobs/one/memory.current", "700\n");
    say("sys/fs/cgroup/jobs/memory.max", "2000\n");
    say("sys/fs/cgroup/jobs/memory.current", "1900\n");

    EXPECT_EQ(available().bytes, 100U);
}

// In a container, the path is that of the host, and only the mount exists.
TEST_F(HostMemoryTest, IsBoundByTheControlGroupOfVersion1) {
    say("proc/meminfo", "MemAvailable: 3000 kB\n");
    say("proc/self/cgroup", "5:cpu:/docker/x\n4:memory:/docker/x\n");
    say("sys/fs/cgroup/memory/memory.limit_in_bytes", "4096\n");
    say("sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n");

    EXPECT_EQ(available().bytes, 0U);
}

TEST(RequireHostMemory, NamesWhatIsNeededAndWhatThereIs) {
    EXPECT_NO_THROW(require_host_memory(1, "the values", "do less"));
    try {
        require_host_memory(std::uint64_t{1} << 62U, "the values", "do less");
        FAIL() << "4 EiB were granted";
    } catch (const UsageError& error) {
        const std::string message = error.what();
        EXPECT_TRUE(message.starts_with("the values take 4.0 EiB of the host's memory, but "))
            << message;
        EXPECT_TRUE(message.ends_with("; do less")) << message;
    }
}

TEST(ShowBytes, UsesTheLargestUnitOfWhichThereIsOne) {
    EXPECT_EQ(show_bytes(1023), "1023 B");
    EXPECT_EQ(show_bytes(1024), "1.0 KiB");
    EXPECT_EQ(show_bytes((std::uint64_t{46} << 30U) + (std::uint64_t{1} << 29U)), "46.5 GiB");
}

}  // namespace
}  // namespace tessera
