// SPDX-License-Identifier: Apache-2.0
// A host profile says where the host's processors spend a run: it samples program counters, finds
// the functions that they lie in and sums up the kinds of work that these do for kernels.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/report/run_record.hpp"
#include "runtime/report/text_style.hpp"

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

/// Where an address lies.
struct CodePlace {
    std::string function;  ///< mangled; empty outside the program or where it was stripped
    std::string library;   ///< path of the shared object; empty for the program itself
};

class Symbols {
public:
    /// Reads the program's table of symbols; it is empty where they were stripped.
    Symbols();

    [[nodiscard]] CodePlace place_of(std::uint64_t address) const;

private:
    struct Function {
        std::uint64_t begin;
        std::uint64_t end;
        std::string name;
    };

    std::uint64_t base_ = 0;           ///< what the loader added to the program's addresses
    std::vector<Function> functions_;  ///< by address
};

enum class Work : std::uint8_t {
    TileMaths,  ///< products, conversions, element-wise and SFPU functions on tiles
    Copies,     ///< the C library: moves and fills of memory, and its allocation
    Switches,   ///< circular buffers, semaphores, and from one kernel thread to the next
    Other,      ///< the rest of the kernel API, and the kernels' own code
};
inline constexpr std::size_t kNumWorks = 4;
[[nodiscard]] const char* name_of(Work work) noexcept;

/// The work that code at a place does for a kernel.
[[nodiscard]] Work work_of(const CodePlace& place) noexcept;

struct HostProfile {
    std::array<double, kNumWorks> seconds{};  ///< of processors, in kernels, by Work
};

[[nodiscard]] HostProfile profile_of(const Samples& samples, const Symbols& symbols);

/// `report_seconds`: what the report's files took, outside the record's total.
[[nodiscard]] std::string profile_text(const report::RunRecord& record, double report_seconds,
                                       const HostProfile& profile, const report::TextStyle& style);

}  // namespace tessera::host_profile
