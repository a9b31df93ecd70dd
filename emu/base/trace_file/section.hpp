// SPDX-License-Identifier: Apache-2.0
// The frame of a trace file: a start, then sections with their lengths and checksums.
//
// Start    8 bytes "TESSTRC\n", version (u32), 0 (u32).
// Section  kind (u32), compression (u32; 0 none, 1 zlib), stored bytes (u64), raw bytes (u64),
//          CRC-32 of the stored bytes (u32), CRC-32 of these six (u32); then the stored bytes.
// Numbers  least significant byte first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tessera::trace_file {

inline constexpr std::string_view kMagic = "TESSTRC\n";
/// docs/developing/trace.md says what each version changed.
inline constexpr std::uint32_t kVersion = 5;

/// Order in a file: one Head; for each launch Names (if it has new names) and Launch; then End.
enum class SectionKind : std::uint32_t { Head = 1, Names = 2, Launch = 3, End = 4 };

/// Returns the start of a file.
[[nodiscard]] std::string start_bytes();

/// Returns a whole section, compressed if that makes it smaller.
[[nodiscard]] std::string section_bytes(SectionKind kind, std::string_view raw);

/// Raw bytes of a section. The host commits only memory that is written, so a frame with a false
/// number of bytes costs none.
class RawBytes {
public:
    explicit RawBytes(std::uint64_t size)
        : bytes_(std::make_unique_for_overwrite<char[]>(size)), size_(size) {}

    [[nodiscard]] std::string_view view() const noexcept { return {bytes_.get(), size_}; }
    [[nodiscard]] std::span<char> span() noexcept { return {bytes_.get(), size_}; }

private:
    std::unique_ptr<char[]> bytes_;
    std::uint64_t size_;
};

struct Section {
    SectionKind kind{};
    RawBytes bytes;
};

/// Reads sections in order from a file's bytes.
class SectionReader {
public:
    /// Errors   UsageError if the bytes do not start like a trace, or have another version.
    SectionReader(std::filesystem::path path, std::string_view bytes);

    /// Returns the next section.
    /// Errors   UsageError if the section is truncated, of an unknown kind or corrupt, if the names
    ///          of the trace are too long, or if the host has too little memory.
    [[nodiscard]] Section next();
    [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }
    /// Returns "run.trace: section 3 at byte 1200" for the last section that was read.
    [[nodiscard]] std::string place() const;

private:
    std::filesystem::path path_;
    std::string_view rest_;
    std::uint64_t size_;
    std::uint64_t section_begin_ = 0;
    std::uint32_t num_sections_ = 0;
    std::uint64_t small_bytes_ = 0;  ///< raw bytes of all sections except launches
};

}  // namespace tessera::trace_file
