// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/sfpu.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/core/fault.hpp"
#include "emu/tile/dst_binary.hpp"
#include "emu/tile/sfpu.hpp"

namespace tessera::kernel {
namespace {

using ckernel::VectorMode;

/// Place among ComputeState::sfpu_inits of functions whose inits load no constants: those only set
/// an address step that any init sets. It counts as set, so that no call needs a branch for it.
constexpr std::size_t kNoConstants = 0;

constexpr std::size_t place_of(Sfpu function) {
    return 1 + static_cast<std::size_t>(function);
}
constexpr std::size_t place_of(SfpuBinary function) {
    return place_of(Sfpu::NumFunctions) + static_cast<std::size_t>(function);
}

static_assert(place_of(SfpuBinary::NumFunctions) <= decltype(ComputeState::sfpu_inits){}.size());

/// Conversion of results for a 16-bit DST in the chip's code.
enum class Store : std::uint8_t { Round, Truncate };

using Routine = void (*)(float* tile, std::uint32_t parameter);

/// Calls the tile routine with the parameter it takes: none, a float or an integer.
template <auto routine>
void apply(float* tile, [[maybe_unused]] std::uint32_t parameter) {
    if constexpr (std::is_invocable_v<decltype(routine), float*>) {
        routine(tile);
    } else if constexpr (std::is_same_v<decltype(routine), void (*)(float*, float)>) {
        routine(tile, std::bit_cast<float>(parameter));
    } else {
        routine(tile, parameter);
    }
}

struct Row {
    const char* call;
    Routine routine;
    std::size_t constants;  ///< place of the init that loads them
    Store store;
};

struct BinaryRow {
    const char* call;
    tile::BinaryOp operation;
    std::size_t constants;
};

#define SFPU_CONSTANTS_NONE kNoConstants
#define SFPU_CONSTANTS_OF(Word) place_of(Sfpu::Word)
#define SFPU_STORE_ROUND Store::Round
#define SFPU_STORE_TRUNCATE Store::Truncate
constexpr std::array kRows{
#define SFPU_UNARY(call, Word, shape, options, routine, constants) \
    Row{#call, apply<&tile::sfpu::routine>, SFPU_CONSTANTS_##constants, Store::Round},
#define SFPU_SCALAR(call, Word, shape, routine, store) \
    Row{#call, apply<&tile::sfpu::routine>, kNoConstants, SFPU_STORE_##store},
#include "tessera/kernel/compute/sfpu_table.inc"
};
#undef SFPU_CONSTANTS_OF
#define SFPU_CONSTANTS_OF(Op) place_of(SfpuBinary::Op)
constexpr std::array kBinaryRows{
#define SFPU_BINARY(call, Op, shape, constants) \
    BinaryRow{#call, tile::BinaryOp::Op, SFPU_CONSTANTS_##constants},
#include "tessera/kernel/compute/sfpu_table.inc"
};

void note_init(std::size_t place, CallSite site) {
    current_units("an init of the vector unit", site).sfpu_inits[place] = true;
    record_init(current_thread(), UnitInitKind::Sfpu, 0, site);
}

[[noreturn]] void refuse_uninitialised(const char* call, CallSite site) {
    fault(FaultCategory::UndefinedBehavior, site,
          "{}: {}_init has not run in this launch, which loads the function's constants", call,
          call);
}

// A function whose constants are not there computes with those of another one.
template <class AnyRow>
void require_init(const ComputeState& units, const AnyRow& row, CallSite site) {
    if (!units.sfpu_inits[row.constants]) [[unlikely]] {
        refuse_uninitialised(row.call, site);
    }
}

// The other faces are put back, as routines know whole tiles only.
void work_on_faces(const Row& row, ComputeState& units, int vector_mode, float* tile,
                   std::uint32_t parameter) {
    float* before = units.scratch[0].data();
    std::copy_n(tile, kTileElements, before);
    row.routine(tile, parameter);
    for (std::uint32_t face = 0; face < kFacesPerTile; ++face) {
        const bool is_worked_on = vector_mode == VectorMode::R ? face < 2 : face % 2 == 0;
        if (!is_worked_on) {
            const std::size_t first = std::size_t{face} * kFaceElements;
            std::copy_n(before + first, kFaceElements, tile + first);
        }
    }
}

void check_vector_mode(int vector_mode, const char* call, CallSite site) {
    if (vector_mode != VectorMode::R && vector_mode != VectorMode::C) {
        fault(FaultCategory::Unsupported, site, "{} with vector mode {}: 1 (R), 2 (C) or 4 (RC)",
              call, vector_mode);
    }
}

void require_integer(std::uint32_t exponent, const char* call, CallSite site) {
    constexpr std::uint32_t kLargestInteger = 0xFFFF;  // fp32 patterns of normal values lie above
    if (exponent > kLargestInteger) {
        fault(FaultCategory::Unimplemented, site, "{} with the fp32 exponent {:#010x}", call,
              exponent);
    }
}

// Rounds or truncates what was stored, if DST is 16 bits wide.
void store_in_dst(const Dst& dst, float* tile, Store store) {
    if (store == Store::Round) {
        round_for_dst(dst, tile);
    } else if (!dst.is_32bit()) {
        std::transform(tile, tile + kTileElements, tile, [](float value) {
            return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xFFFF0000U);
        });
    }
}

}  // namespace

void sfpu_init(Sfpu function, CallSite site) {
    note_init(place_of(function), site);
}

void sfpu_init(SfpuBinary function, CallSite site) {
    note_init(place_of(function), site);
}

void sfpu(Sfpu function, SfpuForm form, std::uint32_t idst, int vector_mode,
          std::uint32_t parameter, CallSite site) {
    const Row& row = kRows[static_cast<std::size_t>(function)];
    ComputeState& units = current_units(row.call, site);
    require_init(units, row, site);
    const bool is_whole = vector_mode == VectorMode::RC;
    if (!is_whole) {
        check_vector_mode(vector_mode, row.call, site);
    }
    float* tile = is_whole && row.routine == apply<&tile::sfpu::fill>
                      ? units.dst.overwrite(idst, row.call, site)
                      : units.dst.update(idst, row.call, site);
    record_sfpu(current_thread(), row.call, site,
                {form, is_whole ? SfpuFaces::All : SfpuFaces::Half});
    if (units.maths == Maths::Off) {
        return;
    }
    if (function == Sfpu::Power) {
        require_integer(parameter, row.call, site);
    }
    if (is_whole) {
        row.routine(tile, parameter);
    } else {
        work_on_faces(row, units, vector_mode, tile, parameter);
    }
    store_in_dst(units.dst, tile, row.store);
}

void sfpu(SfpuBinary function, ckernel::DstRoundingMode rounding, std::uint32_t idst0,
          std::uint32_t idst1, std::uint32_t odst, CallSite site) {
    const BinaryRow& row = kBinaryRows[static_cast<std::size_t>(function)];
    ComputeState& units = current_units(row.call, site);
    require_init(units, row, site);
    const float* a = units.dst.update(idst0, row.call, site);
    const float* b = units.dst.update(idst1, row.call, site);
    float* out = units.dst.overwrite(odst, row.call, site);
    record_sfpu(current_thread(), row.call, site);
    if (units.maths == Maths::Off) {
        return;
    }
    tile::binary_tile(row.operation, a, b, out);
    const bool is_rounded = rounding == ckernel::DstRoundingMode::NearestEven;
    store_in_dst(units.dst, out, is_rounded ? Store::Round : Store::Truncate);
}

}  // namespace tessera::kernel
