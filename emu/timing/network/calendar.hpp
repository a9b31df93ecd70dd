// SPDX-License-Identifier: Apache-2.0
// Bookings of one resource's time. Packets book a link before they arrive there, in any order,
// which leaves many short gaps. Lists of gaps were tried: four gaps were too few, longer lists too
// slow. Therefore time is divided into slices, and each slice has only the sum of its bookings.
// That fits the chip, where flits of several packets share a link cycle by cycle.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "tessera/timeline.hpp"

namespace tessera::timing {

/// Calendar of one resource, which serves one packet at a time.
class Calendar {
public:
    static constexpr Millicycles kNever = -1;

    /// Returns the first time from `begin` on at which a packet of `duration` can pass.
    [[nodiscard]] Millicycles earliest(Millicycles begin, Millicycles duration) const noexcept {
        return begin >= end_ ? begin : fit(begin, duration);
    }
    /// Books that time and returns it. If it is later than `limit`, books nothing and returns
    /// kNever.
    Millicycles book_within(Millicycles begin, Millicycles duration, Millicycles limit) noexcept {
        if (begin >= end_) {
            append(begin, duration);
            return begin;
        }
        return book_between(begin, duration, limit);
    }
    /// Books `duration` from `begin` on.
    void book(Millicycles begin, Millicycles duration) noexcept {
        if (begin >= end_) {
            return append(begin, duration);
        }
        take(begin, duration);
        end_ = std::max(end_, begin + duration);
    }
    /// Returns the end of the last booking.
    [[nodiscard]] Millicycles free() const noexcept { return end_; }

private:
    static constexpr unsigned kSliceBits = 15;  ///< about 32 cycles; packets take up to nine slices
    static constexpr Millicycles kSlice = Millicycles{1} << kSliceBits;
    static constexpr std::int64_t kSlices = 32;

    /// Precondition   slice ≥ 0.
    [[nodiscard]] static std::size_t place_of(std::int64_t slice) noexcept {
        return static_cast<std::uint64_t>(slice) % kSlices;  // unsigned: a mask of bits
    }
    [[nodiscard]] Millicycles taken(std::int64_t slice) const noexcept {
        return slice >= begin_ + kSlices ? 0 : taken_[place_of(slice)];
    }
    /// Distributes `duration` over the slices from `begin` on, as much in each as is free. Calls
    /// `visit(slice, part)` for each slice that takes a part. Returns the end of the last part.
    template <class Visit>
    Millicycles place(Millicycles begin, Millicycles duration, Visit visit) const noexcept {
        // Time before the oldest slice counts as full.
        Millicycles at = std::max(begin, begin_ << kSliceBits);
        bool is_pushed = at > begin;
        while (true) {
            const std::int64_t slice = at >> kSliceBits;
            const Millicycles end = (slice + 1) << kSliceBits;
            const Millicycles used = taken(slice);
            const Millicycles room = kSlice - used;
            const Millicycles wanted = std::min(duration, end - at);
            const Millicycles part = std::min(wanted, room);
            if (part > 0) {
                visit(slice, part);
            }
            is_pushed = is_pushed || part < wanted;
            duration -= part;
            if (duration == 0) {
                return is_pushed ? std::max(at + part, end - kSlice + used + part) : at + part;
            }
            at = end;
        }
    }
    /// Returns the begin of a packet without a gap that ends when the distributed one ends.
    [[nodiscard]] Millicycles fit(Millicycles begin, Millicycles duration) const noexcept {
        const Millicycles end = place(begin, duration, [](std::int64_t, Millicycles) {});
        return std::max(begin, end - duration);
    }
    /// As book_within(), if there are bookings after `begin`. Not inlined: its loops would take the
    /// registers that the hop loop needs for packets on free links.
    [[gnu::noinline]] Millicycles book_between(Millicycles begin, Millicycles duration,
                                               Millicycles limit) noexcept {
        const Millicycles first = fit(begin, duration);
        if (first > limit) {
            return kNever;
        }
        take(begin, duration);
        end_ = std::max(end_, first + duration);
        return first;
    }
    /// Books after all other bookings. Slices after the newest are empty, so nearly always each
    /// slice has room: nothing overflows into the next one, and new slices are set, not added to.
    void append(Millicycles begin, Millicycles duration) noexcept {
        const std::int64_t first = begin >> kSliceBits;
        const std::int64_t newest = begin_ + kSlices - 1;
        const Millicycles in_first = std::min(duration, ((first + 1) << kSliceBits) - begin);
        end_ = begin + duration;
        if (first > newest) {
            clear(newest + 1, first);
            taken_[place_of(first)] = static_cast<std::uint16_t>(in_first);
        } else if (first == newest && taken_[place_of(first)] + in_first <= kSlice) {
            add(first, in_first);
        } else {
            return take(begin, duration);
        }
        std::int64_t last = first;
        for (Millicycles rest = duration - in_first; rest > 0; rest -= kSlice) {
            taken_[place_of(++last)] = static_cast<std::uint16_t>(std::min(rest, kSlice));
        }
        begin_ = last - kSlices + 1;
    }
    void clear(std::int64_t begin, std::int64_t end) noexcept {
        if (end - begin >= kSlices) {
            taken_ = {};
            return;
        }
        for (std::int64_t slice = begin; slice < end; ++slice) {
            taken_[place_of(slice)] = 0;
        }
    }
    void add(std::int64_t slice, Millicycles part) noexcept {
        std::uint16_t& of_slice = taken_[place_of(slice)];
        of_slice = static_cast<std::uint16_t>(of_slice + part);
    }
    void take(Millicycles begin, Millicycles duration) noexcept {
        place(begin, duration, [this](std::int64_t slice, Millicycles part) {
            turn_to(slice);
            add(slice, part);
        });
    }
    /// Drops the oldest slices, so that `slice` has a place.
    void turn_to(std::int64_t slice) noexcept {
        const std::int64_t first = slice - kSlices + 1;
        if (first <= begin_) {
            return;
        }
        clear(begin_, first);
        begin_ = first;
    }

    Millicycles end_ = 0;
    std::int64_t begin_ = 0;  ///< oldest slice that is kept
    std::array<std::uint16_t, kSlices>
        taken_{};  ///< time taken in each slice; 64 B, one cache line
};

}  // namespace tessera::timing
