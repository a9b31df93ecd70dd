// SPDX-License-Identifier: Apache-2.0
// Profiler zones: named parts of a kernel, whose begin and end are recorded in the trace. A zone
// ends with the scope in which it is defined. Macros have the vendor's names.
// Source   tt-metal tt_metal/tools/profiler/kernel_profiler.hpp.
#pragma once

#include "tessera/kernel/types.hpp"

namespace tessera::kernel {

void begin_zone(const char* name, CallSite site);
void end_zone(const char* name, CallSite site) noexcept;

/// Zone from its construction to its destruction. `name` must be a string literal.
class Zone {
public:
    explicit Zone(const char* name, CallSite site = CallSite::here()) : name_(name), site_(site) {
        begin_zone(name_, site_);
    }
    ~Zone() { end_zone(name_, site_); }
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;

private:
    const char* name_;
    CallSite site_;
};

}  // namespace tessera::kernel

#define TESSERA_JOINED(a, b) a##b
#define TESSERA_ZONE(name, line) \
    const ::tessera::kernel::Zone TESSERA_JOINED(tessera_zone_, line)(name)
#define DeviceZoneScopedN(name) TESSERA_ZONE(name, __LINE__)
#define DeviceZoneScopedMainN(name) TESSERA_ZONE(name, __LINE__)
#define DeviceZoneScopedSumN1(name) TESSERA_ZONE(name, __LINE__)
#define DeviceZoneScopedSumN2(name) TESSERA_ZONE(name, __LINE__)
#define DeviceTimestampedData(name, data) static_cast<void>(data)
#define DeviceRecordEvent(id) static_cast<void>(id)
