// SPDX-License-Identifier: Apache-2.0
// One kernel thread of one core during a launch: its arguments, CB pointers, NoC state and wait.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emu/core/circular_buffer.hpp"
#include "emu/core/noc_port.hpp"
#include "emu/core/tolerated.hpp"
#include "emu/core/wait.hpp"
#include "tessera/call_site.hpp"
#include "tessera/instruction_counters.hpp"
#include "tessera/kernel/circular_buffer_interface.hpp"
#include "tessera/kernel/compute/vector_issue.hpp"
#include "tessera/kernel/remote_circular_buffer_interface.hpp"
#include "tessera/launch_modes.hpp"
#include "tessera/loop_rounds.hpp"
#include "tessera/processor.hpp"
#include "tessera/program.hpp"
#include "tessera/session.hpp"

namespace tessera {

class Core;
class KernelHeap;
class KernelThread;
class TraceRecorder;
struct ComputeState;

/// Iterations of a loop for which a polling call counts against the progress limit. The default
/// limit thus allows 100'000 such calls. Each of them lets every other worker advance.
inline constexpr std::uint64_t kRoundsPerPollingCall = 40;

/// Functions of the scheduler that suspend and resume a thread, so that emu/core does not depend on
/// fibers. `park` returns once `wake` has been called for the thread since it registered its wait.
/// Errors   `park`: Cancelled if the launch ends first.
struct ThreadSwitch {
    void (*park)(KernelThread&) = nullptr;
    void (*wake)(KernelThread&) = nullptr;
    /// Does the same as `wake`, for a caller on a thread of the same core.
    void (*wake_neighbour)(KernelThread&) = nullptr;
    /// Lets other threads run, then returns.
    void (*yield)(KernelThread&) = nullptr;
};

/// Line that a kernel thread has not ended yet, and its format of numbers.
struct PrintedLine {
    std::string text;
    std::string unit;  ///< part of a compute kernel that printed first in this line; or empty
    char base = 'd';   ///< fmt type of integers: d, x or o
    bool is_fixed = false;
    int precision = -1;  ///< digits of floats; -1: as many as needed
    int width = 0;
    bool keeps_width = false;
};

/// View that a thread has of its core's end of a remote circular buffer.
struct RemoteBuffer {
    std::uint32_t index = 0;
    RemoteBufferEnd end;
};

/// State of one kernel thread, which the launcher fills and the kernel API changes.
class KernelThread {
public:
    KernelThread(Core& core, Processor processor);
    ~KernelThread();
    KernelThread(const KernelThread&) = delete;
    KernelThread& operator=(const KernelThread&) = delete;

    [[nodiscard]] Core& core() const noexcept { return *core_; }
    [[nodiscard]] Processor processor() const noexcept { return processor_; }
    /// Returns 1 << p for Processor p.
    [[nodiscard]] std::uint8_t processor_bit() const noexcept { return processor_bit_; }

    /// Path of the kernel's source, for messages.
    std::string kernel;
    void (*entry)() = nullptr;
    std::span<const std::uint32_t> compile_args;
    const NamedCompileArgs* named_compile_args = nullptr;
    std::uint32_t args_address = 0;  ///< L1 address of unique argument 0
    std::uint32_t num_args = 0;
    std::uint32_t common_args_address = 0;
    std::uint32_t num_common_args = 0;
    CoreCoord relative_origin;  ///< first core of the kernel's core set
    CbTiles cb_tiles;

    CoreActivity activity;
    std::vector<RemoteBuffer> remote_buffers;
    std::array<NocPort, 2> noc;
    CallSite last_link_opened;
    const Core* awaited_mux = nullptr;  ///< core whose mux it polls until the mux serves
    std::uint16_t open_links = 0;       ///< bit c: connection to mesh link channel c is open
    std::uint16_t link_handshakes = 0;  ///< number of handshakes that it has waited for
    NOC default_noc = NOC::NOC_0;
    NocDelivery delivery = NocDelivery::AtBarrier;
    BulkData bulk_data = BulkData::On;
    bool has_page_address = false;  ///< computed one since the last transfer
    ChipRules chip_rules = ChipRules::Strict;
    PrintedLine printed;
    std::uint64_t num_clock_reads = 0;
    bool polls_clock = false;             ///< has taken the address of its clock
    std::vector<ThreadFinding> findings;  ///< findings of this launch; none under strict rules
    std::uint64_t delivery_seed = 0;
    std::uint64_t progress_limit = kDefaultProgressLimit;  ///< iterations of a loop
    /// Iterations that its current or last yield() counts for; 0: it has sent something since then.
    std::uint64_t rounds_per_poll = 0;
    Idling idling = Idling::Asks;  ///< activity during its current yield()
    /// Whether a value that it polled for has come since the scheduler reset this.
    bool has_polled_with_success = false;
    /// Writes into the L1 of its core, except its own, when it last polled after it sent something.
    std::uint32_t num_writes_seen = 0;
    std::unique_ptr<ComputeState> compute;  ///< DST and unit state; compute threads only
    std::unique_ptr<KernelHeap> heap;       ///< null: the kernel has allocated nothing
    void* signal_landing = nullptr;  ///< scheduler: where a fault returns to; null outside kernels
    void* worker = nullptr;          ///< scheduler: Worker that runs the thread
    bool is_finished = false;
    std::array<LocalCBInterface, kMaxCircularBuffers> cb{};

    // The members from here on are adjacent, because each hand-over of a page uses them.
    std::unique_ptr<TraceRecorder> recorder;  ///< null: the launch is not traced
    WaitRecord wait;
    CallSite last_call;
    InstructionCounters instructions;  ///< incremented by the kernel's own code
    kernel::VectorIssue vector_issue;  ///< incremented by its code of sfpi vectors
    ThreadSwitch thread_switch;
    void* fiber = nullptr;  ///< scheduler: fiber of the thread
    bool is_cancelled = false;

    /// Sets the last call. Copies member by member, because GCC 12 copies a whole CallSite through
    /// the stack.
    void note_call(const CallSite& site) noexcept {
        last_call.file = site.file;
        last_call.line = site.line;
    }

    /// Suspends the thread until it is woken. The deadlock census reads `record` meanwhile. Calls
    /// of the API do this in their last statement, so that they return directly to the kernel: each
    /// return after a switch is mispredicted, because another fiber made the calls in between.
    /// Errors   Cancelled if the launch ends first.
    void block(const WaitRecord& record) {
        wait = record;
        thread_switch.park(*this);
    }
    void wake() { thread_switch.wake(*this); }
    /// Lets other threads run. While no other thread can run, the call counts for `rounds`
    /// iterations against the progress limit.
    void yield(Idling what = Idling::Asks, std::uint64_t rounds = kRoundsPerPollingCall) {
        idling = what;
        rounds_per_poll = rounds;
        thread_switch.yield(*this);
    }

private:
    Core* core_;
    Processor processor_;
    std::uint8_t processor_bit_;
};

/// Pointer that only current_thread() and its like read. The model is initial-exec, which takes one
/// load: by default, position-independent code would call a function in each API function and save
/// registers around the call.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local KernelThread* t_current_thread;

/// Returns the kernel thread that runs on this host thread. The scheduler sets it at each switch.
/// It is the only ambient state that a kernel's behaviour depends on. The kernel API needs it,
/// because it consists of free functions. (Other thread-locals cache or count for a host thread, or
/// name its worker.) The function is inlined: a fiber never leaves its host thread, so a compiler
/// may keep the address of the thread-local across a switch.
inline KernelThread& current_thread() noexcept {
    return *t_current_thread;
}
inline KernelThread* current_thread_or_null() noexcept {
    return t_current_thread;
}
inline void set_current_thread(KernelThread* thread) noexcept {
    t_current_thread = thread;
    tessera_instruction_counters = thread == nullptr ? nullptr : &thread->instructions;
    tessera_vector_issue = thread == nullptr ? nullptr : &thread->vector_issue;
}

/// Writes the thread's clock to the words of L1 that it reads (emu/api/dataflow/chip.cpp).
void advance_clock(KernelThread& thread);
/// Notes that a thread polls at `site`. The call cannot tell which word its kernel polls. A thread
/// that received a write and then sent something exchanges signals with another thread, which is
/// progress.
void note_next_poll(KernelThread& thread, const CallSite& site);
/// Ends the line that a thread has printed in part, when its kernel ends
/// (emu/api/compute/print.cpp).
void end_printed_line(KernelThread& thread);

[[nodiscard]] inline bool has_reads_in_flight(const KernelThread& thread) noexcept {
    return (thread.noc[0].num_reads_in_flight | thread.noc[1].num_reads_in_flight) != 0;
}
/// Returns whether a transfer is in flight that fills the thread's own L1: a read, or a write to
/// its own core.
[[nodiscard]] inline bool has_arrivals_in_flight(const KernelThread& thread) noexcept {
    return has_reads_in_flight(thread) ||
           (thread.noc[0].num_own_writes_in_flight | thread.noc[1].num_own_writes_in_flight) != 0;
}
[[nodiscard]] inline bool has_writes_in_flight(const KernelThread& thread) noexcept {
    return (thread.noc[0].num_writes_in_flight | thread.noc[1].num_writes_in_flight) != 0;
}

}  // namespace tessera
