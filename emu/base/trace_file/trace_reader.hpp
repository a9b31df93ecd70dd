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
    /// Errors   UsageError if the file cannot be read, is no trace, is of a newer version, is cut
    ///          off or corrupt: for this and `next`.
    explicit TraceReader(const std::filesystem::path& path);

    /// Arch, mesh and all names that launches read until now mention; no launches.
    [[nodiscard]] const Trace& so_far() const noexcept { return trace_; }

    /// "run.trace: section 3 at byte 1200", of the launch that was read last.
    [[nodiscard]] std::string place() const { return sections_.place(); }

    /// The next launch; nothing behind the last.
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
