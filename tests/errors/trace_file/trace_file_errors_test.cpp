// SPDX-License-Identifier: Apache-2.0
// Files that are not valid traces.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "emu/base/trace_file/byte_writer.hpp"
#include "emu/base/trace_file/launch_codec.hpp"
#include "emu/base/trace_file/section.hpp"
#include "emu/base/trace_file/trace_reader.hpp"
#include "emu/base/trace_file/trace_writer.hpp"
#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/small_trace.hpp"

namespace tessera {
namespace {

using testing::small_trace;
using trace_file::section_bytes;
using trace_file::SectionKind;

std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

class TraceFileErrors : public ::testing::Test {
protected:
    TraceFileErrors() {
        write_trace(path_, small_trace());
        bytes_ = text_of(path_);
    }
    // Returns the message of reading `bytes`, without the folder.
    std::string error_of(const std::string& bytes) {
        folder_.write("run.trace", bytes);
        try {
            static_cast<void>(read_trace(path_));
        } catch (const UsageError& error) {
            const std::string message = error.what();
            const std::string where = folder_.path().string() + "/";
            EXPECT_TRUE(message.starts_with(where)) << message;
            return message.substr(where.size());
        }
        return "no error";
    }
    // Returns a file of sections after the header of the small trace.
    std::string behind_head(const std::string& sections) const {
        trace_file::ByteWriter head;
        head.text("test_arch");
        head.number(std::uint32_t{1});
        head.number(std::uint32_t{1});
        head.number(std::uint8_t{0});
        head.text("test_arch");
        return trace_file::start_bytes() + section_bytes(SectionKind::Head, head.bytes()) +
               sections;
    }
    static std::string end_of(std::uint32_t num_launches) {
        trace_file::ByteWriter end;
        end.number(num_launches);
        return section_bytes(SectionKind::End, end.bytes());
    }

    ScratchFolder folder_;
    std::filesystem::path path_ = folder_.path() / "run.trace";
    std::string bytes_;
};

TEST_F(TraceFileErrors, AnyOtherFileIsNamedAsSuch) {
    EXPECT_EQ(error_of("{}"), "run.trace: is not a trace of tessera run --trace");
    EXPECT_EQ(error_of(std::string(64, 'x')), "run.trace: is not a trace of tessera run --trace");
}

TEST_F(TraceFileErrors, ANewerVersionIsRefused) {
    bytes_[8] = 6;

    EXPECT_EQ(error_of(bytes_),
              "run.trace: is a trace of version 6, written by a newer Tessera; this one reads "
              "version 5");
}

// Version 1 did not include sizes in its checksums.
TEST_F(TraceFileErrors, AnOlderVersionIsRefused) {
    bytes_[8] = 1;

    EXPECT_EQ(error_of(bytes_),
              "run.trace: is a trace of version 1, written by an older Tessera; this one reads "
              "version 5");
}

TEST_F(TraceFileErrors, AChangedReserveIsNoticed) {
    bytes_[15] = 1;

    EXPECT_EQ(error_of(bytes_), "run.trace: is corrupt: byte 12 begins no four zeros");
}

TEST_F(TraceFileErrors, CutOffFilesAreRefusedWhereverTheyEnd) {
    for (const std::size_t size : {bytes_.size() - 1, bytes_.size() / 2, std::size_t{20}}) {
        const std::string error = error_of(bytes_.substr(0, size));
        EXPECT_TRUE(error.starts_with(
            fmt::format("run.trace: is cut off after {} bytes, inside or before section ", size)))
            << error;
    }
    EXPECT_EQ(error_of(bytes_.substr(0, 16)),
              "run.trace: is cut off after 16 bytes, inside or before section 1");
}

TEST_F(TraceFileErrors, AChangedByteIsNoticed) {
    bytes_[16 + 32 + 2] = static_cast<char>(bytes_[16 + 32 + 2] ^ 1);

    EXPECT_EQ(error_of(bytes_),
              "run.trace: section 1 at byte 16: is corrupt: its checksum does not hold");
}

// Kind, compression, both sizes, both checksums.
TEST_F(TraceFileErrors, AChangedByteOfAFrameIsNoticedBeforeItsSizesAreBelieved) {
    for (std::size_t at = 16; at < 16 + 32; ++at) {
        std::string changed = bytes_;
        changed[at] = static_cast<char>(changed[at] ^ 0x40);
        EXPECT_EQ(error_of(changed),
                  "run.trace: section 1 at byte 16: is corrupt: no section begins there")
            << at;
    }
}

/// Returns a section whose frame states this number of raw bytes, with valid checksums.
std::string forged(const std::string& section, std::uint64_t raw_bytes) {
    std::string frame = section.substr(0, 28);
    std::memcpy(frame.data() + 16, &raw_bytes, 8);
    const auto checksum = static_cast<std::uint32_t>(
        ::crc32_z(0, reinterpret_cast<const Bytef*>(frame.data()), frame.size()));
    frame.append(reinterpret_cast<const char*>(&checksum), 4);
    return frame + section.substr(32);
}

TEST_F(TraceFileErrors, ForgedSizesAreRefusedWithoutTakingTheMemory) {
    const std::string zeros = section_bytes(SectionKind::Head, std::string(100000, '\0'));
    const auto stored = zeros.size() - 32;
    const std::string place = "run.trace: section 1 at byte 16: is corrupt: ";
    for (const std::uint64_t raw : {std::uint64_t{10000000000}, std::uint64_t{1} << 63U}) {
        EXPECT_EQ(error_of(trace_file::start_bytes() + forged(zeros, raw)),
                  fmt::format("{}{} bytes cannot be stored as {}", place, raw, stored));
    }
    for (const std::uint64_t raw : {99999, 100001, 400000}) {
        EXPECT_EQ(error_of(trace_file::start_bytes() + forged(zeros, raw)),
                  fmt::format("{}does not uncompress to its {} bytes", place, raw));
    }
    EXPECT_EQ(
        error_of(trace_file::start_bytes() + forged(section_bytes(SectionKind::Head, "x"), 9)),
        place + "9 bytes cannot be stored as 1");
}

// 1 MiB of zeros takes 1 KiB of a file. As empty names it would take 8 MiB of memory.
TEST_F(TraceFileErrors, NamesOfMoreThan16MebibytesAreRefused) {
    const std::string sixteen =
        section_bytes(SectionKind::Names, std::string(std::size_t{16} << 20U, '\0'));
    const std::string place =
        fmt::format("run.trace: section 2 at byte {}: is corrupt: ", behind_head("").size());

    EXPECT_EQ(error_of(behind_head(sixteen)),
              place +
                  "its names take 16777216 bytes; allowed: at most 16777216 in a trace, head "
                  "and end included");
}

TEST_F(TraceFileErrors, BytesBehindTheEndOfNamesAreNoticed) {
    EXPECT_EQ(error_of(behind_head(section_bytes(SectionKind::Names, std::string(5, '\0')))),
              fmt::format("run.trace: section 2 at byte {}: is corrupt: it has bytes after its end",
                          behind_head("").size()));
}

TEST_F(TraceFileErrors, AnUnknownSectionIsNoticed) {
    EXPECT_EQ(error_of(trace_file::start_bytes() + std::string(40, '\x09')),
              "run.trace: section 1 at byte 16: is corrupt: no section begins there");
}

TEST_F(TraceFileErrors, TheHeadComesFirstAndOnce) {
    EXPECT_EQ(error_of(trace_file::start_bytes() + end_of(0)),
              "run.trace: section 1 at byte 16: is corrupt: a trace begins with its head");
    const std::string head = behind_head("").substr(16);
    EXPECT_EQ(error_of(behind_head(head)),
              fmt::format("run.trace: section 2 at byte {}: is corrupt: a trace has one head",
                          16 + head.size()));
}

TEST_F(TraceFileErrors, AMeshOfNoSizeOrOfAnyIsRefused) {
    const auto with_rows = [this](std::uint32_t rows) {
        trace_file::ByteWriter head;
        head.text("test_arch");
        head.number(rows);
        head.number(std::uint32_t{1});
        return error_of(trace_file::start_bytes() + section_bytes(SectionKind::Head, head.bytes()));
    };
    const std::string place = "run.trace: section 1 at byte 16: is corrupt: it has a mesh of ";

    EXPECT_EQ(with_rows(0), place + "0 × 1 devices");
    EXPECT_EQ(with_rows(257), place + "257 × 1 devices");
    EXPECT_EQ(with_rows(256),
              "run.trace: section 1 at byte 16: is corrupt: it ends inside a number "
              "or a name");
}

TEST_F(TraceFileErrors, ANameThatIsNoUtf8IsRefused) {
    trace_file::ByteWriter head;
    head.text("caf\xE9");

    EXPECT_EQ(error_of(trace_file::start_bytes() + section_bytes(SectionKind::Head, head.bytes())),
              "run.trace: section 1 at byte 16: is corrupt: it has a name that is not UTF-8");
}

TEST_F(TraceFileErrors, TheEndCountsTheLaunches) {
    const std::string place =
        fmt::format("run.trace: section 2 at byte {}: is corrupt: ", behind_head("").size());
    EXPECT_EQ(error_of(behind_head(end_of(2))),
              place + "its end counts 2 launches; the file has 0");
    EXPECT_EQ(error_of(behind_head(end_of(0) + end_of(0))), place + "bytes follow its end");
}

struct BrokenLaunch {
    const char* name;
    void (*change)(ThreadTrace&);
    const char* message;
};

class TraceFileLaunchErrors : public TraceFileErrors,
                              public ::testing::WithParamInterface<BrokenLaunch> {};

TEST_P(TraceFileLaunchErrors, AreNoticed) {
    Trace trace = small_trace();
    GetParam().change(trace.launches[1].cores[0].threads[1]);
    write_trace(path_, trace);
    const std::string error = error_of(text_of(path_));

    EXPECT_TRUE(error.starts_with("run.trace: section 4 at byte ")) << error;
    EXPECT_TRUE(error.ends_with(std::string(": is corrupt: ") + GetParam().message)) << error;
}

INSTANTIATE_TEST_SUITE_P(
    Numbers, TraceFileLaunchErrors,
    ::testing::Values(
        BrokenLaunch{"Kernel", [](ThreadTrace& thread) { thread.kernel = 4; }, "it has name 4"},
        BrokenLaunch{"File", [](ThreadTrace& thread) { thread.sites[1].file = 9; },
                     "it has name 9"},
        BrokenLaunch{"Function", [](ThreadTrace& thread) { thread.events[0].argument = 4; },
                     "it has name 4"},
        BrokenLaunch{"Site", [](ThreadTrace& thread) { thread.events[0].site = 2; },
                     "it has site 2"},
        BrokenLaunch{
            "Kind", [](ThreadTrace& thread) { thread.events[0].kind = static_cast<EventKind>(99); },
            "it has kind of event 99"},
        BrokenLaunch{"Processor",
                     [](ThreadTrace& thread) { thread.processor = static_cast<Processor>(3); },
                     "it has processor 3"},
        BrokenLaunch{"LongRun", [](ThreadTrace& thread) { thread.events[0].count = 100'000'000; },
                     "it has 100000000 events in a run; allowed: at most 65536"},
        BrokenLaunch{"EmptyRun", [](ThreadTrace& thread) { thread.events[0].count = 0; },
                     "it has a run of no events"}),
    [](const auto& row) { return row.param.name; });

struct LongList {
    const char* name;
    void (*change)(LaunchTrace&);
    const char* message;
};

class TraceFileListErrors : public TraceFileErrors,
                            public ::testing::WithParamInterface<LongList> {};

TEST_P(TraceFileListErrors, NameTheMostThatALaunchHas) {
    Trace trace = small_trace();
    GetParam().change(trace.launches[1]);
    write_trace(path_, trace);

    EXPECT_TRUE(error_of(text_of(path_)).ends_with(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Lists, TraceFileListErrors,
    ::testing::Values(
        LongList{"Dispatches", [](LaunchTrace& launch) { launch.dispatch.resize(257); },
                 ": is corrupt: it has 257 dispatches; allowed: at most 256"},
        LongList{"CircularBuffers", [](LaunchTrace& launch) { launch.cores[0].cbs.resize(65); },
                 ": is corrupt: it has 65 CBs of a core; allowed: at most 64"},
        LongList{"Threads", [](LaunchTrace& launch) { launch.cores[0].threads.resize(4); },
                 ": is corrupt: it has 4 threads of a core; allowed: at most 3"},
        LongList{"Sites",
                 [](LaunchTrace& launch) { launch.cores[0].threads[0].sites.resize(65537); },
                 ": is corrupt: it has 65537 sites of a thread; allowed: at most 65536"}),
    [](const auto& row) { return row.param.name; });

TEST_F(TraceFileErrors, ALaunchThatEndsTooEarlyOrTooLateIsNoticed) {
    const std::string launch = trace_file::encode_launch(testing::small_launch("gate", 0));
    const auto with_launch = [&](const std::string& bytes) {
        trace_file::ByteWriter names;
        names.number(std::uint32_t{3});
        for (const char* name : {"", "reader.cpp", "compute.cpp"}) {
            names.text(name);
        }
        return error_of(behind_head(section_bytes(SectionKind::Names, names.bytes()) +
                                    section_bytes(SectionKind::Launch, bytes) + end_of(1)));
    };

    EXPECT_EQ(with_launch(launch), "no error");
    EXPECT_TRUE(with_launch(launch + "x").ends_with("is corrupt: it has bytes after its end"));
    EXPECT_TRUE(with_launch(launch.substr(0, launch.size() - 1))
                    .ends_with("is corrupt: it ends inside a list"));
    EXPECT_TRUE(with_launch(launch.substr(0, 3))
                    .ends_with("is corrupt: it ends inside a number or a name"));
}

TEST_F(TraceFileErrors, AFolderThatIsNotThereIsRefusedBeforeTheRun) {
    try {
        const TraceWriter writer(folder_.path() / "none" / "run.trace");
        FAIL() << "a trace went into a folder that is not there";
    } catch (const UsageError& error) {
        const std::string message = error.what();
        EXPECT_TRUE(
            message.starts_with((folder_.path() / "none/run.trace: cannot be created: ").string()))
            << message;
        EXPECT_TRUE(message.ends_with("No such file or directory")) << message;
    }
}

}  // namespace
}  // namespace tessera
