// SPDX-License-Identifier: Apache-2.0
// SrcA and SrcB between unpack and math: two sets, one filled while the other is consumed.
// Source   tt-isa-documentation, SrcA and SrcB have two banks each.
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

    /// Returns the number of sets that are filled and not consumed.
    [[nodiscard]] std::uint64_t num_full() const noexcept { return filled_ - used_; }

    void fill(Mark mark) noexcept { full_since_[filled_++ % kSets] = mark; }
    void use(Mark mark) noexcept { free_since_[used_++ % kSets] = mark; }

    /// Returns when the set that math consumes next was filled.
    /// Precondition   num_full() > 0.
    [[nodiscard]] Mark full_since() const noexcept { return full_since_[used_ % kSets]; }
    /// Returns when the set that unpack fills next was freed.
    /// Precondition   num_full() < kSets.
    [[nodiscard]] Mark free_since() const noexcept { return free_since_[filled_ % kSets]; }
    /// Returns when math last freed a set.
    /// Precondition   num_full() == 0.
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
