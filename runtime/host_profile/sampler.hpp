// SPDX-License-Identifier: Apache-2.0
// Where the process spends its processor time: program counters taken by a timer signal.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::host_profile {

struct Sample {
    std::uint64_t address = 0;  ///< of the instruction that ran
    bool in_kernel = false;     ///< an emulated kernel thread ran, its API calls included
};

struct Samples {
    std::vector<Sample> samples;
    double seconds_each = 0;  ///< processor time that one sample stands for
};

/// Takes samples of all threads from its making on; one at a time. What the host does while none
/// exists costs nothing.
class Sampler {
public:
    /// Errors   UsageError if one exists already.
    Sampler();
    ~Sampler();
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    /// Ends sampling; later calls give nothing.
    [[nodiscard]] Samples stop();

private:
    bool is_running_ = true;
    double start_ = 0;  ///< processor seconds of the process
};

}  // namespace tessera::host_profile
