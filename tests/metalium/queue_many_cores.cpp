// SPDX-License-Identifier: Apache-2.0
// Programs of the older generation on the whole grid, and their profile.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/metalium/old_host_programs.hpp"
#include "tests/metalium/queue_programs.hpp"

using namespace tt;
using namespace tt::tt_metal;

namespace metalium_programs {
namespace {

constexpr std::uint32_t kCores = 64;

/// Adds own words of 64 cores, and returns the address of the sum.
std::uint32_t add_all_reduce(Device* device, Program& program) {
    const CoreRange grid({0, 0}, {7, 7});
    const auto slots =
        static_cast<std::uint32_t>(device->allocator()->get_base_allocator_addr(HalMemType::L1));
    const std::uint32_t arrivals = CreateSemaphore(program, grid, 0);
    const std::uint32_t done = CreateSemaphore(program, grid, 0);
    const CoreCoord root = device->worker_core_from_logical_core({0, 0});
    const CoreCoord last = device->worker_core_from_logical_core({7, 7});
    const auto reduce = CreateKernel(
        program, kernel("all_reduce.cpp"), grid,
        DataMovementConfig{.processor = DataMovementProcessor::RISCV_1, .noc = NOC::NOC_0});
    std::uint32_t number = 0;
    for (const CoreCoord& core : grid) {
        const std::vector<std::uint32_t> args{arrivals,
                                              done,
                                              slots,
                                              number,
                                              kCores,
                                              number * number,
                                              std::uint32_t(root.x),
                                              std::uint32_t(root.y),
                                              std::uint32_t(last.x),
                                              std::uint32_t(last.y)};
        SetRuntimeArgs(program, reduce, core, args);
        ++number;
    }
    return slots + 16 * kCores;
}

}  // namespace

bool all_reduce_over_64_cores() {
    const OpenDevice open;
    Program program = CreateProgram();
    const std::uint32_t address = add_all_reduce(open.device, program);
    EnqueueProgram(open.device->command_queue(), program, true);
    bool is_right = true;
    for (const CoreCoord& core : CoreRange({0, 0}, {7, 7})) {
        std::vector<std::uint32_t> sum;
        detail::ReadFromDeviceL1(open.device, core, address, 4, sum);
        is_right = is_right && sum.front() == 63 * 64 * 127 / 6;  // of squares up to 63
    }
    return is_right;
}

bool device_profile() {
    setenv("TT_METAL_DEVICE_PROFILER", "1", 1);
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("tessera-profile-" + std::to_string(getpid()));
    detail::SetDeviceProfilerDir(folder.string());
    const OpenDevice open;
    Program program = CreateProgram();
    add_all_reduce(open.device, program);
    detail::LaunchProgram(open.device, program);
    DumpDeviceProfileResults(open.device, program);
    std::ifstream file(folder / "profile_log_device.csv");
    std::string arch;
    std::string header;
    std::string line;
    std::getline(file, arch);
    std::getline(file, header);
    std::size_t num_starts = 0;
    std::size_t num_ends = 0;
    while (std::getline(file, line)) {
        num_starts += line.find(",NCRISC,") != std::string::npos &&
                      line.find("NCRISC-KERNEL,ZONE_START") != std::string::npos;
        num_ends += line.find("NCRISC-KERNEL,ZONE_END") != std::string::npos;
    }
    std::filesystem::remove_all(folder);
    return arch.starts_with("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000") &&
           header.starts_with("PCIe slot, core_x, core_y, RISC processor type, timer_id, time") &&
           num_starts == kCores && num_ends == kCores;
}

}  // namespace metalium_programs
