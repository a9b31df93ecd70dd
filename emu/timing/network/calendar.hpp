// SPDX-License-Identifier: Apache-2.0
// When a resource is taken. Packets ask for it ahead of their arrival by the latency of their way,
// so one from near may find room before one from far.
#pragma once

#include <array>
#include <cstddef>

#include "tessera/timeline.hpp"

namespace tessera::timing {

class Calendar {
public:
    /// From then on nothing is taken.
    [[nodiscard]] Millicycles free() const noexcept { return free_; }

    /// The first moment from `begin` on that leaves room for `duration`.
    [[nodiscard]] Millicycles earliest(Millicycles begin, Millicycles duration) const noexcept {
        if (begin >= free_) {
            return begin;
        }
        Millicycles first = free_;
        if (begin + duration > last_gap_) {
            return first;
        }
        for (const Gap& gap : gaps_) {
            const Millicycles at = begin > gap.begin ? begin : gap.begin;
            first = at + duration <= gap.end && at < first ? at : first;
        }
        return first;
    }

    /// Preconditions   there is room, or begin + duration is not below free(): what overlaps is
    /// lost.
    void take(Millicycles begin, Millicycles duration) noexcept {
        if (begin >= free_) {
            if (begin > free_) {
                remember({free_, begin});
            }
            free_ = begin + duration;
            return;
        }
        const Gap* gap = gap_for(begin, duration);
        if (gap == nullptr) {
            free_ = free_ > begin + duration ? free_ : begin + duration;
            return;
        }
        split(gaps_[static_cast<std::size_t>(gap - gaps_.data())], begin, duration);
    }

    /// Takes the first moment from `begin` on that leaves room. Returns it. Room that it leaves in
    /// front and that is too small for another of its kind is not given away again.
    Millicycles take_first(Millicycles begin, Millicycles duration) noexcept {
        if (begin + duration <= last_gap_) {
            return take_from_gaps(begin, duration);
        }
        if (begin >= free_ + duration) {
            remember({free_, begin});
        }
        free_ = begin > free_ ? begin : free_;
        const Millicycles first = free_;
        free_ += duration;
        return first;
    }

private:
    struct Gap {
        Millicycles begin = 0;
        Millicycles end = 0;
    };

    Millicycles take_from_gaps(Millicycles begin, Millicycles duration) noexcept {
        Millicycles first = free_;
        std::size_t taken = kGaps;
        for (std::size_t i = 0; i < kGaps; ++i) {
            const Millicycles at = begin > gaps_[i].begin ? begin : gaps_[i].begin;
            const bool is_earlier = at + duration <= gaps_[i].end && at < first;
            first = is_earlier ? at : first;
            taken = is_earlier ? i : taken;
        }
        if (taken == kGaps) {
            free_ += duration;
        } else {
            split(gaps_[taken], first, duration);
        }
        return first;
    }
    void split(Gap& gap, Millicycles begin, Millicycles duration) noexcept {
        const Gap before{gap.begin, begin};
        gap.begin = begin + duration;
        if (before.end > before.begin) {
            remember(before);
        }
    }
    [[nodiscard]] const Gap* gap_for(Millicycles begin, Millicycles duration) const noexcept {
        if (begin + duration > last_gap_) {
            return nullptr;
        }
        for (const Gap& gap : gaps_) {
            if (begin >= gap.begin && begin + duration <= gap.end) {
                return &gap;
            }
        }
        return nullptr;
    }
    /// Forgets the gap that ends first: time has most likely passed it.
    void remember(Gap gap) noexcept {
        std::size_t oldest = 0;
        for (std::size_t i = 1; i < gaps_.size(); ++i) {
            oldest = gaps_[i].end < gaps_[oldest].end ? i : oldest;
        }
        if (gaps_[oldest].end < gap.end) {
            gaps_[oldest] = gap;
            last_gap_ = last_gap_ > gap.end ? last_gap_ : gap.end;
        }
    }

    static constexpr std::size_t kGaps = 4;
    Millicycles free_ = 0;
    Millicycles last_gap_ = 0;  ///< end of the last gap, not behind `free_`
    std::array<Gap, kGaps> gaps_{};
};

}  // namespace tessera::timing
