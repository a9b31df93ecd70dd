// SPDX-License-Identifier: Apache-2.0
#include "emu/base/trace_file/section.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <span>
#include <utility>

#include "emu/base/host_memory.hpp"
#include "emu/base/trace_file/byte_reader.hpp"
#include "emu/base/trace_file/byte_writer.hpp"
#include "tessera/errors.hpp"

namespace tessera::trace_file {
namespace {

enum class Compression : std::uint32_t { None = 0, Zlib = 1 };

constexpr std::size_t kStartBytes = 16;
constexpr std::size_t kFrameBytes = 32;
constexpr int kLevel = 1;  // events compress well at any level, and speed matters more
// Largest expansion of a byte by deflate's format: 258 bytes of a match in 2 bits.
constexpr std::uint64_t kMostRawPerStored = 1032;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;
// Limit of all sections except launches together. Runs of the largest models have some KiB of
// names.
constexpr std::uint64_t kMostSmallBytes = std::uint64_t{16} << 20U;
// A smaller launch is read without a check of the host's memory.
constexpr std::uint64_t kLargeLaunch = std::uint64_t{64} << 20U;

struct Frame {
    SectionKind kind{};
    Compression compression{};
    std::uint64_t stored_bytes = 0;
    std::uint64_t raw_bytes = 0;
    std::uint32_t checksum = 0;
    std::uint32_t own_checksum = 0;  ///< checksum of the preceding fields
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
    frame.number(checksum_of(frame.bytes()));
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
    frame.own_checksum = reader.number<std::uint32_t>();
    return frame;
}

bool is_known(const Frame& frame) {
    return frame.kind >= SectionKind::Head && frame.kind <= SectionKind::End &&
           frame.compression <= Compression::Zlib;
}

bool has_possible_sizes(const Frame& frame) {
    return frame.compression == Compression::None
               ? frame.raw_bytes == frame.stored_bytes
               : frame.raw_bytes / kMostRawPerStored <= frame.stored_bytes;
}

/// A zlib stream over stored bytes.
class Inflater {
public:
    explicit Inflater(std::string_view stored) : rest_(stored) {
        const int result = ::inflateInit(&stream_);
        ensure(result == Z_OK, "zlib inflateInit gave {}", result);
    }
    ~Inflater() { ::inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    /// Uncompresses until the piece, which is less than 4 GiB, is full or the data ends. Returns
    /// zlib's result: Z_STREAM_END if the data is complete and valid.
    int fill(std::span<char> piece) {
        stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream_.avail_out = static_cast<uInt>(piece.size());
        int result = Z_OK;
        while (result == Z_OK && stream_.avail_out != 0) {
            if (stream_.avail_in == 0) {
                give_input();
            }
            result = ::inflate(&stream_, Z_NO_FLUSH);
        }
        return result;
    }
    [[nodiscard]] std::uint64_t num_made() const noexcept { return stream_.total_out; }

private:
    void give_input() {  // zlib counts in 32 bits
        const std::size_t size = std::min<std::size_t>(rest_.size(), kMostAtOnce);
        stream_.next_in = const_cast<Bytef*>(zlib_bytes(rest_));
        stream_.avail_in = static_cast<uInt>(size);
        rest_.remove_prefix(size);
    }

    z_stream stream_{};
    std::string_view rest_;
};

// Both checksums are valid, so this fails only for a writer's bug or a forged file.
RawBytes raw_of(const Frame& frame, std::string_view stored, const std::string& place) {
    RawBytes raw(frame.raw_bytes);
    if (frame.compression == Compression::None) {
        std::ranges::copy(stored, raw.span().begin());
        return raw;
    }
    Inflater inflater(stored);
    int result = Z_OK;
    for (auto rest = raw.span(); result == Z_OK && !rest.empty();) {
        const std::size_t size = std::min(rest.size(), kMostAtOnce);
        result = inflater.fill(rest.first(size));
        rest = rest.subspan(size);
    }
    require(result == Z_STREAM_END && inflater.num_made() == frame.raw_bytes,
            "{}: is corrupt: does not uncompress to its {} bytes", place, frame.raw_bytes);
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
    require(version == kVersion,
            "{}: is a trace of version {}, written by {} Tessera; this one reads version {}",
            path_.string(), version, version > kVersion ? "a newer" : "an older", kVersion);
    require(bytes.substr(kStartBytes - 4, 4) == std::string_view("\0\0\0\0", 4),
            "{}: is corrupt: byte {} begins no four zeros", path_.string(), kStartBytes - 4);
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
    require(frame.own_checksum == checksum_of(rest_.substr(0, kFrameBytes - 4)) && is_known(frame),
            "{}: is corrupt: no section begins there", place());
    require(has_possible_sizes(frame), "{}: is corrupt: {} bytes cannot be stored as {}", place(),
            frame.raw_bytes, frame.stored_bytes);
    if (frame.kind != SectionKind::Launch) {
        small_bytes_ += frame.raw_bytes;
        require(small_bytes_ <= kMostSmallBytes,
                "{}: is corrupt: its names take {} bytes; allowed: at most {} in a trace, "
                "head and end included",
                place(), frame.raw_bytes, kMostSmallBytes);
    } else if (frame.raw_bytes > kLargeLaunch) {
        require_host_memory(2 * frame.raw_bytes, place() + ": raw bytes and launch",
                            "read it on a host with more memory");
    }
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
