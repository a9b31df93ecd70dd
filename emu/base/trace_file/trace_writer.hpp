// SPDX-License-Identifier: Apache-2.0
// Writes a trace launch by launch, under a temporary name until it is whole (write_trace of
// tessera/trace_file.hpp writes one that is in memory).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "emu/base/tensor_file/partial_file.hpp"
#include "tessera/trace.hpp"
#include "tessera/trace_file.hpp"

namespace tessera {

/// Holds no launch in memory. A writer that is destroyed unfinished leaves what was at `path` as it
/// was. Equal traces give equal bytes.
class TraceWriter {
public:
    /// Errors   UsageError if the temporary file cannot be created.
    explicit TraceWriter(std::filesystem::path path);

    /// Appends a launch. `so_far` has the run's arch and mesh, the same at each call, and all names
    /// that launches until this one mention; its launches are not looked at.
    /// Errors   UsageError if the disk refuses, for this and `finish`.
    void append(const Trace& so_far, const LaunchTrace& launch);

    /// Gives the file its name. `so_far` is looked at for the head of a run without launches.
    void finish(const Trace& so_far = {});

private:
    void write(std::string_view bytes);
    void write_head(const Trace& so_far);

    PartialFile file_;
    std::uint64_t size_ = 0;  ///< bytes written
    bool has_head_ = false;
    std::size_t num_names_ = 0;
    std::uint32_t num_launches_ = 0;
};

}  // namespace tessera
