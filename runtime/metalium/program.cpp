// SPDX-License-Identifier: Apache-2.0
// Programs: kernels, circular buffers, semaphores and arguments.
#include "tt-metalium/program.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <variant>

#include "runtime/metalium/buffer_state.hpp"
#include "runtime/metalium/convert.hpp"
#include "runtime/metalium/device_state.hpp"
#include "runtime/metalium/kernel_path.hpp"
#include "runtime/metalium/program_state.hpp"
#include "tessera/errors.hpp"
#include "tt-metalium/fabric.hpp"
#include "tt-metalium/tt_metal.hpp"

namespace tt::tt_metal {

using tessera::require;
using tessera::metalium::to_tessera;

namespace {

tessera::KernelDescription& kernel_of(const Program& program, KernelHandle handle) {
    auto& kernels = program.state().program.kernels;
    require(handle < kernels.size(), "kernel {} of a program with {}", handle, kernels.size());
    return kernels[handle];
}

CircularBufferConfig& config_of(const Program& program, CBHandle handle) {
    auto& configs = program.state().configs;
    require(handle != detail::kRemoteOnly,
            "a circular buffer with remote indices only: its size and its address are those of the "
            "global circular buffer; add a local index to change one");
    require(handle < configs.size(), "circular buffer {} of a program with {}", handle,
            configs.size());
    return configs[handle];
}

void update(const Program& program, CBHandle handle) {
    program.state().program.circular_buffers[handle].config =
        to_tessera(config_of(program, handle));
}

// The vendor's build defines the word for all kernels while such a fabric is configured.
tessera::KernelConfig with_fabric(tessera::KernelConfig config) {
    if (tt_fabric::is_2d_fabric_config(tt_fabric::GetFabricConfig())) {
        std::visit([](auto& some) { some.defines.try_emplace("FABRIC_2D", "1"); }, config);
    }
    return config;
}

// Equal texts have one name, so that they are compiled once.
const std::string& name_of_text(const std::string& text, std::size_t index) {
    static std::unordered_map<std::string, std::string> names;
    return names.try_emplace(text, fmt::format("<kernel {} from a string>", index)).first->second;
}

RuntimeArgsData view_of(std::vector<std::uint32_t>& args) {
    return {args.data(), args.size()};
}

}  // namespace

std::string detail::name_of(const ProgramState& program) {
    const auto& kernels = program.program.kernels;
    if (kernels.empty()) {
        return "empty program";
    }
    const auto compute = std::ranges::find(kernels, tessera::Processor::Compute,
                                           &tessera::KernelDescription::processor);
    const auto& named = compute == kernels.end() ? kernels.front() : *compute;
    const std::string stem = std::filesystem::path(named.source).stem().string();
    return program.runtime_id == 0 ? stem : fmt::format("{} #{}", stem, program.runtime_id);
}

Program::Program() : state_(std::make_shared<detail::ProgramState>()) {
    static ProgramId next_id = 1;
    state_->id = next_id++;
}
Program::~Program() = default;

void Program::set_runtime_id(ProgramId id) {
    state_->runtime_id = id;
}
ProgramId Program::get_runtime_id() const {
    return state_->runtime_id;
}
ProgramId Program::get_id() const {
    return state_->id;
}
std::size_t Program::num_kernels() const {
    return state_->program.kernels.size();
}

Program CreateProgram() {
    return {};
}

void SetRootDir(const std::string& root) {
    tessera::metalium::set_root_folder(root);
}

KernelHandle CreateKernel(Program& program, const std::string& file, const CoreSpecification& cores,
                          const KernelConfig& config) {
    return tessera::CreateKernel(program.state().program,
                                 tessera::metalium::resolve_kernel_path(file), to_tessera(cores),
                                 with_fabric(to_tessera(config)));
}

KernelHandle CreateKernelFromString(Program& program, const std::string& text,
                                    const CoreSpecification& cores, const KernelConfig& config) {
    return tessera::CreateKernelFromString(program.state().program, text, to_tessera(cores),
                                           with_fabric(to_tessera(config)),
                                           name_of_text(text, program.num_kernels()));
}

CBHandle CreateCircularBuffer(Program& program, const CoreSpecification& cores,
                              const CircularBufferConfig& config) {
    detail::ProgramState& state = program.state();
    const CBHandle handle =
        tessera::CreateCircularBuffer(state.program, to_tessera(cores), to_tessera(config));
    state.configs.push_back(config);
    return handle;
}

const CircularBufferConfig& GetCircularBufferConfig(Program& program, CBHandle handle) {
    return config_of(program, handle);
}

void UpdateCircularBufferTotalSize(Program& program, CBHandle handle, std::uint32_t total_size) {
    config_of(program, handle).set_total_size(total_size);
    update(program, handle);
}

void UpdateCircularBufferPageSize(Program& program, CBHandle handle, std::uint8_t index,
                                  std::uint32_t page_size) {
    config_of(program, handle).set_page_size(index, page_size);
    update(program, handle);
}

void UpdateDynamicCircularBufferAddress(Program& program, CBHandle handle, const Buffer& buffer,
                                        std::uint32_t address_offset) {
    config_of(program, handle)
        .set_globally_allocated_address(buffer)
        .set_address_offset(address_offset);
    update(program, handle);
}

void UpdateDynamicCircularBufferAddressAndTotalSize(Program& program, CBHandle handle,
                                                    const Buffer& buffer,
                                                    std::uint32_t total_size) {
    config_of(program, handle).set_globally_allocated_address_and_total_size(buffer, total_size);
    update(program, handle);
}

std::uint32_t CreateSemaphore(Program& program, const CoreSpecification& cores,
                              std::uint32_t initial_value, CoreType type) {
    require(type == CoreType::WORKER, "CreateSemaphore: allowed: worker cores");
    return tessera::CreateSemaphore(program.state().program, to_tessera(cores), initial_value);
}

void AssignGlobalBufferToProgram(const std::shared_ptr<Buffer>& buffer, Program& program) {
    program.state().buffers.push_back(buffer);
}

void SetRuntimeArgs(const Program& program, KernelHandle kernel, const CoreSpecification& cores,
                    std::span<const std::uint32_t> args) {
    tessera::SetRuntimeArgs(program.state().program, kernel, to_tessera(cores),
                            {args.begin(), args.end()});
}

void SetRuntimeArgs(const Program& program, KernelHandle kernel, const CoreSpecification& cores,
                    std::initializer_list<std::uint32_t> args) {
    SetRuntimeArgs(program, kernel, cores, std::span<const std::uint32_t>(args));
}

void SetRuntimeArgs(const Program& program, KernelHandle kernel,
                    const std::vector<CoreCoord>& cores,
                    const std::vector<std::vector<std::uint32_t>>& args) {
    require(cores.size() == args.size(), "SetRuntimeArgs: {} cores and arguments for {}",
            cores.size(), args.size());
    for (std::size_t i = 0; i < cores.size(); ++i) {
        SetRuntimeArgs(program, kernel, cores[i], args[i]);
    }
}

void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel,
                          std::span<const std::uint32_t> args) {
    tessera::SetCommonRuntimeArgs(program.state().program, kernel, {args.begin(), args.end()});
}

void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel,
                          std::initializer_list<std::uint32_t> args) {
    SetCommonRuntimeArgs(program, kernel, std::span<const std::uint32_t>(args));
}

RuntimeArgsData& GetRuntimeArgs(const Program& program, KernelHandle kernel,
                                const CoreCoord& core) {
    auto& args = kernel_of(program, kernel).runtime_args[to_tessera(core)];
    return program.state().core_args[{kernel, core}] = view_of(args);
}

std::vector<std::vector<RuntimeArgsData>>& GetRuntimeArgs(const Program& program,
                                                          KernelHandle kernel) {
    tessera::KernelDescription& description = kernel_of(program, kernel);
    auto& grid = program.state().grid_args[kernel];
    grid.clear();
    for (const tessera::CoreCoord& core : description.cores.cores()) {
        if (grid.size() <= core.x) {
            grid.resize(core.x + 1);
        }
        if (grid[core.x].size() <= core.y) {
            grid[core.x].resize(core.y + 1);
        }
        grid[core.x][core.y] = view_of(description.runtime_args[core]);
    }
    return grid;
}

RuntimeArgsData& GetCommonRuntimeArgs(const Program& program, KernelHandle kernel) {
    return program.state().common_args[kernel] = view_of(kernel_of(program, kernel).common_args);
}

}  // namespace tt::tt_metal
