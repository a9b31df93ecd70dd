// SPDX-License-Identifier: Apache-2.0
// Behaviour that a chip tolerates (docs/emulation.md lists each kind and the chip's response).
// Strict rules refuse it. Other rules execute it and note one finding for each line and kind.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emu/core/fault.hpp"
#include "tessera/findings.hpp"

namespace tessera {

class KernelThread;

/// Kinds of tolerated behaviour; tolerated.cpp has a row for each.
enum class Tolerated : std::uint8_t {
    TileNotAwaited,
    TilePastEnd,
    PackNotReserved,
    IntegerInNarrowDst,
    NocAlignment,
    InFlightAtEnd,
    DstOrder,
    PagesNotReserved,
    PagesNotAwaited,
    DramOutsideTensors,
    ArgumentPastEnd,
    PushedBeforeArrival,
    SemaphoreOutside,
    FirmwareWritten,
    OtherPageSize,
    DstNotWritten,  ///< strict rules accept it: the packer reads zeros
};

/// Behaviour of one kind that one thread showed at one line.
struct ThreadFinding {
    Tolerated kind;
    CallSite site;
    std::string call;
    std::string detail;
    std::uint64_t num_calls = 0;
};

/// Returns the name as reports print it: "pack_not_reserved".
[[nodiscard]] const char* name_of(Tolerated kind) noexcept;
/// Returns whether such behaviour makes the counts of CB pages or the states of DST inconsistent,
/// so that a replay of the launch may wait for ever.
[[nodiscard]] bool may_stall_a_replay(Tolerated kind) noexcept;
[[nodiscard]] bool may_stall_a_replay(std::string_view name) noexcept;
/// Returns the part of a sentence that follows the call: "into a page that was not reserved".
[[nodiscard]] const char* words_of(Tolerated kind) noexcept;

/// Returns whether the thread already has a finding of the kind at the line, and counts the call in
/// it.
[[nodiscard]] bool is_noted(KernelThread& thread, Tolerated kind, const CallSite& site);
/// Adds a finding to the thread.
void note_finding(KernelThread& thread, ThreadFinding finding);
/// Returns whether the launch of the thread runs under ChipRules::Strict.
[[nodiscard]] bool is_strict(const KernelThread& thread) noexcept;

/// Throws KernelFault under strict rules. Otherwise notes a finding for `call` and returns.
template <class... Args>
void tolerate(KernelThread& thread, Tolerated kind, FaultCategory category, const CallSite& site,
              const char* call, fmt::format_string<Args...> format, Args&&... args) {
    if (is_strict(thread)) {
        fault(category, site, format, std::forward<Args>(args)...);
    }
    if (!is_noted(thread, kind, site)) {
        note_finding(thread,
                     {kind, site, call, fmt::format(format, std::forward<Args>(args)...), 1});
    }
}

}  // namespace tessera
