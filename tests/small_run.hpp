// SPDX-License-Identifier: Apache-2.0
// Hand-made runs of four cores that read DRAM.
#pragma once

#include <filesystem>

#include "runtime/config/load.hpp"
#include "runtime/study/recorded_run.hpp"
#include "runtime/study/time_trace.hpp"

namespace tessera::test {

/// Makes four cores read 48 DRAM pages each; core i reads page j from bank `bank_of(i, j)`.
template <class BankOf>
compare::RecordedRun run_of_reads(BankOf bank_of) {
    constexpr std::uint32_t kPages = 48;
    const auto device = config::load_arch(std::filesystem::path(TESSERA_SOURCE_DIR) /
                                          "configs/arch/wormhole_n150.yaml");
    const MeshSpec mesh{.shape = {1, 1}, .topology = Topology::Line, .device = device.arch.name};
    compare::RecordedRun run{"camp", {}, timed_run::machine_of(device, mesh)};
    run.trace.arch = device.arch.name;
    run.trace.mesh = mesh;
    run.trace.names = {"", "reader.cpp"};
    LaunchTrace launch{.name = "gate"};
    launch.dispatch.push_back({.device = 0, .kernels = 1, .cores = 4, .threads = 4});
    for (std::uint32_t core = 0; core < 4; ++core) {
        ThreadTrace thread{.processor = Processor::Riscv1, .kernel = 1, .sites = {{}, {1, 9}}};
        for (std::uint32_t page = 0; page < kPages; ++page) {
            const NocPlace bank = NocPlace::dram(bank_of(core, page) % 12);
            thread.events.push_back({.kind = EventKind::NocRead,
                                     .site = 1,
                                     .count = 1,
                                     .argument = TransferArgument{8192, bank}.pack()});
        }
        thread.events.push_back({.kind = EventKind::ReadBarrier, .count = 1});
        launch.cores.push_back({.core = {core, 0}, .threads = {thread}});
    }
    run.trace.launches.push_back(std::move(launch));
    return run;
}

/// All cores at bank 0, or each core at a different bank at a time.
inline constexpr auto kCamping = [](std::uint32_t, std::uint32_t) { return 0U; };
inline constexpr auto kSpread = [](std::uint32_t core, std::uint32_t page) {
    return 3 * core + page;
};

/// Four devices that read DRAM, two pairs of identical ones, in three launches. The last two
/// are equal.
inline compare::RecordedRun run_of_pairs() {
    compare::RecordedRun run = run_of_reads(kSpread);
    run.machine.mesh.shape = {1, 4};
    run.trace.mesh.shape = {1, 4};
    LaunchTrace& launch = run.trace.launches.front();
    const std::vector<CoreTrace> cores = launch.cores;
    for (std::uint16_t device = 1; device < 4; ++device) {
        launch.dispatch.push_back(launch.dispatch.front());
        launch.dispatch.back().device = device;
        for (CoreTrace core : cores) {
            core.device = device;
            auto& events = core.threads[0].events;
            events.erase(events.begin(), events.begin() + (device % 2 == 0 ? 0 : 12));
            launch.cores.push_back(core);
        }
    }
    LaunchTrace longer = launch;
    for (CoreTrace& core : longer.cores) {
        auto& events = core.threads[0].events;
        events.insert(events.begin(), core.device % 2 == 0 ? 5 : 60, events.front());
    }
    run.trace.launches.insert(run.trace.launches.end(), 2, longer);
    return run;
}

}  // namespace tessera::test
