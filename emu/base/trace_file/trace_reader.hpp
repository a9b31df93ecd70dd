// SPDX-License-Identifier: Apache-2.0
// Reads a trace launch by launch (read_trace of tessera/trace_file.hpp reads it whole).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "emu/base/tensor_file/mapped_file.hpp"
#include "emu/base/trace_file/section.hpp"
#include "tessera/trace.hpp"
#include "tessera/trace_file.hpp"

namespace tessera {

class TraceReader {
public:
    /// Errors   UsageError if the file cannot be read, is not a trace, has a newer version, is
    ///          truncated or corrupt; also thrown by `next`.
    explicit TraceReader(const std::filesystem::path& path);

    /// Returns arch, mesh and all names of the launches read so far; no launches.
    [[nodiscard]] const Trace& so_far() const noexcept { return trace_; }

    /// Returns "run.trace: section 3 at byte 1200" for the last launch that was read.
    [[nodiscard]] std::string place() const { return sections_.place(); }

    /// Returns the next launch; nothing after the last one.
    [[nodiscard]] std::optional<LaunchTrace> next();

private:
    void read_head(const trace_file::Section& section);
    void read_names(const trace_file::Section& section);
    void read_end(const trace_file::Section& section);
    template <class Read>
    auto decoded(Read read);

    MappedFile file_;
    trace_file::SectionReader sections_;
    Trace trace_;
    std::uint32_t num_launches_ = 0;
    bool is_at_end_ = false;
};

}  // namespace tessera
