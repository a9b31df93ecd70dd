// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/kernel_fiber.hpp"

#include <boost/context/stack_context.hpp>
#include <boost/fiber/context.hpp>
#include <boost/fiber/fiber.hpp>
#include <memory>
#include <string_view>
#include <vector>

#include "emu/core/compute_state.hpp"
#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/noc/transfer.hpp"
#include "runtime/scheduler/announced_stack.hpp"
#include "runtime/scheduler/fiber_algorithm.hpp"
#include "runtime/scheduler/kernel_signal.hpp"
#include "runtime/scheduler/launch_state.hpp"
#include "runtime/scheduler/source_line.hpp"
#include "runtime/scheduler/worker.hpp"

namespace tessera {
namespace {

using boost::fibers::context;

// Size of the stack of the emulator's frames. Errors format their messages on it; fmt needs less
// than half of it. Pages are committed on first access.
constexpr std::size_t kRootStackSize = 64 * 1024;

/// Stack of the emulator's frames below a kernel. The kernel's own stack is in its core's window
/// and cannot reach these frames. The stack is kept for the next launch of this host thread: a
/// fresh stack with guard pages costs 15 us (mmap and mprotect), and a launch starts 192 of them.
class RootStack {
public:
    /// `num_in_use` counts the worker's stacks whose fibers Boost has not destroyed yet.
    explicit RootStack(std::uint32_t& num_in_use) : num_in_use_(&num_in_use) {}

    boost::context::stack_context allocate() {
        if (unused().empty()) {
            unused().push_back(std::make_unique_for_overwrite<std::byte[]>(kRootStackSize));
        }
        boost::context::stack_context stack;
        stack.sp = unused().back().release() + kRootStackSize;
        stack.size = kRootStackSize;
        unused().pop_back();
        ++*num_in_use_;
        return stack;
    }
    void deallocate(boost::context::stack_context& stack) noexcept {
        unused().emplace_back(static_cast<std::byte*>(stack.sp) - kRootStackSize);
        --*num_in_use_;
    }

private:
    static std::vector<std::unique_ptr<std::byte[]>>& unused() {
        thread_local std::vector<std::unique_ptr<std::byte[]>> stacks;
        return stacks;
    }

    std::uint32_t* num_in_use_;
};

[[gnu::used]] void park(KernelThread& thread) asm("tessera_park");

void park(KernelThread& thread) {
    {
        const KeepAnnouncedStack keep;
        FiberAlgorithm::of_this_thread().take_next().resume();
    }
    set_current_thread(&thread);
    if (thread.is_cancelled) [[unlikely]] {
        throw Cancelled{};
    }
}

// park() for calls whose last act is to block, so that it returns into the kernel. A CPU predicts
// that a return goes back to the last call. After a fiber switch that call was another kernel's,
// and each misprediction cost a third of a page handover. A jump is predicted from the preceding
// jumps, which reduced the processor time from 56 to 34 ns per tile. Not used with Clang, which
// assumes that assembly never throws.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::naked]] void park_and_jump_back(KernelThread& /*thread*/) {
    asm(R"(
        sub $8, %rsp
        .cfi_adjust_cfa_offset 8
        call tessera_park
        add $8, %rsp
        .cfi_adjust_cfa_offset -8
        pop %rcx
        .cfi_adjust_cfa_offset -8
        .cfi_register %rip, %rcx
        jmp *%rcx
    )");
}
#else
constexpr auto park_and_jump_back = park;
#endif

void wake_neighbour(KernelThread& thread) {
    FiberAlgorithm::of_this_thread().make_ready(*static_cast<context*>(thread.fiber));
}

// Fibers never migrate; waking a fiber of another worker posts mail to that worker.
void wake(KernelThread& thread) {
    Worker& owner = owner_of(thread);
    if (current_worker() == &owner) {
        Worker::make_ready(thread);
    } else {
        owner.launch().post(owner, thread);
    }
}

void yield(KernelThread& thread) {
    thread.wait.kind = WaitKind::None;
    owner_of(thread).set_aside(thread);
    park(thread);
}

struct NearestLine {
    CallSite site;
    const char* remark;  ///< description of the line, if it is not the fault's own
};

// Returns the line of the fault's instruction, else that of the thread's last API call, else that
// of its kernel_main.
NearestLine nearest_line(const KernelThread& thread, const KernelFault& fault) {
    if (const auto line = source_line_of(fault.code, thread.kernel)) {
        return {*line, ""};
    }
    if (thread.last_call.line != 0) {
        return {thread.last_call, " (the line is that of its last API call)"};
    }
    const auto entry = reinterpret_cast<std::uint64_t>(thread.entry);
    if (const auto line = source_line_of(entry, thread.kernel)) {
        return {*line, " (the line is where the kernel begins)"};
    }
    return {thread.last_call, " (the line is unknown)"};
}

/// Returns whether the site is in Tessera's headers, which call each other on behalf of a kernel.
bool is_header_of_tessera(const CallSite& site) {
    return std::string_view(site.file).find("tessera/kernel/") != std::string_view::npos;
}

KernelError to_error(const KernelThread& thread, const KernelFault& fault) {
    CallSite site = fault.site;
    std::string detail = fault.detail;
    const bool is_in_header = site.line != 0 && is_header_of_tessera(site);
    if (site.line == 0 || (is_in_header && fault.code != 0)) {
        const NearestLine nearest = nearest_line(thread, fault);
        site = nearest.site;
        // The call is inlined, so the kernel's line is the last before it in the machine code.
        detail +=
            is_in_header ? " (in a call of Tessera's headers near this line)" : nearest.remark;
    }
    return {fault.category,
            {.device = thread.activity.device,
             .core = thread.core().logical(),
             .processor = thread.processor(),
             .kernel = thread.kernel,
             .file = site.file,
             .line = site.line},
            detail};
}

void run_to_end(KernelThread& thread) {
    run_kernel(thread);
    end_printed_line(thread);
    check_nothing_pending_at_end(thread);
    if (thread.compute != nullptr) {
        thread.compute->dst.require_released();
    }
    // On the chip, flushed and posted writes outlive their kernel; here their list ends with it.
    complete_all_writes(thread);
}

void run_guarded(KernelThread& thread, LaunchState& launch) {
    try {
        const KeepAnnouncedStack keep;  // an exception leaves the kernel's
        run_to_end(thread);
    } catch (const KernelFault& fault) {
        launch.record_error(thread, to_error(thread, fault));
    } catch (const Cancelled&) {
        return;  // the launch has its error already, from another thread
    } catch (const Error&) {
        launch.record_internal_error(std::current_exception());
    } catch (const std::exception& error) {
        // Thrown by a container of the kernel, or by an allocation that the host refused.
        launch.record_error(
            thread,
            to_error(thread, {FaultCategory::UndefinedBehavior,
                              {},
                              fmt::format("an exception leaves the kernel: {}", error.what())}));
    }
}

void fiber_root(KernelThread& thread, Worker& worker) {
    // The frames of this stack are below this one.
    announce_stack(
        {static_cast<std::byte*>(__builtin_frame_address(0)) - kRootStackSize, kRootStackSize});
    thread.fiber = context::active();
    set_current_thread(&thread);
    run_guarded(thread, worker.launch());
    thread.is_finished = true;
    thread.fiber = nullptr;
    worker.launch().thread_finished();
}

}  // namespace

Worker& owner_of(const KernelThread& thread) noexcept {
    return *static_cast<Worker*>(thread.worker);
}

void Worker::make_ready(KernelThread& thread) {
    wake_neighbour(thread);
}

void start_fiber(KernelThread& thread, Worker& worker) {
    thread.thread_switch = {
        .park = park_and_jump_back, .wake = wake, .wake_neighbour = wake_neighbour, .yield = yield};
    thread.worker = &worker;
    boost::fibers::fiber(boost::fibers::launch::post, std::allocator_arg,
                         RootStack(worker.num_stacks_in_use),
                         [&thread, &worker] { fiber_root(thread, worker); })
        .detach();
}

}  // namespace tessera
