// SPDX-License-Identifier: Apache-2.0
// Profiles the host: samples program counters of a run, finds their functions and sums the
// processor time by kind of work for kernels.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/report/run_record.hpp"
#include "runtime/report/text_style.hpp"

namespace tessera::host_profile {

struct Sample {
    std::uint64_t address = 0;  ///< address of the instruction
    bool in_kernel = false;     ///< an emulated kernel thread ran, its API calls included
};

struct Samples {
    std::vector<Sample> samples;
    double seconds_each = 0;  ///< processor time of one sample
};

/// Samples all threads from its construction on. Only one may exist at a time; without one,
/// sampling costs nothing.
class Sampler {
public:
    /// Errors   UsageError if one exists already.
    Sampler();
    ~Sampler();
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    /// Ends sampling; later calls return no samples.
    [[nodiscard]] Samples stop();

private:
    bool is_running_ = true;
    double start_ = 0;  ///< processor seconds of the process
};

/// Function and library of an address.
struct CodePlace {
    std::string function;  ///< mangled; empty outside the program or where it was stripped
    std::string library;   ///< path of the shared object; empty for the program itself
};

class Symbols {
public:
    /// Reads the program's symbol table; it is empty in a stripped program.
    Symbols();

    [[nodiscard]] CodePlace place_of(std::uint64_t address) const;

private:
    struct Function {
        std::uint64_t begin;
        std::uint64_t end;
        std::string name;
    };

    std::uint64_t base_ = 0;           ///< load offset of the program's addresses
    std::vector<Function> functions_;  ///< by address
};

enum class Work : std::uint8_t {
    TileMaths,  ///< products, conversions, element-wise and SFPU functions on tiles
    Copies,     ///< the C library: moves and fills of memory, and its allocation
    Switches,   ///< circular buffers, semaphores, and switches between kernel threads
    Other,      ///< the rest of the kernel API, and the kernels' own code
};
inline constexpr std::size_t kNumWorks = 4;
[[nodiscard]] const char* name_of(Work work) noexcept;

/// Returns the kind of work of code at a place.
[[nodiscard]] Work work_of(const CodePlace& place) noexcept;

struct HostProfile {
    std::array<double, kNumWorks> seconds{};  ///< processor time in kernels, by Work
};

[[nodiscard]] HostProfile profile_of(const Samples& samples, const Symbols& symbols);

/// Returns the profile as text. `report_seconds` is the time of writing the report's files, which
/// the record's total does not include.
[[nodiscard]] std::string profile_text(const report::RunRecord& record, double report_seconds,
                                       const HostProfile& profile, const report::TextStyle& style);

}  // namespace tessera::host_profile
