// SPDX-License-Identifier: Apache-2.0
// The frame of a trace file: a start, then sections that carry their lengths and checksums.
//
// Start    8 bytes "TESSTRC\n", version (u32), 0 (u32).
// Section  kind (u32), compression (u32; 0 none, 1 zlib), stored bytes (u64), raw bytes (u64),
//          CRC-32 of the stored bytes (u32), CRC-32 of these six (u32); then the stored bytes.
// Numbers  least significant byte first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tessera::trace_file {

inline constexpr std::string_view kMagic = "TESSTRC\n";
/// 3 had other counts of instructions, 2 none, 1 no checksum over sizes.
inline constexpr std::uint32_t kVersion = 4;

/// In a file: one Head, then for each launch Names (if it mentions new ones) and Launch, then End.
enum class SectionKind : std::uint32_t { Head = 1, Names = 2, Launch = 3, End = 4 };

/// Start of a file.
[[nodiscard]] std::string start_bytes();

/// A whole section, compressed where that makes it smaller.
[[nodiscard]] std::string section_bytes(SectionKind kind, std::string_view raw);

struct Section {
    SectionKind kind{};
    std::string bytes;  ///< raw
};

/// Takes sections off the front of a file's bytes.
class SectionReader {
public:
    /// Errors   UsageError if the bytes do not begin as a trace does, or are of another version.
    SectionReader(std::filesystem::path path, std::string_view bytes);

    /// Memory is taken as bytes are uncompressed, whatever a frame says of their number.
    /// Errors   UsageError if the section is cut off, of no known kind or not what was written.
    [[nodiscard]] Section next();
    [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }
    /// "run.trace: section 3 at byte 1200", of the section that was read last.
    [[nodiscard]] std::string place() const;

private:
    std::filesystem::path path_;
    std::string_view rest_;
    std::uint64_t size_;
    std::uint64_t section_begin_ = 0;
    std::uint32_t num_sections_ = 0;
};

}  // namespace tessera::trace_file
