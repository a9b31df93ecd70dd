// SPDX-License-Identifier: Apache-2.0
// Which of unpack, math and pack an event of a compute kernel concerns; the others skip it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tessera/timeline.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

/// Precondition   one of a compute kernel's threads.
[[nodiscard]] constexpr unsigned bit_of(TimelineThread thread) noexcept {
    return 1U << (static_cast<unsigned>(thread) - static_cast<unsigned>(TimelineThread::Unpack));
}

/// Bits of the threads of a compute kernel that an event of this kind concerns.
[[nodiscard]] constexpr unsigned threads_of(EventKind kind) noexcept {
    constexpr unsigned kUnpack = bit_of(TimelineThread::Unpack);
    constexpr unsigned kMath = bit_of(TimelineThread::Math);
    constexpr unsigned kPack = bit_of(TimelineThread::Pack);
    switch (kind) {
        case EventKind::CbWait:
        case EventKind::CbPop:
            return kUnpack;
        case EventKind::CbReserve:
        case EventKind::CbPush:
        case EventKind::Pack:
        case EventKind::PackUntilize:
        case EventKind::DstWait:
        case EventKind::DstRelease:
            return kPack;
        case EventKind::Sfpu:
        case EventKind::DstAcquire:
        case EventKind::DstCommit:
            return kMath;
        case EventKind::MatmulTiles:
        case EventKind::MatmulBlock:
        case EventKind::Copy:
        case EventKind::EltwiseBinary:
        case EventKind::Reduce:
        case EventKind::Transpose:
        case EventKind::Tilize:
        case EventKind::Untilize:
            return kUnpack | kMath;
        case EventKind::UnitInit:
        case EventKind::ZoneBegin:
        case EventKind::ZoneEnd:
            return kUnpack | kMath | kPack;
        default:
            return 0;
    }
}

/// threads_of() by kind.
inline constexpr auto kThreadsOf = [] {
    std::array<std::uint8_t, static_cast<std::size_t>(EventKind::ZoneEnd) + 1> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = static_cast<std::uint8_t>(threads_of(static_cast<EventKind>(i)));
    }
    return table;
}();

}  // namespace tessera::timing
