// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/packed_text.hpp"

#include <zlib.h>

#include <cstdint>
#include <vector>

#include "tessera/errors.hpp"

namespace tessera::report {
namespace {

using Octets = std::vector<std::uint8_t>;

Octets gzip(std::string_view text) {
    constexpr int kWindowOfGzip = 15 + 16;  // zlib.h: adding 16 selects a gzip header
    constexpr int kMemoryLevel = 8;
    z_stream stream{};
    const int begun = deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kWindowOfGzip,
                                   kMemoryLevel, Z_DEFAULT_STRATEGY);
    ensure(begun == Z_OK, "zlib cannot begin: {}", begun);
    Octets packed(deflateBound(&stream, text.size()));
    // zlib only reads what next_in points to.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = packed.data();
    stream.avail_out = static_cast<uInt>(packed.size());
    const int ended = deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    ensure(ended == Z_STREAM_END, "zlib cannot pack {} bytes: {}", text.size(), ended);
    return packed;
}

}  // namespace

std::string packed_text(std::string_view text) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const Octets packed = gzip(text);
    std::string digits;
    digits.reserve((packed.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < packed.size(); i += 3) {
        const auto octet = [&](std::size_t at) {
            return std::uint32_t{at < packed.size() ? packed[at] : std::uint8_t{0}};
        };
        const std::uint32_t word = octet(i) << 16U | octet(i + 1) << 8U | octet(i + 2);
        for (unsigned digit = 0; digit < 4; ++digit) {
            const bool is_there = i + digit <= packed.size();
            digits += is_there ? kDigits[word >> (18U - 6U * digit) & 0x3FU] : '=';
        }
    }
    return digits;
}

}  // namespace tessera::report
