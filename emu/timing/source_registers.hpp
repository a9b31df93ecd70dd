// SPDX-License-Identifier: Apache-2.0
// SrcA and SrcB between unpack and math: two sets, one filled while the other is worked off.
#pragma once

#include <array>
#include <cstdint>

#include "tessera/timeline.hpp"

namespace tessera::timing {

class SourceRegisters {
public:
    static constexpr std::uint64_t kSets = 2;

    struct Mark {
        Millicycles time = 0;
        std::uint16_t site = 0;
    };

    /// Sets filled and not yet worked off.
    [[nodiscard]] std::uint64_t num_full() const noexcept { return filled_ - used_; }

    void fill(Mark mark) noexcept { full_since_[filled_++ % kSets] = mark; }
    void use(Mark mark) noexcept { free_since_[used_++ % kSets] = mark; }

    /// When the set that math works off next was filled. Precondition   num_full() > 0.
    [[nodiscard]] Mark full_since() const noexcept { return full_since_[used_ % kSets]; }
    /// When the set that unpack fills next was given back. Precondition   num_full() < kSets.
    [[nodiscard]] Mark free_since() const noexcept { return free_since_[filled_ % kSets]; }
    /// When math was last done with a set. Precondition   num_full() == 0.
    [[nodiscard]] Mark all_free_since() const noexcept {
        return used_ == 0 ? Mark{} : free_since_[(used_ - 1) % kSets];
    }

private:
    std::uint64_t filled_ = 0;
    std::uint64_t used_ = 0;
    std::array<Mark, kSets> full_since_{};
    std::array<Mark, kSets> free_since_{};
};

}  // namespace tessera::timing
