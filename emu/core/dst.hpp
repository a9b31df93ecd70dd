// SPDX-License-Identifier: Apache-2.0
// Models the DST registers of one core and the hand-over of their halves between math and packer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tessera/arch_spec.hpp"
#include "tessera/call_site.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// Kind of the numbers in a DST tile. A cleared tile stores no values: it reads as zero, or as −inf
/// in a MAX reduce.
enum class DstContent : std::uint8_t {
    Cleared,
    Float,    ///< fp32, rounded to bf16 by every writer of a 16-bit DST
    Integer,  ///< 32-bit patterns
};

/// DST registers of one compute kernel. Math fills one half while the packer empties the other
/// half. In full sync there is one section, which both use in turn.
///
/// Capacity 16 tiles in full sync, 8 in half sync; halved again by fp32_dest_acc_en (DstSpec).
/// Order    One fiber runs unpack, math and pack in program order. `wait` therefore never blocks
///          and may precede the commit that it waits for; a call that would block for ever is
///          refused.
/// Errors   KernelFault{UndefinedBehavior} naming the state for an order the chip does not allow,
///          {Unsupported} for one that only three separate threads can run, {OutOfBounds} beyond
///          the capacity.
/// Source   tt-metal tile_regs_*; tt-isa-documentation Dst, ZEROACC.
class Dst {
public:
    /// Errors   InternalError for a DST of more than 16 tiles.
    Dst(const ComputeConfig& config, const DstSpec& spec);

    [[nodiscard]] std::uint32_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] bool is_32bit() const noexcept { return is_32bit_; }
    [[nodiscard]] bool is_full_sync() const noexcept { return num_halves_ == 1; }

    /// Return whether the call changed the state. A call out of order changes nothing on the chip:
    /// its condition already holds, and the thread keeps its half.
    bool acquire(CallSite site);
    bool commit(CallSite site);
    bool wait(CallSite site);
    /// Clears the packer's half and releases it to math. Returns as acquire().
    bool release(CallSite site);
    /// Checks at the end of a kernel that the packer has released the committed section. The next
    /// kernel waits for that release when it starts.
    /// Errors   KernelFault{UndefinedBehavior} at the commit.
    /// Source   tt-llk _llk_math_pack_sync_init_.
    void require_released() const;
    /// Checks that neither math nor packer holds a section, for calls that acquire and release DST
    /// themselves.
    /// Errors   KernelFault{UndefinedBehavior} naming the state.
    void require_idle(const char* call, CallSite site) const;

    /// Returns a tile of math's half that an operation overwrites in full; its values are
    /// undefined.
    [[nodiscard]] float* overwrite(std::uint32_t index, const char* call, CallSite site,
                                   DstContent content = DstContent::Float) {
        const std::uint32_t slot = math_slot(index, call, site);
        contents_[slot] = content;
        return tile(slot);
    }
    /// Returns a tile of math's half that an operation reads and changes; zeros if it was cleared.
    [[nodiscard]] float* update(std::uint32_t index, const char* call, CallSite site,
                                DstContent content = DstContent::Float) {
        const std::uint32_t slot = math_slot(index, call, site);
        if (contents_[slot] != content) [[unlikely]] {
            change_content(slot, index, content, call, site);
        }
        return tile(slot);
    }
    /// Returns a tile of math's half whose bits count as `content` from now on; zeros if it was
    /// cleared.
    [[nodiscard]] float* retag(std::uint32_t index, const char* call, CallSite site,
                               DstContent content) {
        const std::uint32_t slot = math_slot(index, call, site);
        zero_if_cleared(slot);
        contents_[slot] = content;
        return tile(slot);
    }
    /// Returns the first of `count` tiles from `index` on, which are adjacent in memory, after
    /// update() of each.
    [[nodiscard]] float* update_block(std::uint32_t index, std::uint32_t count, const char* call,
                                      CallSite site, DstContent content = DstContent::Float);
    /// Returns the content of a tile of math's half.
    [[nodiscard]] DstContent content(std::uint32_t index, const char* call, CallSite site) {
        return contents_[math_slot(index, call, site)];
    }

    /// Returns a tile of the packer's half; zeros if it was cleared.
    [[nodiscard]] const float* packed(std::uint32_t index, const char* call, CallSite site);
    [[nodiscard]] DstContent packed_content(std::uint32_t index) const noexcept {
        return contents_[pack_half_ * capacity_ + index];
    }

private:
    static constexpr std::size_t kMaxTiles = 16;
    enum class Section : std::uint8_t { Free, Acquired, Committed };
    struct FreeBytes {
        void operator()(float* bytes) const noexcept;
    };

    [[nodiscard]] float* tile(std::uint32_t slot) const noexcept {
        return tiles_.get() + std::size_t{slot} * kTileElements;
    }
    [[nodiscard]] std::uint32_t math_slot(std::uint32_t index, const char* call, CallSite site) {
        if (sections_[math_half_] != Section::Acquired || index >= capacity_) [[unlikely]] {
            check_math(index, call, site);
        }
        const std::uint32_t slot = math_half_ * capacity_ + index;
        if ((packed_slots_ >> slot & 1U) != 0) [[unlikely]] {
            refuse_late_math(index, call, site);
        }
        return slot;
    }
    void change_content(std::uint32_t slot, std::uint32_t index, DstContent content,
                        const char* call, CallSite site);
    void zero_if_cleared(std::uint32_t slot);
    [[nodiscard]] std::uint32_t other(std::uint32_t half) const noexcept {
        return num_halves_ == 2 ? 1 - half : 0;
    }
    [[nodiscard]] static const char* name_of(Section section) noexcept;
    /// Checks that math has acquired its half and that `index` is below the capacity.
    /// Errors   KernelFault{UndefinedBehavior} for a committed half, and for a free one under
    ///          strict rules; {OutOfBounds}.
    void check_math(std::uint32_t index, const char* call, CallSite site) const;
    [[noreturn]] void refuse_late_math(std::uint32_t index, const char* call, CallSite site) const;

    bool is_32bit_;
    std::uint32_t num_halves_;
    std::uint32_t capacity_;
    std::uint32_t math_half_ = 0;
    std::uint32_t pack_half_ = 0;
    bool packer_has_waited_ = false;
    std::uint32_t packed_slots_ = 0;  ///< bit i: slot i was packed since its section was acquired
    std::array<Section, 2> sections_{};
    std::array<CallSite, 2> commits_{};  ///< source position of each half's last commit
    std::array<DstContent, kMaxTiles> contents_{};
    std::unique_ptr<float[], FreeBytes> tiles_;  ///< update() zeroes the cleared ones
};

}  // namespace tessera
