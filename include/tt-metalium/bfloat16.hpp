// SPDX-License-Identifier: Apache-2.0
// The host's bfloat16 type, and vectors of bfloat16.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// The upper half of a float. Numbers convert by rounding to nearest even; before September 2025
/// the vendor's class truncated.
class bfloat16 {
public:
    static constexpr std::size_t SIZEOF = 2;

    constexpr bfloat16() = default;
    template <class T>
    requires std::is_arithmetic_v<T>
    constexpr bfloat16(T value) noexcept  // NOLINT: vendor's shape
        : bits_(rounded(static_cast<float>(value))) {}

    /// Returns the number truncated to its upper 16 bits.
    [[nodiscard]] static constexpr bfloat16 truncate(float value) noexcept {
        return from_bits(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U));
    }
    [[nodiscard]] static constexpr bfloat16 from_bits(std::uint16_t bits) noexcept {
        bfloat16 number;
        number.bits_ = bits;
        return number;
    }

    constexpr operator float() const noexcept {  // NOLINT: vendor's shape
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16U);
    }
    [[nodiscard]] constexpr float to_float() const noexcept { return *this; }
    [[nodiscard]] constexpr std::uint16_t to_packed() const noexcept { return bits_; }
    [[nodiscard]] constexpr std::uint16_t to_uint16() const noexcept { return bits_; }

    bfloat16& operator+=(float other) noexcept { return *this = bfloat16(to_float() + other); }
    bfloat16& operator-=(float other) noexcept { return *this = bfloat16(to_float() - other); }
    bfloat16& operator*=(float other) noexcept { return *this = bfloat16(to_float() * other); }
    bfloat16& operator/=(float other) noexcept { return *this = bfloat16(to_float() / other); }

private:
    [[nodiscard]] static constexpr std::uint16_t rounded(float value) noexcept {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        if (value != value) {
            return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);  // stays a NaN
        }
        const std::uint32_t odd = (bits >> 16U) & 1U;
        return static_cast<std::uint16_t>((bits + 0x7FFFU + odd) >> 16U);
    }

    std::uint16_t bits_ = 0;
};
static_assert(sizeof(bfloat16) == bfloat16::SIZEOF);

inline std::ostream& operator<<(std::ostream& stream, const bfloat16& number) {
    return stream << number.to_float();
}
template <>
struct fmt::formatter<bfloat16> : fmt::formatter<float> {
    template <class Context>
    auto format(const bfloat16& number, Context& context) const {
        return fmt::formatter<float>::format(number.to_float(), context);
    }
};

// Conversions between words and pairs of numbers. The lower half of a word is the first number.
[[nodiscard]] std::uint32_t pack_two_bfloat16_into_uint32(std::pair<bfloat16, bfloat16> numbers);
[[nodiscard]] std::pair<bfloat16, bfloat16> unpack_two_bfloat16_from_uint32(std::uint32_t word);
[[nodiscard]] std::vector<std::uint32_t> pack_bfloat16_vec_into_uint32_vec(
    const std::vector<bfloat16>& numbers);
[[nodiscard]] inline bfloat16 bfloat16_identity_transform(const bfloat16& number) {
    return number;
}
[[nodiscard]] std::vector<bfloat16> unpack_uint32_vec_into_bfloat16_vec(
    const std::vector<std::uint32_t>& words,
    const std::function<bfloat16(const bfloat16&)>& transform = bfloat16_identity_transform);

// Vectors of `num_bytes` bytes. Random numbers are uniform in [offset, offset + largest).
[[nodiscard]] std::vector<bfloat16> create_random_vector_of_bfloat16_native(std::size_t num_bytes,
                                                                            float largest, int seed,
                                                                            float offset = 0.0F);
[[nodiscard]] std::vector<std::uint32_t> create_random_vector_of_bfloat16(std::size_t num_bytes,
                                                                          int largest, int seed,
                                                                          float offset = 0.0F);
[[nodiscard]] std::vector<std::uint32_t> create_random_vector_of_bfloat16_1_1(std::size_t num_bytes,
                                                                              int seed);
[[nodiscard]] std::vector<std::uint32_t> create_random_vector_of_bfloat16_0_2(std::size_t num_bytes,
                                                                              int seed);
[[nodiscard]] std::vector<std::uint32_t> create_random_binary_vector_of_bfloat16(
    std::size_t num_bytes, int seed);
[[nodiscard]] std::vector<std::uint32_t> create_constant_vector_of_bfloat16(std::size_t num_bytes,
                                                                            float value);
[[nodiscard]] std::vector<std::uint32_t> create_arange_vector_of_bfloat16(std::size_t num_bytes,
                                                                          bool print = true);
/// Returns a row-major matrix with ones on the first `num_ones` places of its diagonal.
[[nodiscard]] std::vector<bfloat16> create_identity_matrix(int rows, int columns, int num_ones);

[[nodiscard]] std::vector<std::uint16_t> u16_from_u32_vector(
    const std::vector<std::uint32_t>& words);
[[nodiscard]] std::vector<std::uint32_t> u32_from_u16_vector(
    const std::vector<std::uint16_t>& halves);

void print_vec_of_uint32_as_packed_bfloat16(const std::vector<std::uint32_t>& words, int num_tiles,
                                            const std::string& name = "", int first_tile = 0);
void print_vec_of_bfloat16(const std::vector<bfloat16>& numbers, int num_tiles,
                           const std::string& name = "", int first_tile = 0);
void print_golden_metalium_vectors(const std::vector<bfloat16>& golden,
                                   const std::vector<bfloat16>& result);

// Comparisons.
[[nodiscard]] bool is_close(float a, float b, float rtol = 0.01F, float atol = 0.001F);
[[nodiscard]] bool equal_within_n_sig_figs(float a, float b, int digits);
[[nodiscard]] bool equal_within_absolute_tolerance(float a, float b, float tolerance);
[[nodiscard]] bool packed_uint32_t_vector_comparison(
    const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
    const std::function<bool(float, float)>& is_equal, int* mismatch = nullptr);
