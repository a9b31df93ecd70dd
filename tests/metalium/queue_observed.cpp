// SPDX-License-Identifier: Apache-2.0
// Programs of the older generation whose kernels print and read the clock.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/metalium/old_host_programs.hpp"
#include "tests/metalium/queue_programs.hpp"

using namespace tt;
using namespace tt::tt_metal;

namespace metalium_programs {
namespace {

namespace fs = std::filesystem;

/// A folder that is removed at the end of its scope.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("tessera-observed-" + std::to_string(getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
};

std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

/// Runs timed_copy.cpp on one core over a page of the words 1000, 1001, …, and returns its notes.
std::vector<std::uint32_t> run_timed_copy(Device* device, Program& program) {
    constexpr CoreCoord core = {2, 3};
    const auto source = dram_buffer(device, kTileBytes);
    std::vector<std::uint32_t> words(kTileBytes / 4);
    for (std::uint32_t i = 0; i < words.size(); ++i) {
        words[i] = 1000 + i;
    }
    EnqueueWriteBuffer(device->command_queue(), source, words, false);
    const auto notes = CreateBuffer(InterleavedBufferConfig{
        .device = device, .size = 64, .page_size = 64, .buffer_type = BufferType::L1});
    add_cb(program, core, CB::c_in0, 1);
    std::vector<std::uint32_t> compile_args;
    TensorAccessorArgs(source).append_to(compile_args);
    const auto copy = CreateKernel(program, kernel("timed_copy.cpp"), core,
                                   ReaderDataMovementConfig(compile_args));
    SetRuntimeArgs(program, copy, core, {source->address(), notes->address()});
    EnqueueProgram(device->command_queue(), program, true);
    std::vector<std::uint32_t> clocks;
    detail::ReadFromDeviceL1(device, core, notes->address(), 8, clocks);
    return clocks;
}

}  // namespace

bool printed_values() {
    const Folder folder;
    const fs::path file = folder.path / "printed.txt";
    setenv("TESSERA_DPRINT", file.c_str(), 1);
    {
        const OpenDevice open;
        Program program = CreateProgram();
        run_timed_copy(open.device, program);
    }
    return text_of(file) ==
           "device 0 core (2,3) reader: first word 3e8 of 2048\n"
           "device 0 core (2,3) reader: last word 1511\n";
}

bool timestamps() {
    const Folder folder;
    setenv("TT_METAL_DEVICE_PROFILER", "1", 1);
    detail::SetDeviceProfilerDir(folder.path.string());
    const OpenDevice open;
    Program program = CreateProgram();
    const std::vector<std::uint32_t> clocks = run_timed_copy(open.device, program);
    DumpDeviceProfileResults(open.device, program);
    const std::string once = text_of(folder.path / "profile_log_device.csv");
    DumpDeviceProfileResults(open.device, program);
    const std::string twice = text_of(folder.path / "profile_log_device.csv");
    EnqueueProgram(open.device->command_queue(), program, true);
    DumpDeviceProfileResults(open.device, program);
    const std::string both = text_of(folder.path / "profile_log_device.csv");
    const auto num_zones = [](const std::string& text) {
        std::size_t count = 0;
        for (std::size_t at = text.find("timed read,ZONE_START"); at != std::string::npos;
             at = text.find("timed read,ZONE_START", at + 1)) {
            ++count;
        }
        return count;
    };
    return clocks.size() == 2 && clocks[1] > clocks[0] && num_zones(once) == 1 && twice == once &&
           num_zones(both) == 2 && both.starts_with(once);
}

}  // namespace metalium_programs
