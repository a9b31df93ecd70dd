// SPDX-License-Identifier: Apache-2.0
// Golden vectors of tests/golden: tensors of a safetensors file and their entries in index.json.
// Test code: throws std::runtime_error if anything is missing.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::golden {

inline std::string directory() {
    return std::string(TESSERA_SOURCE_DIR) + "/tests/golden/";
}

inline std::vector<char> bytes_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error("cannot open " + path);
    }
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// One tensor of a golden file.
struct GoldenTensor {
    std::string name;
    std::string dtype;  ///< as in the file: "BF16", "F32", "U32", "I32", "F8_E4M3"
    std::vector<std::uint32_t> shape;
    std::vector<std::byte> bytes;

    template <class T>
    [[nodiscard]] std::vector<T> as() const {
        std::vector<T> values(bytes.size() / sizeof(T));
        std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
        return values;
    }
    /// Returns BF16 or F32 as floats.
    [[nodiscard]] std::vector<float> floats() const {
        if (dtype == "F32") {
            return as<float>();
        }
        std::vector<float> values;
        for (const std::uint16_t bits : as<std::uint16_t>()) {
            values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
        }
        return values;
    }
};

/// A golden file by its stem: GoldenFile("tile_layout").
class GoldenFile {
public:
    explicit GoldenFile(const std::string& stem)
        : bytes_(bytes_of_file(directory() + stem + ".safetensors")) {
        std::uint64_t header_bytes = 0;
        std::memcpy(&header_bytes, bytes_.data(), sizeof(header_bytes));
        data_begin_ = sizeof(header_bytes) + header_bytes;
        header_ = nlohmann::json::parse(bytes_.data() + sizeof(header_bytes),
                                        bytes_.data() + data_begin_);
        const auto index = nlohmann::json::parse(bytes_of_file(directory() + "index.json"));
        for (const auto& entry : index.at("files")) {
            if (entry.at("file") == stem + ".safetensors") {
                entry_ = entry;
            }
        }
    }

    [[nodiscard]] GoldenTensor tensor(const std::string& name) const {
        const auto& entry = header_.at(name);
        const auto offsets = entry.at("data_offsets").get<std::vector<std::size_t>>();
        const auto* first = reinterpret_cast<const std::byte*>(bytes_.data()) + data_begin_;
        return {name,
                entry.at("dtype").get<std::string>(),
                entry.at("shape").get<std::vector<std::uint32_t>>(),
                {first + offsets.at(0), first + offsets.at(1)}};
    }
    [[nodiscard]] bool has(const std::string& name) const { return header_.contains(name); }

    /// Returns the index entry of the whole file: "params", "notes", …
    [[nodiscard]] const nlohmann::json& entry() const { return entry_; }
    /// Returns the index entry of one tensor: "compare", "tolerance", …
    [[nodiscard]] const nlohmann::json& entry_of(const std::string& name) const {
        for (const auto& tensor : entry_.at("tensors")) {
            if (tensor.at("name") == name) {
                return tensor;
            }
        }
        throw std::runtime_error("index.json has no tensor " + name);
    }

private:
    std::vector<char> bytes_;
    std::size_t data_begin_ = 0;
    nlohmann::json header_;
    nlohmann::json entry_;
};

/// Returns one unit in the last place of bf16 at `reference`: 2^(floor(log2|reference|) − 7).
inline double bf16_ulp(double reference) {
    return reference == 0 ? std::ldexp(1.0, -133) : std::ldexp(1.0, std::ilogb(reference) - 7);
}

/// Distance between two sequences, as index.json defines it.
struct Distance {
    double pcc = 0;
    double max_rel_err = 0;  ///< max |test − ref| / max(|ref|, rms(ref))
    double max_ulp = 0;      ///< in bf16 units of the reference
    double mismatch_fraction = 0;
};

inline double pearson(const std::vector<float>& test, const std::vector<float>& reference) {
    const auto count = static_cast<double>(test.size());
    double sum_t = 0;
    double sum_r = 0;
    for (std::size_t i = 0; i < test.size(); ++i) {
        sum_t += test[i];
        sum_r += reference[i];
    }
    double cross = 0;
    double square_t = 0;
    double square_r = 0;
    for (std::size_t i = 0; i < test.size(); ++i) {
        const double t = test[i] - sum_t / count;
        const double r = reference[i] - sum_r / count;
        cross += t * r;
        square_t += t * t;
        square_r += r * r;
    }
    return cross / std::sqrt(square_t * square_r);
}

inline Distance distance(const std::vector<float>& test, const std::vector<float>& reference) {
    if (test.size() != reference.size() || test.empty()) {
        throw std::runtime_error("distance: sequences of different or no length");
    }
    double square = 0;
    for (const float value : reference) {
        square += static_cast<double>(value) * value;
    }
    const double rms = std::sqrt(square / static_cast<double>(reference.size()));
    Distance result{.pcc = pearson(test, reference)};
    std::size_t mismatches = 0;
    for (std::size_t i = 0; i < test.size(); ++i) {
        const bool is_nan = std::isnan(test[i]) || std::isnan(reference[i]);
        const double error = is_nan ? std::numeric_limits<double>::infinity()
                                    : std::abs(static_cast<double>(test[i]) - reference[i]);
        result.max_rel_err = std::max(
            result.max_rel_err, error / std::max(std::abs(static_cast<double>(reference[i])), rms));
        result.max_ulp = std::max(result.max_ulp, error / bf16_ulp(reference[i]));
        mismatches += test[i] == reference[i] ? 0 : 1;
    }
    result.mismatch_fraction =
        static_cast<double>(mismatches) / static_cast<double>(reference.size());
    return result;
}

}  // namespace tessera::golden
