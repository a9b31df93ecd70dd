// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/kernel_fiber.hpp"

#include <boost/context/stack_context.hpp>
#include <boost/fiber/context.hpp>
#include <boost/fiber/fiber.hpp>
#include <memory>

#include "emu/core/compute_state.hpp"
#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/window.hpp"
#include "emu/noc/transfer.hpp"
#include "runtime/scheduler/fiber_algorithm.hpp"
#include "runtime/scheduler/kernel_signal.hpp"
#include "runtime/scheduler/launch_state.hpp"
#include "runtime/scheduler/worker.hpp"

namespace tessera {
namespace {

using boost::fibers::context;

/// Gives a kernel's fiber the stack inside its core's window: mapped once with the core and used
/// again at every launch, where a fresh stack with guard pages costs 15 us (mmap and mprotect) and
/// a launch starts 192 of them.
class WindowStack {
public:
    /// `num_in_use` counts the worker's stacks whose fibers Boost has not destroyed yet.
    WindowStack(const Window& window, Processor processor, std::uint32_t& num_in_use)
        : window_(&window), processor_(processor), num_in_use_(&num_in_use) {}

    boost::context::stack_context allocate() {
        ++*num_in_use_;
        boost::context::stack_context stack;
        stack.sp = window_->stack_top(processor_);
        stack.size = Window::stack_size();
        return stack;
    }
    void deallocate(boost::context::stack_context& /*stack*/) noexcept { --*num_in_use_; }

private:
    const Window* window_;
    Processor processor_;
    std::uint32_t* num_in_use_;
};

[[gnu::used]] void park(KernelThread& thread) asm("tessera_park");

void park(KernelThread& thread) {
    FiberAlgorithm::of_this_thread().take_next().resume();
    set_current_thread(&thread);
    if (thread.is_cancelled) [[unlikely]] {
        throw Cancelled{};
    }
}

// park() for calls that block as their last act, so that it returns into the kernel. A host
// predicts that a return goes back to the last call: after a switch that was another kernel's, and
// each misprediction cost a third of handing a page over. A jump is predicted by the jumps before
// it: 56 to 34 ns of processor time a tile. Not on Clang, which assumes that assembly never throws.
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

// Fibers never migrate, so waking one of another worker means mail to that worker.
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

KernelError to_error(const KernelThread& thread, const KernelFault& fault) {
    const CallSite site = fault.site.line != 0 ? fault.site : thread.last_call;
    return {fault.category,
            {.device = thread.activity.device,
             .core = thread.core().logical(),
             .processor = thread.processor(),
             .kernel = thread.kernel,
             .file = site.file,
             .line = site.line},
            fault.detail};
}

void run_entry(KernelThread& thread) {
    thread.entry();
    check_nothing_pending_at_end(thread);
    if (thread.compute != nullptr) {
        thread.compute->dst.require_released();
    }
    // Flushed and posted writes outlive their kernel on the chip; here their list ends with it.
    complete_all_writes(thread);
}

void run_guarded(KernelThread& thread, LaunchState& launch) {
    try {
        run_catching_signals(thread, run_entry);
    } catch (const KernelFault& fault) {
        launch.record_error(thread, to_error(thread, fault));
    } catch (const Cancelled&) {
        return;  // the launch has its error already, from another thread
    } catch (const Error&) {
        launch.record_internal_error(std::current_exception());
    } catch (const std::exception& error) {
        // Of a container of its own, or memory that the host has no more of.
        launch.record_error(
            thread, to_error(thread, {FaultCategory::UndefinedBehavior,
                                      {},
                                      fmt::format("an exception leaves the kernel: {} (the line is "
                                                  "that of its last API call)",
                                                  error.what())}));
    }
}

void fiber_root(KernelThread& thread, Worker& worker) {
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
    boost::fibers::fiber(
        boost::fibers::launch::post, std::allocator_arg,
        WindowStack(thread.core().window, thread.processor(), worker.num_stacks_in_use),
        [&thread, &worker] { fiber_root(thread, worker); })
        .detach();
}

}  // namespace tessera
