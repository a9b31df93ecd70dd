// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_file/safetensors_header.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "emu/base/refusal.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr const char* kMetadataKey = "__metadata__";

std::uint64_t little_endian(std::span<const std::byte> bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i) {
        value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    }
    return value;
}

/// Kind of file that users give in place of a safetensors file, by its first bytes.
struct OtherKind {
    std::string_view start;
    std::string_view name;
};
constexpr std::array kOtherKinds{
    OtherKind{"\x93NUMPY", "a .npy file of NumPy"},
    OtherKind{"PK\x03\x04", "a ZIP archive, as .npz and .pt files are"}};

void refuse_other_kinds(const std::string& file, std::string_view start) {
    for (const OtherKind& kind : kOtherKinds) {
        require(!start.starts_with(kind.start),
                "{}: is {}; allowed: a safetensors file, as save_file of safetensors.numpy or "
                "safetensors.torch writes it",
                file, kind.name);
    }
}

std::string_view header_text(const std::string& file, std::span<const std::byte> bytes) {
    require(bytes.size() >= kLengthBytes,
            "{}: {} bytes; a safetensors file starts with 8 bytes of header length", file,
            bytes.size());
    const std::uint64_t length = little_endian(bytes);
    // Eight letters, read as a number, exceed the length of any header.
    const std::string_view start(reinterpret_cast<const char*>(bytes.data()), kLengthBytes);
    refuse_other_kinds(file, start);
    const bool is_text = std::ranges::all_of(start, [](char c) {
        return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
    });
    require(!is_text,
            "{}: begins with the text '{}'; allowed: a safetensors file, which begins with 8 bytes "
            "of header length",
            file, start.substr(0, start.find_first_of("\r\n")));
    require(length <= kMaxHeaderBytes, "{}: header length {} is above the limit of {}", file,
            length, kMaxHeaderBytes);
    require(length <= bytes.size() - kLengthBytes,
            "{}: header length {} goes beyond the file, which has {} bytes behind the length", file,
            length, bytes.size() - kLengthBytes);
    return {reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, length};
}

/// Checks a header once before it is parsed. Refuses text that is not JSON, numbers beyond the
/// range of a double, and repeated keys in one object, of which the parser would keep the last.
/// (The parser's own callback for keys searches an object at the end of each member.)
class HeaderScan final : public nlohmann::json_sax<Json> {
public:
    HeaderScan(const std::string& file, std::size_t size) : file_(file), size_(size) {}

    bool start_object(std::size_t) override {
        open_.emplace_back();
        return true;
    }
    bool end_object() override {
        open_.pop_back();
        return true;
    }
    bool key(string_t& name) override {
        require(open_.back().insert(name).second,
                "{}: header has the key \"{}\" twice; names are unique", file_, name);
        return true;
    }
    bool parse_error(std::size_t position, const std::string& token,
                     const nlohmann::detail::exception& error) override {
        require(dynamic_cast<const Json::out_of_range*>(&error) == nullptr,
                "{}: header has the number {} at its byte {}, which is out of range", file_, token,
                position);
        throw UsageError(fmt::format("{}: header is not JSON: error at its byte {} of {}", file_,
                                     position, size_));
    }
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }

private:
    const std::string& file_;
    std::size_t size_;
    std::vector<std::unordered_set<std::string>> open_;  ///< keys of each enclosing object
};

Json parse_json(const std::string& file, std::string_view text) {
    require_allowed(!text.empty() && text.front() == '{', file, "header", "does not start with '{'",
                    "a JSON object");
    HeaderScan scan(file, text.size());
    Json::sax_parse(text.begin(), text.end(), &scan);
    return Json::parse(text.begin(), text.end());
}

/// Returns a value for a message. Nested values are shown by their type only, as they may be deep.
std::string shown(const Json& node) {
    return node.is_structured() ? std::string("an ") + node.type_name() : node.dump();
}

FileMetadata parse_metadata(const std::string& file, const Json& node) {
    require_allowed(node.is_object(), file, kMetadataKey, node.type_name(), "an object of strings");
    FileMetadata metadata;
    for (const auto& [key, value] : node.items()) {
        require_allowed(value.is_string(), file, fmt::format("{} \"{}\"", kMetadataKey, key),
                        value.type_name(), "a string");
        metadata[key] = value.get<std::string>();
    }
    return metadata;
}

/// Parses the members of one tensor's object.
class EntryParser {
public:
    EntryParser(const std::string& file, const std::string& name, const Json& node)
        : file_(file), name_(name), node_(node) {}

    /// Parses the entry and checks its range in `data_bytes` of data.
    [[nodiscard]] TensorEntry parse(std::uint64_t data_bytes) const {
        require_allowed(node_.is_object(), where(), "entry", node_.type_name(), "an object");
        for (const auto& [key, value] : node_.items()) {
            require_allowed(key == "dtype" || key == "shape" || key == "data_offsets", where(),
                            "unknown key", '"' + key + '"', "dtype, shape, data_offsets");
        }
        TensorEntry entry{name_, dtype(), {}, 0, 0};
        const std::vector<std::uint64_t> extents = shape();
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
        for (const std::uint64_t extent : extents) {
            if (extent > kMost) {
                entry.unreadable = fmt::format(
                    "extent of shape: {}, allowed: integers from 0 to {}", extent, kMost);
            }
        }
        if (entry.unreadable.empty()) {
            entry.shape.assign(extents.begin(), extents.end());
        }
        read_offsets(entry);
        check_size(entry, extents, data_bytes);
        return entry;
    }

private:
    [[nodiscard]] std::string where() const { return fmt::format("{}: tensor {}", file_, name_); }

    [[nodiscard]] const Json& member(const char* key) const {
        const auto found = node_.find(key);
        require(found != node_.end(), "{}: tensor {}: {} is missing", file_, name_, key);
        return *found;
    }

    [[nodiscard]] Dtype dtype() const {
        const Json& node = member("dtype");
        require_allowed(node.is_string(), where(), "dtype", node.type_name(), "a string");
        const auto& text = node.get_ref<const std::string&>();
        const std::optional<Dtype> known = dtype_named(text);
        require_allowed(known.has_value(), where(), "unknown dtype", '"' + text + '"',
                        all_dtype_names());
        return *known;
    }

    [[nodiscard]] std::vector<std::uint64_t> shape() const {
        const Json& node = member("shape");
        require_allowed(node.is_array(), where(), "shape", node.type_name(), "an array");
        std::vector<std::uint64_t> extents;
        for (const Json& extent : node) {
            require_allowed(
                extent.is_number_unsigned(), where(), "extent of shape", shown(extent),
                fmt::format("integers from 0 to {}", std::numeric_limits<std::uint32_t>::max()));
            extents.push_back(extent.get<std::uint64_t>());
        }
        return extents;
    }

    void read_offsets(TensorEntry& entry) const {
        const Json& node = member("data_offsets");
        require_allowed(node.is_array() && node.size() == 2, where(), "data_offsets",
                        node.is_array() ? fmt::format("an array of {}", node.size()) : shown(node),
                        "[begin, end] in bytes");
        for (const Json& offset : node) {
            require_allowed(offset.is_number_unsigned(), where(), "data_offsets", shown(offset),
                            "integers from 0 up");
        }
        entry.begin = node[0].get<std::uint64_t>();
        entry.end = node[1].get<std::uint64_t>();
    }

    void check_size(const TensorEntry& entry, const std::vector<std::uint64_t>& extents,
                    std::uint64_t data_bytes) const {
        require(entry.begin <= entry.end && entry.end <= data_bytes,
                "{}: data_offsets [{}, {}] lie outside the {} bytes of data", where(), entry.begin,
                entry.end, data_bytes);
        const std::uint64_t due = tensor_bytes(file_, name_, entry.dtype, extents);
        require(entry.end - entry.begin == due,
                "{}: data_offsets [{}, {}] hold {} bytes, but shape ({}) of {} takes {}", where(),
                entry.begin, entry.end, entry.end - entry.begin, fmt::join(extents, ","),
                name_of(entry.dtype), due);
    }

    const std::string& file_;
    const std::string& name_;
    const Json& node_;
};

void check_cover(const std::string& file, const std::vector<TensorEntry>& entries,
                 std::uint64_t data_bytes) {
    std::uint64_t covered = 0;
    for (const TensorEntry& entry : entries) {
        require(entry.begin >= covered,
                "{}: tensor {}: data_offsets [{}, {}] overlap the tensor before, which ends at {}",
                file, entry.name, entry.begin, entry.end, covered);
        require(entry.begin == covered,
                "{}: tensor {}: data_offsets [{}, {}] leave a hole from byte {} on", file,
                entry.name, entry.begin, entry.end, covered);
        covered = entry.end;
    }
    require(covered == data_bytes, "{}: {} of the {} bytes of data belong to no tensor", file,
            data_bytes - covered, data_bytes);
}

}  // namespace

std::uint64_t tensor_bytes(const std::string& file, const std::string& name, Dtype dtype,
                           const std::vector<std::uint64_t>& extents) {
    // Packed elements fill whole bytes in groups of eight: the bits of one element are the bytes of
    // a group.
    std::uint64_t elements = 1;
    std::uint64_t bytes = 0;
    bool fits = true;
    for (const std::uint64_t extent : extents) {
        fits = !__builtin_mul_overflow(elements, extent, &elements) && fits;
    }
    const std::uint64_t bits = element_bits(dtype);
    const std::uint64_t rest = elements % 8 * bits;
    fits = !__builtin_mul_overflow(elements / 8, bits, &bytes) && fits;
    fits = !__builtin_add_overflow(bytes, rest / 8, &bytes) && fits;
    const auto shape = [&] { return fmt::format("({})", fmt::join(extents, ",")); };
    require(fits, "{}: tensor {}: shape {} of {} takes 2^64 bytes or more", file, name, shape(),
            name_of(dtype));
    require(rest % 8 == 0, "{}: tensor {}: shape {} of {} takes {} bits; allowed: whole bytes",
            file, name, shape(), name_of(dtype), 8 * bytes + rest % 8);
    return bytes;
}

SafetensorsHeader parse_safetensors_header(const std::string& file,
                                           std::span<const std::byte> bytes) {
    const std::string_view text = header_text(file, bytes);
    const Json json = parse_json(file, text);
    SafetensorsHeader header;
    header.data_offset = kLengthBytes + text.size();
    const std::uint64_t data_bytes = bytes.size() - header.data_offset;
    for (const auto& [key, node] : json.items()) {
        if (key == kMetadataKey) {
            header.metadata = parse_metadata(file, node);
            continue;
        }
        header.entries.push_back(EntryParser(file, key, node).parse(data_bytes));
    }
    std::ranges::stable_sort(header.entries, {},
                             [](const TensorEntry& e) { return std::pair(e.begin, e.end); });
    check_cover(file, header.entries, data_bytes);
    return header;
}

std::string format_safetensors_header(const FileMetadata& metadata,
                                      std::span<const TensorEntry> entries) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    if (!metadata.empty()) {
        json[kMetadataKey] = metadata;
    }
    for (const TensorEntry& entry : entries) {
        json[entry.name] = {{"dtype", name_of(entry.dtype)},
                            {"shape", entry.shape},
                            {"data_offsets", {entry.begin, entry.end}}};
    }
    std::string text = json.dump();
    text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
    std::string length(kLengthBytes, '\0');
    for (std::size_t i = 0; i < kLengthBytes; ++i) {
        length[i] = static_cast<char>(text.size() >> (8 * i) & 0xFF);
    }
    return length + text;
}

}  // namespace tessera
