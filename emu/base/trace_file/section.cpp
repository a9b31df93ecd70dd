// SPDX-License-Identifier: Apache-2.0
#include "emu/base/trace_file/section.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <utility>

#include "emu/base/trace_file/byte_reader.hpp"
#include "emu/base/trace_file/byte_writer.hpp"
#include "tessera/errors.hpp"

namespace tessera::trace_file {
namespace {

enum class Compression : std::uint32_t { None = 0, Zlib = 1 };

constexpr std::size_t kStartBytes = 16;
constexpr std::size_t kFrameBytes = 32;
constexpr int kLevel = 1;  // events compress well at any level, and time counts more

struct Frame {
    SectionKind kind{};
    Compression compression{};
    std::uint64_t stored_bytes = 0;
    std::uint64_t raw_bytes = 0;
    std::uint32_t checksum = 0;
};

const Bytef* zlib_bytes(std::string_view bytes) {
    return reinterpret_cast<const Bytef*>(bytes.data());
}

std::uint32_t checksum_of(std::string_view bytes) {
    return static_cast<std::uint32_t>(::crc32_z(0, zlib_bytes(bytes), bytes.size()));
}

std::string compressed(std::string_view raw) {
    uLongf size = ::compressBound(raw.size());
    std::string bytes(size, '\0');
    const int result = ::compress2(reinterpret_cast<Bytef*>(bytes.data()), &size, zlib_bytes(raw),
                                   raw.size(), kLevel);
    ensure(result == Z_OK, "zlib compress2 gave {} for {} bytes", result, raw.size());
    bytes.resize(size);
    return bytes;
}

std::string frame_bytes(SectionKind kind, Compression compression, std::string_view stored,
                        std::size_t raw_bytes) {
    ByteWriter frame;
    frame.number(static_cast<std::uint32_t>(kind));
    frame.number(static_cast<std::uint32_t>(compression));
    frame.number(std::uint64_t{stored.size()});
    frame.number(std::uint64_t{raw_bytes});
    frame.number(checksum_of(stored));
    frame.number(std::uint32_t{0});
    return frame.bytes();
}

Frame read_frame(std::string_view bytes) {
    ByteReader reader(bytes);
    Frame frame;
    frame.kind = static_cast<SectionKind>(reader.number<std::uint32_t>());
    frame.compression = static_cast<Compression>(reader.number<std::uint32_t>());
    frame.stored_bytes = reader.number<std::uint64_t>();
    frame.raw_bytes = reader.number<std::uint64_t>();
    frame.checksum = reader.number<std::uint32_t>();
    return frame;
}

bool is_known(const Frame& frame) {
    return frame.kind >= SectionKind::Head && frame.kind <= SectionKind::End &&
           frame.compression <= Compression::Zlib;
}

// The checksum holds, so that only a writer's mistake makes this fail.
std::string raw_of(const Frame& frame, std::string_view stored, const std::string& place) {
    if (frame.compression == Compression::None) {
        require(stored.size() == frame.raw_bytes, "{}: {} bytes stored as {}", place,
                frame.raw_bytes, stored.size());
        return std::string(stored);
    }
    std::string raw(frame.raw_bytes, '\0');
    uLongf size = raw.size();
    const int result = ::uncompress(reinterpret_cast<Bytef*>(raw.data()), &size, zlib_bytes(stored),
                                    stored.size());
    require(result == Z_OK && size == raw.size(), "{}: does not uncompress to its {} bytes", place,
            raw.size());
    return raw;
}

}  // namespace

std::string start_bytes() {
    ByteWriter start;
    start.elements(std::span(kMagic));
    start.number(kVersion);
    start.number(std::uint32_t{0});
    return start.bytes();
}

std::string section_bytes(SectionKind kind, std::string_view raw) {
    const std::string smaller = compressed(raw);
    if (smaller.size() < raw.size()) {
        return frame_bytes(kind, Compression::Zlib, smaller, raw.size()) + smaller;
    }
    return frame_bytes(kind, Compression::None, raw, raw.size()) + std::string(raw);
}

SectionReader::SectionReader(std::filesystem::path path, std::string_view bytes)
    : path_(std::move(path)), rest_(bytes), size_(bytes.size()) {
    require(bytes.size() >= kStartBytes && bytes.starts_with(kMagic),
            "{}: is not a trace of tessera run --trace", path_.string());
    const auto version = ByteReader(bytes.substr(kMagic.size())).number<std::uint32_t>();
    require(version <= kVersion,
            "{}: is a trace of version {}, written by a newer Tessera; this one reads version {}",
            path_.string(), version, kVersion);
    rest_.remove_prefix(kStartBytes);
}

std::string SectionReader::place() const {
    return fmt::format("{}: section {} at byte {}", path_.string(), num_sections_, section_begin_);
}

Section SectionReader::next() {
    ++num_sections_;
    section_begin_ = size_ - rest_.size();
    require(rest_.size() >= kFrameBytes,
            "{}: is cut off after {} bytes, inside or before section {}", path_.string(), size_,
            num_sections_);
    const Frame frame = read_frame(rest_.substr(0, kFrameBytes));
    require(is_known(frame), "{}: is corrupt: no section begins there", place());
    rest_.remove_prefix(kFrameBytes);
    require(frame.stored_bytes <= rest_.size(),
            "{}: is cut off after {} bytes, inside or before section {}", path_.string(), size_,
            num_sections_);
    const std::string_view stored = rest_.substr(0, frame.stored_bytes);
    require(checksum_of(stored) == frame.checksum, "{}: is corrupt: its checksum does not hold",
            place());
    rest_.remove_prefix(frame.stored_bytes);
    return {frame.kind, raw_of(frame, stored, place())};
}

}  // namespace tessera::trace_file
