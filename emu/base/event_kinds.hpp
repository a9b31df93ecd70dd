// SPDX-License-Identifier: Apache-2.0
// What kinds of event have in common, for those who record, write and read traces.
#pragma once

#include <cstdint>

#include "tessera/trace_event.hpp"

namespace tessera {

/// Whether equal events of this kind in a row are merged: the kinds that EventKind marks "runs".
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

/// Most equal events that one event stands for; more of them take several events. A replay works
/// through a run event by event, so this bounds what the 16 bytes of an event in a file may cost.
inline constexpr std::uint32_t kMostOfARun = 65536;

/// Whether the argument of events of this kind is an index into Trace::names.
[[nodiscard]] constexpr bool has_name(EventKind kind) noexcept {
    return kind == EventKind::Sfpu || kind == EventKind::ZoneBegin || kind == EventKind::ZoneEnd;
}

}  // namespace tessera
