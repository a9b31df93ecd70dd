// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/dataflow/args.hpp"

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/tolerated.hpp"

namespace {

using tessera::CallSite;
using tessera::fault;
using tessera::FaultCategory;
using tessera::KernelThread;

/// Returns a number of arguments in words: a number alone would read as the index of one.
std::string count_text(std::size_t count) {
    return count == 0 ? "none" : fmt::format("{} argument{}", count, count == 1 ? "" : "s");
}

std::uint32_t arg_address(int index, std::uint32_t count, std::uint32_t base, const char* kind,
                          CallSite site) {
    KernelThread& thread = tessera::current_thread();
    thread.last_call = site;
    if (index < 0 || static_cast<std::uint32_t>(index) >= count) {
        constexpr const char* kPastEnd = "reads {} argument {}, but {} were set for this core";
        const std::uint32_t largest = thread.core().arch().l1.max_runtime_args;
        if (index < 0 || static_cast<std::uint32_t>(index) >= largest) {
            fault(FaultCategory::OutOfBounds, site, kPastEnd, kind, index, count);
        }
        // The chip reads what the words behind the arguments hold.
        tessera::tolerate(thread, tessera::Tolerated::ArgumentPastEnd, FaultCategory::OutOfBounds,
                          site, "get_arg_val", kPastEnd, kind, index, count);
    }
    return base + 4 * static_cast<std::uint32_t>(index);
}

std::uint32_t unique_arg_address(int index, CallSite site) {
    const KernelThread& thread = tessera::current_thread();
    return arg_address(index, thread.num_args, thread.args_address, "runtime", site);
}

std::uint32_t common_arg_address(int index, CallSite site) {
    const KernelThread& thread = tessera::current_thread();
    return arg_address(index, thread.num_common_args, thread.common_args_address, "common runtime",
                       site);
}

std::uint32_t load(std::uint32_t address) {
    return *reinterpret_cast<const std::uint32_t*>(tessera::current_thread().core().l1(address));
}

}  // namespace

std::uintptr_t get_arg_addr(int index, CallSite site) {
    return unique_arg_address(index, site);
}

std::uintptr_t get_common_arg_addr(int index, CallSite site) {
    return common_arg_address(index, site);
}

namespace tessera::kernel {

std::uint32_t runtime_arg(int index, CallSite site) {
    return load(unique_arg_address(index, site));
}

std::uint32_t common_runtime_arg(int index, CallSite site) {
    return load(common_arg_address(index, site));
}

std::uint32_t compile_time_arg(std::uint32_t index, CallSite site) {
    const auto args = current_thread().compile_args;
    if (index >= args.size()) {
        // An accessor of Tessera's headers has asked, where the kernel's author made it.
        throw KernelFault{FaultCategory::OutOfBounds, site,
                          fmt::format("reads compile-time argument {}, but the program gives {}",
                                      index, count_text(args.size())),
                          reinterpret_cast<std::uint64_t>(__builtin_return_address(0)) - 1};
    }
    return args[index];
}

std::uint32_t named_compile_time_arg(std::string_view name, CallSite site) {
    const NamedCompileArgs& args = *current_thread().named_compile_args;
    const auto it = args.find(std::string(name));
    if (it == args.end()) {
        fault(FaultCategory::OutOfBounds, site,
              "reads named compile-time argument '{}', which the program does not give", name);
    }
    return it->second;
}

std::uint8_t own_noc_x(std::uint32_t /*noc*/) {
    return static_cast<std::uint8_t>(current_thread().core().virtual_coord().x);
}

std::uint8_t own_noc_y(std::uint32_t /*noc*/) {
    return static_cast<std::uint8_t>(current_thread().core().virtual_coord().y);
}

std::uint8_t default_noc() {
    return static_cast<std::uint8_t>(current_thread().default_noc);
}

}  // namespace tessera::kernel

std::uint8_t get_absolute_logical_x() {
    return static_cast<std::uint8_t>(tessera::current_thread().core().logical().x);
}

std::uint8_t get_absolute_logical_y() {
    return static_cast<std::uint8_t>(tessera::current_thread().core().logical().y);
}

std::uint8_t get_relative_logical_x() {
    const KernelThread& thread = tessera::current_thread();
    return static_cast<std::uint8_t>(thread.core().logical().x - thread.relative_origin.x);
}

std::uint8_t get_relative_logical_y() {
    const KernelThread& thread = tessera::current_thread();
    return static_cast<std::uint8_t>(thread.core().logical().y - thread.relative_origin.y);
}
