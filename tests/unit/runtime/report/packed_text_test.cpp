// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/packed_text.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace tessera::report {
namespace {

std::string from_base64(const std::string& digits) {
    std::string octets;
    unsigned word = 0;
    int bits = 0;
    for (const char digit : digits) {
        if (digit == '=') {
            break;
        }
        const std::string_view kAll =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        word = word << 6U | static_cast<unsigned>(kAll.find(digit));
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            octets += static_cast<char>(word >> static_cast<unsigned>(bits) & 0xFFU);
        }
    }
    return octets;
}

std::string unpacked(const std::string& digits) {
    std::string packed = from_base64(digits);
    std::string text(1'000'000, '\0');
    z_stream stream{};
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    text.resize(stream.total_out);
    inflateEnd(&stream);
    return text;
}

TEST(PackedText, IsUnpackedToTheSame) {
    for (std::size_t length = 0; length < 20; ++length) {
        const std::string text(length, 'x');
        EXPECT_EQ(unpacked(packed_text(text)), text) << length;
        EXPECT_EQ(packed_text(text).size() % 4, 0U) << length;
    }
    EXPECT_EQ(unpacked(packed_text("</script> \xE2\x80\x93 \"&\"")),
              "</script> \xE2\x80\x93 \"&\"");
}

TEST(PackedText, IsSmallAndSafeInAPage) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) {
        text += std::to_string(i % 100) + ",";
    }
    const std::string packed = packed_text(text);

    EXPECT_LT(packed.size(), text.size() / 10);
    EXPECT_TRUE(std::ranges::all_of(packed, [](char digit) {
        return std::isalnum(static_cast<unsigned char>(digit)) != 0 || digit == '+' ||
               digit == '/' || digit == '=';
    }));
}

}  // namespace
}  // namespace tessera::report
