// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "emu/base/trace_file/trace_reader.hpp"
#include "emu/base/trace_file/trace_writer.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/small_trace.hpp"

namespace tessera {
namespace {

using testing::small_trace;

std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

void expect_equal(const Trace& trace, const Trace& expected) {
    EXPECT_EQ(trace.version, expected.version);
    EXPECT_EQ(trace.arch, expected.arch);
    EXPECT_EQ(trace.mesh.shape, expected.mesh.shape);
    EXPECT_EQ(trace.mesh.topology, expected.mesh.topology);
    EXPECT_EQ(trace.mesh.device, expected.mesh.device);
    EXPECT_EQ(trace.names, expected.names);
    EXPECT_EQ(trace.launches, expected.launches);
}

TEST(TraceFile, GivesBackWhatWasWritten) {
    const ScratchFolder folder;
    write_trace(folder.path() / "run.trace", small_trace());

    expect_equal(read_trace(folder.path() / "run.trace"), small_trace());
}

TEST(TraceFile, HoldsARunWithoutLaunches) {
    const ScratchFolder folder;
    Trace trace = small_trace();
    trace.launches.clear();
    trace.names.clear();
    write_trace(folder.path() / "run.trace", trace);

    expect_equal(read_trace(folder.path() / "run.trace"), trace);
}

TEST(TraceFile, NamesComeWithTheFirstLaunchThatMentionsThem) {
    const ScratchFolder folder;
    const Trace trace = small_trace();
    Trace so_far = trace;
    so_far.launches.clear();
    so_far.names.pop_back();
    TraceWriter writer(folder.path() / "run.trace");
    writer.append(so_far, trace.launches[0]);
    so_far.names = trace.names;
    writer.append(so_far, trace.launches[1]);
    writer.finish(so_far);

    TraceReader reader(folder.path() / "run.trace");
    EXPECT_TRUE(reader.so_far().names.empty());
    EXPECT_EQ(reader.next(), trace.launches[0]);
    EXPECT_EQ(reader.so_far().names.size(), 3U);
    EXPECT_EQ(reader.next(), trace.launches[1]);
    EXPECT_EQ(reader.so_far().names.size(), 4U);
    EXPECT_EQ(reader.next(), std::nullopt);
    EXPECT_EQ(reader.next(), std::nullopt);
}

TEST(TraceFile, CompressesItsEvents) {
    const ScratchFolder folder;
    Trace trace = small_trace();
    trace.launches = {testing::small_launch("gate", 10000)};
    write_trace(folder.path() / "run.trace", trace);

    EXPECT_LT(std::filesystem::file_size(folder.path() / "run.trace"), 16U * 10000 / 2);
}

TEST(TraceFile, EqualTracesGiveEqualBytes) {
    const ScratchFolder folder;
    write_trace(folder.path() / "one.trace", small_trace());
    write_trace(folder.path() / "two.trace", small_trace());

    EXPECT_EQ(text_of(folder.path() / "one.trace"), text_of(folder.path() / "two.trace"));
}

TEST(TraceFile, AnUnfinishedWriterLeavesTheFileAsItWas) {
    const ScratchFolder folder;
    const auto path = folder.write("run.trace", "old");
    {
        TraceWriter writer(path);
        writer.append(small_trace(), small_trace().launches[0]);
    }

    EXPECT_EQ(text_of(path), "old");
    std::filesystem::remove(path);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace tessera
