// SPDX-License-Identifier: Apache-2.0
// Key of a launch's times: a hash of all that they depend on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/timing/identical_devices.hpp"
#include "runtime/study/read_constants.hpp"
#include "runtime/study/timed_machine.hpp"
#include "tessera/timing_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::timed_run {

/// Keys of launches on one machine. A constant that a launch does not read is not part of its key,
/// so that a change of that constant costs no replay.
class LaunchKeys {
public:
    /// `made_by` identifies the program and the options that the stored times depend on.
    LaunchKeys(const TimedMachine& machine, const std::string& made_by);

    [[nodiscard]] timing::PartKey key_of(const Trace& trace, const LaunchTrace& launch) const;
    /// Returns the same key, if the constants that the launch reads are known.
    [[nodiscard]] timing::PartKey key_of(const Trace& trace, const LaunchTrace& launch,
                                         const ReadConstants& read) const;
    /// As key_of(), for the times of one part of the launch.
    [[nodiscard]] timing::PartKey key_of(const Trace& trace, const LaunchTrace& launch,
                                         const timing::LaunchPart& part) const;

private:
    struct Constant {
        std::string key;         ///< below `timing`
        std::uint64_t hash = 0;  ///< of its key, its value and its range
    };

    [[nodiscard]] timing::PartKey key_of(const Trace& trace, const LaunchTrace& launch,
                                         const timing::LaunchPart& part,
                                         const ReadConstants& read) const;

    timing::KeyHash machine_;
    std::uint32_t num_devices_ = 0;
    std::vector<Constant> constants_;
    SfpuTiming functions_;
};

}  // namespace tessera::timed_run
