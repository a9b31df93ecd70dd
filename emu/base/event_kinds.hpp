// SPDX-License-Identifier: Apache-2.0
// Properties of event kinds, for code that records, writes and reads traces.
#pragma once

#include <cstdint>

#include "tessera/trace_event.hpp"

namespace tessera {

/// Returns whether consecutive equal events of this kind are merged: the kinds marked "runs" in
/// EventKind.
[[nodiscard]] constexpr bool is_run(EventKind kind) noexcept {
    switch (kind) {
        case EventKind::NocMulticast:
        case EventKind::SemaphoreAdd:
        case EventKind::WordWrite:
        case EventKind::MulticastWord:
        case EventKind::MulticastAdd:
        case EventKind::LocalWord:
        case EventKind::SemaphoreWait:
        case EventKind::FabricPacket:
        case EventKind::FabricAdd:
        case EventKind::FabricWord:
        case EventKind::Instructions:
        case EventKind::ZoneBegin:
        case EventKind::ZoneEnd:
            return false;
        default:
            return true;
    }
}

/// Largest number of equal events in one trace event; longer runs take several events. A replay
/// processes a run event by event, so this bounds the replay time of an event's 16 bytes.
inline constexpr std::uint32_t kMostOfARun = 65536;

/// Returns whether the argument of events of this kind is an index into Trace::names.
[[nodiscard]] constexpr bool has_name(EventKind kind) noexcept {
    return kind == EventKind::Sfpu || kind == EventKind::ZoneBegin || kind == EventKind::ZoneEnd;
}

}  // namespace tessera
