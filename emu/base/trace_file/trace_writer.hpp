// SPDX-License-Identifier: Apache-2.0
// Writes a trace launch by launch, under a temporary name until it is complete (write_trace of
// tessera/trace_file.hpp writes a trace from memory).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "emu/base/tensor_file/partial_file.hpp"
#include "tessera/trace.hpp"
#include "tessera/trace_file.hpp"

namespace tessera {

/// Keeps no launch in memory. The destructor of an unfinished writer leaves `path` unchanged. Equal
/// traces give equal bytes.
class TraceWriter {
public:
    /// Errors   UsageError if the temporary file cannot be created.
    explicit TraceWriter(std::filesystem::path path);

    /// Appends a launch. `so_far` has the run's arch and mesh, equal at each call, and all names of
    /// the launches up to this one. Its launches are ignored.
    /// Errors   UsageError if the disk refuses; also thrown by `finish`.
    void append(const Trace& so_far, const LaunchTrace& launch);

    /// Renames the file to its final name. Uses `so_far` only for the head of a run without
    /// launches.
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
