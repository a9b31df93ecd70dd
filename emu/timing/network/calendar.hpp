// SPDX-License-Identifier: Apache-2.0
// Books the times of one resource. Packets ask for it ahead of their arrival by the latency of
// their route, so one from near may find a gap in front of one from far.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tessera/timeline.hpp"

namespace tessera::timing {

class Calendar {
public:
    /// Returns the end of the last booking.
    [[nodiscard]] Millicycles free() const noexcept { return free_; }

    /// Returns the first moment from `begin` on at which the resource is free for `duration`.
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

    /// Books `duration` from `begin` on.
    /// Preconditions   the resource is free then, or begin + duration is not below free(): what
    ///                 overlaps is lost.
    void book(Millicycles begin, Millicycles duration) noexcept {
        if (begin >= free_) {
            if (begin > free_) {
                append({free_, begin});
            }
            free_ = begin + duration;
            return;
        }
        Gap* gap = gap_for(begin, duration);
        if (gap == nullptr) {
            free_ = free_ > begin + duration ? free_ : begin + duration;
            return;
        }
        split(*gap, begin, duration);
    }

    /// Books the first moment from `begin` on at which the resource is free, and returns it. A gap
    /// that it leaves in front and that is too short for another of its kind is dropped: with gaps
    /// kept, every packet would search four that it does not fit.
    Millicycles book_first(Millicycles begin, Millicycles duration) noexcept {
        if (begin + duration <= last_gap_) {
            return book_in_gap(begin, duration);
        }
        const Millicycles first = begin > free_ ? begin : free_;
        if (begin - free_ >= duration) {
            append({free_, begin});
        }
        free_ = first + duration;
        return first;
    }

private:
    struct Gap {
        Millicycles begin = 0;
        Millicycles end = 0;
    };

    Millicycles book_in_gap(Millicycles begin, Millicycles duration) noexcept {
        Millicycles first = free_;
        Gap* taken = nullptr;
        for (Gap& gap : gaps_) {
            const Millicycles at = begin > gap.begin ? begin : gap.begin;
            const bool is_earlier = at + duration <= gap.end && at < first;
            first = is_earlier ? at : first;
            taken = is_earlier ? &gap : taken;
        }
        if (taken == nullptr) {
            free_ += duration;
        } else {
            split(*taken, first, duration);
        }
        return first;
    }
    void split(Gap& gap, Millicycles begin, Millicycles duration) noexcept {
        const Gap before{gap.begin, begin};
        gap.begin = begin + duration;
        if (before.end > before.begin) {
            insert(before);
        }
    }
    [[nodiscard]] Gap* gap_for(Millicycles begin, Millicycles duration) noexcept {
        if (begin + duration > last_gap_) {
            return nullptr;
        }
        for (Gap& gap : gaps_) {
            if (begin >= gap.begin && begin + duration <= gap.end) {
                return &gap;
            }
        }
        return nullptr;
    }
    /// Keeps the gap that ends last in place of the one that ends first: time has most likely
    /// passed that one.
    void append(Gap gap) noexcept {
        gaps_[oldest_] = gap;
        oldest_ = (oldest_ + 1) % kGaps;
        last_gap_ = gap.end;
    }
    /// Keeps a gap in front of another.
    void insert(Gap gap) noexcept {
        if (gaps_[oldest_].end >= gap.end) {
            return;
        }
        std::size_t place = oldest_;
        for (std::size_t i = 1; i < kGaps; ++i) {
            const std::size_t next = (oldest_ + i) % kGaps;
            if (gaps_[next].end >= gap.end) {
                break;
            }
            gaps_[place] = gaps_[next];
            place = next;
        }
        gaps_[place] = gap;
    }

    static constexpr std::uint32_t kGaps = 4;  ///< with `free_` and the rest two cache lines
    Millicycles free_ = 0;
    Millicycles last_gap_ = 0;  ///< end of the last gap, not behind `free_`
    std::uint32_t oldest_ = 0;  ///< the gap that ends first; those behind it, around, end later
    std::array<Gap, kGaps> gaps_{};
};

}  // namespace tessera::timing
