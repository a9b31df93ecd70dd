// SPDX-License-Identifier: Apache-2.0
// Holds one kernel thread of one core during a launch: its arguments, CB pointers, NoC state and
// wait.
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

/// A call that polls counts for as many rounds of a loop, 100'000 of them for the default
/// limit: each gives every other worker the chance to go on.
inline constexpr std::uint64_t kRoundsPerPollingCall = 40;

/// How a thread is put to sleep and woken: two functions of the scheduler, which alone knows
/// fibers. `park` returns when `wake` was called for the thread since it registered its wait.
/// Errors   `park`: Cancelled if the launch ends first.
struct ThreadSwitch {
    void (*park)(KernelThread&) = nullptr;
    void (*wake)(KernelThread&) = nullptr;
    /// As `wake`, called by a thread of the same core.
    void (*wake_neighbour)(KernelThread&) = nullptr;
    /// Lets other threads run and returns.
    void (*yield)(KernelThread&) = nullptr;
};

/// Text that a kernel thread has printed and not ended yet, and how it prints numbers.
struct PrintedLine {
    std::string text;
    std::string unit;  ///< part of a compute kernel that printed first in this line; or empty
    char base = 'd';   ///< fmt type of integers: d, x or o
    bool is_fixed = false;
    int precision = -1;  ///< digits of floats; -1: as many as needed
    int width = 0;
    bool keeps_width = false;
};

/// A thread's view of its core's end of a remote circular buffer.
struct RemoteBuffer {
    std::uint32_t index = 0;
    RemoteBufferEnd end;
};

class KernelThread {
public:
    KernelThread(Core& core, Processor processor);
    ~KernelThread();
    KernelThread(const KernelThread&) = delete;
    KernelThread& operator=(const KernelThread&) = delete;

    [[nodiscard]] Core& core() const noexcept { return *core_; }
    [[nodiscard]] Processor processor() const noexcept { return processor_; }
    /// Bit p for Processor p.
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
    const Core* awaited_mux = nullptr;  ///< core whose mux it polls until that serves
    std::uint16_t open_links = 0;       ///< bit c: connection to mesh link channel c is open
    std::uint16_t link_handshakes = 0;  ///< that this thread has waited for
    NOC default_noc = NOC::NOC_0;
    NocDelivery delivery = NocDelivery::AtBarrier;
    BulkData bulk_data = BulkData::On;
    bool has_page_address = false;  ///< worked out since the last transfer
    ChipRules chip_rules = ChipRules::Strict;
    PrintedLine printed;
    std::uint64_t num_clock_reads = 0;
    bool polls_clock = false;             ///< holds the address of its clock
    std::vector<ThreadFinding> findings;  ///< of this launch; empty under strict rules
    std::uint64_t delivery_seed = 0;
    std::uint64_t progress_limit = kDefaultProgressLimit;  ///< rounds of a loop
    std::uint64_t rounds_per_poll = 0;      ///< what its polling counts for, while it gives way
    Idling idling = Idling::Asks;           ///< what it does then
    std::unique_ptr<ComputeState> compute;  ///< DST and unit state; compute threads only
    std::unique_ptr<KernelHeap> heap;       ///< null: the kernel has allocated nothing
    void* signal_landing = nullptr;         ///< the scheduler's, while the kernel runs
    void* worker = nullptr;                 ///< the scheduler's
    bool is_finished = false;
    std::array<LocalCBInterface, kMaxCircularBuffers> cb{};

    // From here on what a hand-over touches, side by side.
    std::unique_ptr<TraceRecorder> recorder;  ///< null: the launch is not traced
    WaitRecord wait;
    CallSite last_call;
    InstructionCounters instructions;  ///< the kernel's own code counts here
    kernel::VectorIssue vector_issue;  ///< and here that of its sfpi vectors
    ThreadSwitch thread_switch;
    void* fiber = nullptr;  ///< the scheduler's
    bool is_cancelled = false;

    /// Member by member: GCC 12 copies a whole CallSite through the stack.
    void note_call(const CallSite& site) noexcept {
        last_call.file = site.file;
        last_call.line = site.line;
    }

    /// Sleeps until woken; `record` is what the census shows meanwhile. A call that blocks as its
    /// last act returns straight into the kernel: each return after a switch is mispredicted,
    /// since another fiber made the calls since.
    /// Errors   Cancelled if the launch ends first.
    void block(const WaitRecord& record) {
        wait = record;
        thread_switch.park(*this);
    }
    void wake() { thread_switch.wake(*this); }
    /// Lets other threads run; `rounds` is what this counts for against the progress limit while
    /// nothing else can run.
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

/// Pointer that current_thread() reads; for it alone. Initial-exec: one load, where
/// position-independent code would call, and save what it holds in registers around the call, in
/// each API function.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local KernelThread* t_current_thread;

/// The kernel thread that runs on this host thread, set by the scheduler at each switch: the only
/// ambient state that a kernel's behaviour depends on, which free functions of the kernel API need.
/// (Other thread-locals cache or count for a host thread, or name its worker.) Inlined: a fiber
/// never leaves its host thread, so a compiler may keep the address of the thread-local across a
/// switch.
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
