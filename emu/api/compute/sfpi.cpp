// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <utility>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/api/compute/unpacker.hpp"
#include "tessera/kernel/compute/sfpi_lanes.hpp"

namespace tessera::kernel {
namespace {

constexpr const char* kVectors = "an sfpi vector";
constexpr std::uint32_t kVectorsPerTile = kTileElements / kLanes;
constexpr std::uint32_t kVectorsPerFace = kFaceElements / kLanes;
static_assert(kTileElements % kLanes == 0 && kFaceElements % kLanes == 0);

// Most operators of sfpi have no call site, so that errors name the last call before them. An index
// of dst_reg has its own.
CallSite site_of_vectors() {
    return current_thread().last_call;
}

ComputeState& units_of_vectors() {
    return current_units(kVectors, site_of_vectors());
}

VectorRegisters& vector_registers() {
    return units_of_vectors().vector_registers;
}

// A tile of DST has 64 rows of 16 values, face by face. A vector has every second column of four.
constexpr std::uint32_t element_of(std::uint32_t vector, std::uint32_t lane) {
    constexpr std::uint32_t kRows = 4;
    constexpr std::uint32_t kColumns = 16;
    constexpr std::uint32_t kLanesPerRow = kLanes / kRows;
    const std::uint32_t row = kRows * (vector / 2) + lane / kLanesPerRow;
    return kColumns * row + 2 * (lane % kLanesPerRow) + vector % 2;
}

struct VectorPlace {
    std::uint32_t tile;
    std::uint32_t vector;
};
VectorPlace place_of(const ComputeState& units, std::int32_t index, CallSite site) {
    // The vector at dst_reg[0]; dst_reg += −1 may lead before DST.
    const std::int64_t first = static_cast<std::int32_t>(units.vector_registers.first_vector);
    const std::int64_t at = first + index;
    const std::int64_t num_vectors = std::int64_t{units.dst.capacity()} * kVectorsPerTile;
    if (at < 0 || at >= num_vectors) [[unlikely]] {
        const std::string moved =
            first == 0 ? "" : fmt::format("; dst_reg[0] is vector {} here", first);
        fault(FaultCategory::OutOfBounds, site,
              "dst_reg[{}] is outside of DST; allowed: {} to {} ({} tiles of {} vectors{})", index,
              -first, num_vectors - 1 - first, units.dst.capacity(), kVectorsPerTile, moved);
    }
    return {static_cast<std::uint32_t>(at) / kVectorsPerTile,
            static_cast<std::uint32_t>(at) % kVectorsPerTile};
}

// Only the upper half of a float reaches a 16-bit DST; integers keep what copy_tile keeps.
std::uint32_t stored(const Dst& dst, LaneNumbers numbers, std::uint32_t word) {
    const bool is_cut = !dst.is_32bit() && numbers == LaneNumbers::Float;
    return is_cut ? word & 0xFFFF0000U : word;
}

}  // namespace

LaneMask active_lanes() {
    return vector_registers().active_lanes;
}

void set_active_lanes(LaneMask lanes) {
    vector_registers().active_lanes = lanes;
}

std::uint32_t& lane_constant(std::uint32_t index) {
    return vector_registers().constants.at(index);
}

void load_lanes(std::int32_t index, LaneWords& lanes, CallSite site) {
    ComputeState& units = units_of_vectors();
    const auto [tile_index, vector] = place_of(units, index, site);
    const float* tile = dst_tile_as_is(units.dst, tile_index, "dst_reg", site_of_vectors());
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        lanes[lane] = std::bit_cast<std::uint32_t>(tile[element_of(vector, lane)]);
    }
}

void store_lanes(std::int32_t index, LaneNumbers numbers, const LaneWords& lanes, CallSite site) {
    ComputeState& units = units_of_vectors();
    const auto [tile_index, vector] = place_of(units, index, site);
    const auto content = numbers == LaneNumbers::Integer ? DstContent::Integer : DstContent::Float;
    float* tile = units.dst.retag(tile_index, "dst_reg", site_of_vectors(), content);
    const LaneMask active = units.vector_registers.active_lanes;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if ((active >> lane & 1U) != 0) {
            tile[element_of(vector, lane)] =
                std::bit_cast<float>(stored(units.dst, numbers, lanes[lane]));
        }
    }
}

void advance_lanes(std::int32_t vectors) {
    vector_registers().first_vector += static_cast<std::uint32_t>(vectors);
}

void begin_face(std::uint32_t idst, std::uint32_t face) {
    ComputeState& units = units_of_vectors();
    if (idst >= units.dst.capacity()) [[unlikely]] {
        // Faults here: an index of a library's function has its place in the library.
        static_cast<void>(units.dst.content(idst, "dst_reg", site_of_vectors()));
    }
    VectorRegisters& registers = units.vector_registers;
    registers.first_vector = idst * kVectorsPerTile + face * kVectorsPerFace;
    registers.active_lanes = ~LaneMask{0};
}

void record_vector_function() {
    KernelThread& thread = current_thread();
    VectorIssue& issue = thread.vector_issue;
    const std::uint32_t slots = issue.slots - std::exchange(issue.recorded, issue.slots);
    if (slots != 0) {
        record_run(thread, EventKind::VectorFunction, 0, slots, site_of_vectors());
    }
}

}  // namespace tessera::kernel
