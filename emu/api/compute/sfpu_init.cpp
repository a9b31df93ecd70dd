// SPDX-License-Identifier: Apache-2.0
#include "emu/api/compute/sfpu_init.hpp"

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/core/fault.hpp"

namespace tessera {
namespace {

using kernel::Sfpu;
using kernel::SfpuBinary;

constexpr unsigned kFirstBinaryBit = 48;

constexpr std::uint64_t bit_of(Sfpu function) {
    return std::uint64_t{1} << static_cast<unsigned>(function);
}
constexpr std::uint64_t bit_of(SfpuBinary operation) {
    return std::uint64_t{1} << (kFirstBinaryBit + static_cast<unsigned>(operation));
}
static_assert(static_cast<unsigned>(Sfpu::Tanh) < kFirstBinaryBit);

// Their inits load constants or tables; the others only set an address step that any init sets.
constexpr std::uint64_t kLogarithms = bit_of(Sfpu::Log) | bit_of(Sfpu::LogWithBase);
constexpr std::uint64_t kKeepConstants =
    bit_of(Sfpu::Exp) | bit_of(Sfpu::Gelu) | kLogarithms | bit_of(Sfpu::Recip) |
    bit_of(Sfpu::Rsqrt) | bit_of(Sfpu::Sigmoid) | bit_of(Sfpu::Silu) | bit_of(Sfpu::Sqrt) |
    bit_of(Sfpu::Tanh) | bit_of(SfpuBinary::Div) | bit_of(SfpuBinary::Power);

void require_any(const ComputeState& units, std::uint64_t wanted, const char* call, CallSite site) {
    if ((kKeepConstants & wanted) != 0 && (units.sfpu_inits & wanted) == 0) [[unlikely]] {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}: {}_init has not run in this launch, which loads the function's constants", call,
              call);
    }
}

}  // namespace

void require_sfpu_init(const ComputeState& units, Sfpu function, const char* call, CallSite site) {
    const std::uint64_t bit = bit_of(function);
    require_any(units, (kLogarithms & bit) != 0 ? kLogarithms : bit, call, site);
}

void require_sfpu_init(const ComputeState& units, SfpuBinary operation, const char* call,
                       CallSite site) {
    require_any(units, bit_of(operation), call, site);
}

namespace kernel {

void sfpu_init(Sfpu function, CallSite site) {
    current_units("an init of the vector unit", site).sfpu_inits |= bit_of(function);
    record_init(current_thread(), UnitInitKind::Sfpu, 0, site);
}

void sfpu_binary_init(SfpuBinary operation, CallSite site) {
    current_units("an init of the vector unit", site).sfpu_inits |= bit_of(operation);
    record_init(current_thread(), UnitInitKind::Sfpu, 0, site);
}

}  // namespace kernel
}  // namespace tessera
