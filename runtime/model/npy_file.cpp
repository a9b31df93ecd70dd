// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/npy_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <regex>
#include <string>

#include "emu/base/tensor_file/mapped_file.hpp"
#include "tessera/errors.hpp"

namespace tessera::model {
namespace {

constexpr std::string_view kMagic{"\x93NUMPY", 6};

/// The dictionary of the header, and the data that follow.
struct Parts {
    std::string header;
    std::span<const std::byte> data;
};

Parts parts_of(const std::string& path, std::span<const std::byte> bytes) {
    constexpr std::size_t kFixed = 8;  // magic and version
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    require(bytes.size() > kFixed + 4 && std::string_view(text, kMagic.size()) == kMagic,
            "{}: not a .npy file; allowed: the format of numpy.save", path);
    const auto version = std::to_integer<unsigned>(bytes[kMagic.size()]);
    require(version >= 1 && version <= 3, "{}: has version {} of .npy; allowed: 1 to 3", path,
            version);
    const bool is_short = version == 1;
    const std::size_t length_bytes = is_short ? 2 : 4;
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + kFixed, length_bytes);
    const std::size_t start = kFixed + length_bytes;
    require(length <= bytes.size() - start, "{}: its header has {} B, and {} B follow", path,
            length, bytes.size() - start);
    // The limit of numpy.load, which also bounds the recursion of the patterns below.
    constexpr std::uint32_t kLongestHeader = 10'000;
    require(length <= kLongestHeader, "{}: its header has {} B; allowed: {}", path, length,
            kLongestHeader);
    return {std::string(text + start, length), bytes.subspan(start + length)};
}

/// Returns the text of a key of the header, as the pattern captures it.
std::string value_of(const std::string& path, const std::string& header, const char* pattern) {
    std::smatch found;
    require(std::regex_search(header, found, std::regex(pattern)),
            "{}: its header is {}; allowed: descr, fortran_order and shape", path, header);
    return found[1];
}

std::vector<std::uint64_t> shape_of(const std::string& path, const std::string& header) {
    const std::string text = value_of(path, header, R"('shape':\s*\(([0-9, ]*)\))");
    std::vector<std::uint64_t> shape;
    const std::regex number("[0-9]+");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), number);
         at != std::sregex_iterator(); ++at) {
        const std::string digits = at->str();
        std::uint64_t extent = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), extent);
        require(error == std::errc(), "{}: an extent is {}; allowed: 0 to 2^64 - 1", path, digits);
        shape.push_back(extent);
    }
    return shape;
}

}  // namespace

std::int64_t integer_at(const std::string& path, std::span<const std::byte> bytes, bool is_signed) {
    std::uint64_t value = 0;
    std::ranges::copy(bytes, reinterpret_cast<std::byte*>(&value));
    const std::size_t unused = 64 - 8 * bytes.size();
    if (is_signed) {
        return static_cast<std::int64_t>(value << unused) >> unused;
    }
    // Negative numbers mean "no expert", and a cast would make this one negative.
    require(value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()},
            "{}: holds {}; allowed: integers below 2^63", path, value);
    return static_cast<std::int64_t>(value);
}

bool is_npy(const std::filesystem::path& path) {
    std::string begin(kMagic.size(), '\0');
    std::ifstream file(path, std::ios::binary);
    return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == kMagic;
}

NpyArray read_npy(const std::filesystem::path& path) {
    const MappedFile file(path);
    const std::string name = path.string();
    const Parts parts = parts_of(name, file.bytes());
    const std::string descr = value_of(name, parts.header, R"('descr':\s*'([^']*)')");
    const bool is_integer = descr.size() == 3 && (descr[0] == '<' || descr[0] == '|') &&
                            (descr[1] == 'i' || descr[1] == 'u') &&
                            std::string_view("1248").find(descr[2]) != std::string_view::npos;
    require(is_integer, "{}: dtype {}; allowed: <i2, <i4 and other little-endian integers", name,
            descr);
    require(value_of(name, parts.header, R"('fortran_order':\s*(\w+))") == "False",
            "{}: is in Fortran order; allowed: numpy.ascontiguousarray of it", name);
    NpyArray array{.shape = shape_of(name, parts.header), .values = {}};
    const auto size = static_cast<std::size_t>(descr[2] - '0');
    // Shapes of a broken file may take more than 64 bits, so nothing is multiplied beyond the data.
    std::uint64_t count = 1;
    bool is_too_large = false;
    for (const std::uint64_t extent : array.shape) {
        is_too_large = is_too_large || (extent != 0 && count > parts.data.size() / extent);
        count = is_too_large ? count : count * extent;
    }
    require(!is_too_large && parts.data.size() == count * size,
            "{}: has {} B of data; its shape takes {}", name, parts.data.size(),
            is_too_large ? std::string("more") : fmt::format("{} B", count * size));
    array.values.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        array.values[i] = integer_at(name, parts.data.subspan(i * size, size), descr[1] == 'i');
    }
    return array;
}

}  // namespace tessera::model
