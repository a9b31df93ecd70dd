// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/emu/kernel_pass/core_window.hpp"

#include <sys/mman.h>
#include <ucontext.h>

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "tessera/errors.hpp"
#include "tessera/window_layout.hpp"
#include "tests/unit/emu/kernel_pass/probe.hpp"

namespace {
std::vector<std::uint64_t> probe_args;
std::vector<std::uint64_t> probe_results;
void (*entry_on_stack)() = nullptr;
}  // namespace

std::uint64_t probe_arg(int index) {
    return probe_args.at(static_cast<std::size_t>(index));
}
void probe_result(std::uint64_t value) {
    probe_results.push_back(value);
}

namespace tessera {
namespace {

constexpr std::size_t kL1Size = 1U << 20U;
constexpr std::size_t kStackSize = 1U << 16U;

template <class T>
T* at(std::uint64_t address) {
    return std::bit_cast<T*>(address);
}

void map(std::uint64_t address, std::size_t size) {
    void* mapped = mmap(at<void>(address), size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    ensure(mapped != MAP_FAILED, "cannot map {} bytes", size);
}

}  // namespace

CoreWindow::CoreWindow() {
    void* reserved = mmap(nullptr, 2 * kWindowSize, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ensure(reserved != MAP_FAILED, "cannot reserve a window");
    reservation_ = std::bit_cast<std::uint64_t>(reserved);
    base_ = window_base_of(reservation_ + kWindowSize - 1);
    map(base_, kL1Size);
    for (const auto processor : {Processor::Riscv0, Processor::Riscv1, Processor::Compute}) {
        map(base_ + kernel_globals_offset(processor), kL1Size);
        map(base_ + kernel_stack_top_offset(processor) - kStackSize, kStackSize);
    }
}

CoreWindow::~CoreWindow() {
    munmap(at<void>(reservation_), 2 * kWindowSize);
}

std::vector<std::uint64_t> CoreWindow::launch(const CompiledKernel& kernel, Processor processor,
                                              std::vector<std::uint64_t> args) {
    if (kernel.globals_size > 0) {
        std::memcpy(at<std::byte>(base_ + kernel_globals_offset(processor)), kernel.globals_image,
                    kernel.globals_size);
    }
    return run(kernel, processor, std::move(args));
}

std::vector<std::uint64_t> CoreWindow::run(const CompiledKernel& kernel, Processor processor,
                                           std::vector<std::uint64_t> args) {
    tessera_instruction_counters = &instructions_;
    probe_args = std::move(args);
    probe_results.clear();
    entry_on_stack = kernel.entry;
    ucontext_t caller{};
    ucontext_t callee{};
    getcontext(&callee);
    callee.uc_stack.ss_sp = at<void>(base_ + kernel_stack_top_offset(processor) - kStackSize);
    callee.uc_stack.ss_size = kStackSize;
    callee.uc_link = &caller;
    makecontext(
        &callee, [] { entry_on_stack(); }, 0);
    swapcontext(&caller, &callee);
    return probe_results;
}

std::uint32_t& CoreWindow::word(std::uint32_t address) const {
    return *at<std::uint32_t>(base_ + address);
}

}  // namespace tessera
