// SPDX-License-Identifier: Apache-2.0
// Traces: the events of each kernel thread of a run, in program order. The emulator writes them,
// the timing model reads them. Events hold no times of transfers or waits; Instructions events hold
// the issue cycles of a kernel's own code. A trace is the same bytes at any number of host threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/mesh_spec.hpp"
#include "tessera/processor.hpp"
#include "tessera/program.hpp"
#include "tessera/trace_arguments.hpp"
#include "tessera/trace_event.hpp"

namespace tessera {

/// Source line of a kernel.
struct TraceSite {
    std::uint32_t file = 0;  ///< index into Trace::names
    std::uint32_t line = 0;
    friend constexpr auto operator<=>(const TraceSite&, const TraceSite&) = default;
};

/// Modes of a compute kernel that its times depend on.
struct ComputeModes {
    MathFidelity fidelity{};
    bool fp32_dest_acc = false;
    bool dst_full_sync = false;
    bool approximate = false;
    friend bool operator==(const ComputeModes&, const ComputeModes&) = default;
};

/// Events of one kernel thread in one launch.
struct ThreadTrace {
    Processor processor{};
    std::uint8_t default_noc = 0;
    std::uint32_t kernel = 0;      ///< index into Trace::names: path of the kernel's source
    ComputeModes compute;          ///< compute threads only
    std::vector<TraceSite> sites;  ///< element 0 means "no line": {0, 0}
    std::vector<TraceEvent> events;
    friend bool operator==(const ThreadTrace&, const ThreadTrace&) = default;
};

/// Configuration of a CB on one core.
struct CbTrace {
    std::uint8_t index = 0;
    DataFormat format = DataFormat::Invalid;
    std::uint32_t pages = 0;
    std::uint32_t page_bytes = 0;
    friend bool operator==(const CbTrace&, const CbTrace&) = default;
};

/// Threads of one core in one launch, and its circular buffers.
struct CoreTrace {
    std::uint16_t device = 0;
    CoreCoord core;                    ///< logical
    std::vector<CbTrace> cbs;          ///< by index
    std::uint32_t l1_bytes = 0;        ///< L1 taken by CBs and sharded buffers at launch
    std::vector<ThreadTrace> threads;  ///< by processor; only those with a kernel
    friend bool operator==(const CoreTrace&, const CoreTrace&) = default;
};

/// Word of L1 that is not 0 when kernels start (an initial value of CreateSemaphore).
struct InitialWord {
    std::uint16_t device = 0;
    CoreCoord core;
    std::uint32_t address = 0;
    std::uint32_t value = 0;
    friend bool operator==(const InitialWord&, const InitialWord&) = default;
};

/// Sizes of one device's program that determine its dispatch time.
struct DispatchTrace {
    std::uint16_t device = 0;
    std::uint32_t kernels = 0;  ///< kernel groups
    std::uint32_t cores = 0;
    std::uint32_t threads = 0;  ///< kernel threads over all cores
    std::uint32_t cbs = 0;      ///< CBs of the core with the most CBs
    std::uint32_t semaphores = 0;
    std::uint32_t unique_args = 0;   ///< words, over all cores and kernels
    std::uint32_t common_args = 0;   ///< words
    std::uint32_t binary_bytes = 0;  ///< machine code of the kernels; 0 if unknown
    std::uint32_t host_reads = 0;    ///< tensors that the host read back to build it
    friend bool operator==(const DispatchTrace&, const DispatchTrace&) = default;
};

/// Trace of one launch of programs on one or more devices.
struct LaunchTrace {
    std::string name;
    std::vector<DispatchTrace> dispatch;  ///< by device
    std::vector<CoreTrace> cores;         ///< by (device, y, x)
    std::vector<InitialWord> initial_words;
    friend bool operator==(const LaunchTrace&, const LaunchTrace&) = default;
};

/// Trace of a run: its launches, in order.
struct Trace {
    std::uint32_t version = 1;
    std::string arch;  ///< name of the device model that it was recorded on
    MeshSpec mesh;
    std::vector<std::string> names;  ///< files, kernels, SFPU functions and zones; the first is ""
    std::vector<LaunchTrace> launches;
};

/// Returns the number of events of all threads of a launch.
[[nodiscard]] std::uint64_t num_events(const LaunchTrace& launch) noexcept;

}  // namespace tessera
