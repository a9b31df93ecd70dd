// SPDX-License-Identifier: Apache-2.0
// Timing constants of a device model: the section `timing:` of configs/arch/*.yaml. A constant is
// one row of a table in tessera/timing/, which defines its member here, its key, its documentation
// and what reports and the advisor know about it (runtime/config/fields/timing_fields.hpp), and its
// value in the unit of a replay (emu/timing/cost/times.hpp). There are no defaults: each device
// file states each key.
//
// TESSERA_CONSTANT(kind, type, key, bound, prices(times…), description)
//
// kind         range of the value and which end of it makes runs short: cost (0 or more, less is
//              shorter), rate, amount (1 or more, more is shorter), share (0 to 1); see TimingRow
// type         quantity of the member, which gives the unit in YAML
// key          key in YAML and name of the member
// bound        config::Bound of the advisor that makes the constant free or unlimited; None if no
//              kernel pays it or a trace fixes it
// prices       times that the constant is part of: values of Activity, ResourceKind and
//              config::Phase. Reports list the assumed constants behind a time with them.
// description  meaning of the key in docs/device_keys.md
//
// To add a constant, write its row, its use in emu/timing, and its value in each file of
// configs/arch; then regenerate docs/device_keys.md (`tessera list device-keys`).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/units.hpp"

namespace tessera {

#define TESSERA_CONSTANT(kind, type, key, ...) type key{};

/// Issue times of the two data-movement RISCs.
struct RiscTiming {
#include "tessera/timing/risc.inc"
};

/// Times and rates of one NoC of a device.
struct NocTiming {
#include "tessera/timing/noc.inc"
};

/// Times of DRAM banks, controllers and their NoC ports.
struct DramTiming {
#include "tessera/timing/dram.inc"
};

/// Times of the compute kernel's engines: unpack, math and pack.
struct ComputeTiming {
#include "tessera/timing/compute.inc"
};

/// Cycles of one tile by function of the vector unit. Names are those of the kernel API without
/// `_tile`; approximate modes have the suffix "_approx", functions on 32-bit DST "_fp32".
struct SfpuTiming {
    std::vector<std::pair<std::string, Cycles>> functions;  ///< sorted by name
#include "tessera/timing/sfpu.inc"
};

/// Times of mesh links, of the routers at their ends, and of muxes.
struct LinkTiming {
#include "tessera/timing/link.inc"
};

/// Times from one program to the next, and of a core's firmware.
struct DispatchTiming {
#include "tessera/timing/dispatch.inc"
};

/// Error of the model in addition to the uncertainty of its constants, by mechanism.
struct ModelErrorSpec {
#include "tessera/timing/model_error.inc"
};

#undef TESSERA_CONSTANT

/// All timing constants of a device model (the keys below `timing:` in configs/arch).
struct TimingSpec {
    Hertz clock;
    RiscTiming risc;
    NocTiming noc;
    DramTiming dram;
    ComputeTiming compute;
    SfpuTiming sfpu;
    LinkTiming link;
    DispatchTiming dispatch;
    ModelErrorSpec model_error;
};

/// Timing constants of a device model in three versions: each constant at the end of its range that
/// makes runs short, at its stated value, and at the end that makes runs long. A constant without a
/// range is equal in all three.
struct TimingBounds {
    TimingSpec low;
    TimingSpec expected;
    TimingSpec high;
};

}  // namespace tessera
