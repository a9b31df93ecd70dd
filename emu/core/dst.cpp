// SPDX-License-Identifier: Apache-2.0
#include "emu/core/dst.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "emu/core/kernel_thread.hpp"
#include "emu/core/tolerated.hpp"

namespace tessera {
namespace {

constexpr std::align_val_t kAlignment{64};

}  // namespace

void Dst::FreeBytes::operator()(float* bytes) const noexcept {
    ::operator delete[](bytes, kAlignment);
}

Dst::Dst(const ComputeConfig& config, const DstSpec& spec)
    : is_32bit_(config.fp32_dest_acc_en),
      num_halves_(config.dst_full_sync_en ? 1 : 2),
      capacity_((is_32bit_ ? spec.tiles_32bit : spec.tiles_16bit) / num_halves_) {
    const std::size_t num_tiles = std::size_t{num_halves_} * capacity_;
    ensure(num_tiles != 0 && num_tiles <= kMaxTiles, "a DST of {} tiles, 1 to {} are possible",
           num_tiles, kMaxTiles);
    tiles_.reset(static_cast<float*>(
        ::operator new[](num_tiles* kTileElements * sizeof(float), kAlignment)));
}

const char* Dst::name_of(Section section) noexcept {
    switch (section) {
        case Section::Free:
            return "free";
        case Section::Acquired:
            return "acquired";
        case Section::Committed:
            return "committed";
    }
    return "?";
}

bool Dst::acquire(CallSite site) {
    Section& section = sections_[math_half_];
    if (section == Section::Acquired) {
        // The chip's math thread finds a free half and goes on with the one that it has.
        tolerate(current_thread(), Tolerated::DstOrder, FaultCategory::UndefinedBehavior, site,
                 "tile_regs_acquire",
                 "tile_regs_acquire: DST is acquired already, tile_regs_commit is missing");
        return false;
    }
    if (section == Section::Committed) {
        fault(FaultCategory::UndefinedBehavior, site,
              "tile_regs_acquire: {} of DST committed and not released: tile_regs_release is "
              "missing before it (a later one cannot be waited for: unpack, math and pack run in "
              "program order)",
              num_halves_ == 2 ? "both halves" : "all (full sync)");
    }
    section = Section::Acquired;
    return true;
}

bool Dst::commit(CallSite site) {
    if (sections_[math_half_] != Section::Acquired) {
        constexpr const char* kNotAcquired =
            "tile_regs_commit: DST is {}, tile_regs_acquire is missing";
        if (sections_[math_half_] != Section::Free) {
            fault(FaultCategory::UndefinedBehavior, site, kNotAcquired,
                  name_of(sections_[math_half_]));
        }
        tolerate(current_thread(), Tolerated::DstOrder, FaultCategory::UndefinedBehavior, site,
                 "tile_regs_commit", kNotAcquired, name_of(Section::Free));
        return false;
    }
    sections_[math_half_] = Section::Committed;
    commits_[math_half_] = site;
    math_half_ = other(math_half_);
    return true;
}

bool Dst::wait(CallSite /*site*/) {
    return !std::exchange(packer_has_waited_, true);
}

bool Dst::release(CallSite site) {
    const Section section = sections_[pack_half_];
    if (!packer_has_waited_ || section == Section::Free) {
        tolerate(current_thread(), Tolerated::DstOrder, FaultCategory::UndefinedBehavior, site,
                 "tile_regs_release", "tile_regs_release: DST is {}, {} is missing",
                 name_of(section),
                 section == Section::Free ? "tile_regs_acquire" : "tile_regs_wait");
        if (section == Section::Free) {
            return false;
        }
    }
    if (section == Section::Acquired) {
        fault(FaultCategory::UndefinedBehavior, site,
              "tile_regs_release: DST is acquired, not committed: tile_regs_commit is missing "
              "before it (a later one cannot be waited for: unpack, math and pack run in program "
              "order)");
    }
    // The chip clears the half as it is released (ZEROACC). Marked here, not written: most tiles
    // are overwritten next and never need their zeros.
    sections_[pack_half_] = Section::Free;
    packer_has_waited_ = false;
    const std::uint32_t first = pack_half_ * capacity_;
    std::fill_n(contents_.begin() + first, capacity_, DstContent::Cleared);
    packed_slots_ &= ~(((1U << capacity_) - 1U) << first);
    pack_half_ = other(pack_half_);
    return true;
}

void Dst::require_released() const {
    if (sections_[pack_half_] == Section::Committed) {
        fault(FaultCategory::UndefinedBehavior, commits_[pack_half_],
              "the kernel ends with DST committed and not released: tile_regs_release is missing");
    }
}

void Dst::require_idle(const char* call, CallSite site) const {
    for (const Section section : sections_) {
        if (section != Section::Free) {
            fault(FaultCategory::UndefinedBehavior, site,
                  "{} acquires and releases DST itself, but DST is {}; allowed: calls outside of "
                  "tile_regs_acquire and tile_regs_release",
                  call, name_of(section));
        }
    }
}

float* Dst::update_block(std::uint32_t index, std::uint32_t count, const char* call, CallSite site,
                         DstContent content) {
    // Last to first, so that the first one's address is what comes back; a refusal names the
    // highest.
    for (std::uint32_t i = index + count; i-- > index + 1;) {
        static_cast<void>(update(i, call, site, content));
    }
    return update(index, call, site, content);
}

const float* Dst::packed(std::uint32_t index, const char* call, CallSite site) {
    const Section section = sections_[pack_half_];
    if (!packer_has_waited_ || section == Section::Free) {
        // The packer reads what its half holds.
        tolerate(current_thread(), Tolerated::DstOrder, FaultCategory::UndefinedBehavior, site,
                 call,
                 "{} reads DST, which the packer may do between tile_regs_wait and "
                 "tile_regs_release only (DST is {}{})",
                 call, name_of(section), packer_has_waited_ ? "" : ", not waited for");
    }
    if (index >= capacity_) {
        fault(FaultCategory::OutOfBounds, site, "{}: DST tile {} of {}", call, index, capacity_);
    }
    const std::uint32_t slot = pack_half_ * capacity_ + index;
    zero_if_cleared(slot);
    packed_slots_ |= 1U << slot;
    return tile(slot);
}

void Dst::zero_if_cleared(std::uint32_t slot) {
    if (contents_[slot] == DstContent::Cleared) {
        std::fill_n(tile(slot), kTileElements, 0.0F);
    }
}

void Dst::change_content(std::uint32_t slot, std::uint32_t index, DstContent content,
                         const char* call, CallSite site) {
    // On the chip the bits would be taken for the other kind without a word.
    if (contents_[slot] != DstContent::Cleared) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}: DST tile {} holds {}, not {}; typecast_tile converts", call, index,
              contents_[slot] == DstContent::Integer ? "integers" : "floats",
              content == DstContent::Integer ? "integers" : "floats");
    }
    zero_if_cleared(slot);
    contents_[slot] = content;
}

void Dst::check_math(std::uint32_t index, const char* call, CallSite site) const {
    if (sections_[math_half_] != Section::Acquired) {
        constexpr const char* kNotAcquired =
            "{} writes DST, which math may do between tile_regs_acquire and tile_regs_commit only "
            "(DST is {})";
        if (sections_[math_half_] != Section::Free) {
            fault(FaultCategory::UndefinedBehavior, site, kNotAcquired, call,
                  name_of(sections_[math_half_]));
        }
        // Math writes its half, even if another unit owns it.
        tolerate(current_thread(), Tolerated::DstOrder, FaultCategory::UndefinedBehavior, site,
                 call, kNotAcquired, call, name_of(Section::Free));
    }
    if (index < capacity_) {
        return;
    }
    fault(FaultCategory::OutOfBounds, site, "{}: DST tile {} of {} ({}-bit DST, {} sync)", call,
          index, capacity_, is_32bit_ ? 32 : 16, num_halves_ == 2 ? "half" : "full");
}

void Dst::refuse_late_math(std::uint32_t index, const char* call, CallSite site) const {
    fault(FaultCategory::UndefinedBehavior, site,
          "{} changes DST tile {} after it was packed: on the chip packing begins after "
          "tile_regs_commit and would take the later value",
          call, index);
}

}  // namespace tessera
