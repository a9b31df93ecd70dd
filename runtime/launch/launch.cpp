// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/launch.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "emu/core/kernel_thread.hpp"
#include "emu/mesh/mesh.hpp"
#include "runtime/launch/place_circular_buffers.hpp"
#include "runtime/launch/place_semaphores.hpp"
#include "runtime/scheduler/run_cores.hpp"
#include "runtime/scheduler/worker_pool.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

void check_one_program_each(std::span<const DeviceProgram> programs) {
    std::vector<std::uint32_t> devices;
    for (const DeviceProgram& program : programs) {
        require(std::ranges::find(devices, program.device) == devices.end(),
                "device {} has two programs in one launch", program.device);
        devices.push_back(program.device);
    }
}

bool has_kernel(const Core& core) {
    return std::ranges::any_of(core.threads, [](const auto& thread) { return thread != nullptr; });
}

void clear_zero_area(Core& core) {
    const L1Spec& l1 = core.arch().l1;
    std::memset(core.l1(static_cast<std::uint32_t>(l1.zeros.value)), 0, l1.zeros_size.value);
}

/// A program with its device, its L1 layout and its kernels.
struct PlacedProgram {
    const Program* program = nullptr;
    Device* device = nullptr;
    L1Layout layout;
    std::vector<CompiledKernel> kernels;
};

// Serial, because kernels may be compiled here, each once.
std::vector<PlacedProgram> prepare(Mesh& mesh, std::span<const DeviceProgram> programs) {
    std::vector<PlacedProgram> prepared;
    for (const auto& [id, program, host_reads] : programs) {
        require(id < mesh.num_devices(), "a program is for device {}, the mesh has {}", id,
                mesh.num_devices());
        Device& device = mesh.device(id);
        const L1Space l1{device.arch(), device.id(), device.l1_allocator};
        check_on_grid(program, l1);  // first: all else indexes by these coordinates
        prepared.push_back({&program, &device, lay_out_circular_buffers(program, l1),
                            look_up_kernels(program, device.arch())});
    }
    return prepared;
}

void place(const PlacedProgram& placed, const LaunchModes& modes) {
    const auto& [program, device, layout, kernels] = placed;
    for (const auto& core : device->cores()) {
        core->reset();
    }
    place_kernels(*program, kernels, modes, *device);
    place_circular_buffers(*program, layout, *device);
    place_semaphores(*program, *device);
    for (const auto& core : device->cores()) {
        if (has_kernel(*core)) {
            clear_zero_area(*core);
        }
    }
}

// Returns the cores that have a kernel, sorted by (device, y, x).
std::vector<Core*> active_cores(Mesh& mesh, std::span<const DeviceProgram> programs) {
    std::vector<std::uint32_t> devices;
    for (const DeviceProgram& program : programs) {
        devices.push_back(program.device);
    }
    std::ranges::sort(devices);
    std::vector<Core*> cores;
    for (const std::uint32_t id : devices) {
        for (const auto& core : mesh.device(id).cores()) {
            if (has_kernel(*core)) {
                cores.push_back(core.get());
            }
        }
    }
    return cores;
}

CoreActivity activity_of(const Core& core) {
    CoreActivity sum{.device = core.device().id(), .core = core.logical()};
    for (const auto& thread : core.threads) {
        if (thread) {
            sum.tiles_packed += thread->activity.tiles_packed;
            sum.tiles_multiplied += thread->activity.tiles_multiplied;
            sum.bytes_read += thread->activity.bytes_read;
            sum.bytes_written += thread->activity.bytes_written;
            sum.bytes_linked += thread->activity.bytes_linked;
        }
    }
    return sum;
}

}  // namespace

std::vector<CoreActivity> launch(Mesh& mesh, std::span<const DeviceProgram> programs,
                                 const LaunchModes& modes, WorkerPool& pool) {
    check_one_program_each(programs);
    const std::vector<PlacedProgram> placed = prepare(mesh, programs);
    pool.for_each(placed.size(), [&](std::size_t i) { place(placed[i], modes); });
    const std::vector<Core*> cores = active_cores(mesh, programs);
    run_cores(cores, pool);
    std::vector<CoreActivity> activities;
    for (const Core* core : cores) {
        activities.push_back(activity_of(*core));
    }
    return activities;
}

}  // namespace tessera
