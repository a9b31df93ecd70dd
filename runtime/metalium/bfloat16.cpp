// SPDX-License-Identifier: Apache-2.0
#include "tt-metalium/bfloat16.hpp"

#include <algorithm>
#include <cstdio>
#include <random>

#include "tessera/errors.hpp"

namespace {

template <class Next>
std::vector<std::uint32_t> packed(std::size_t num_bytes, Next next) {
    std::vector<std::uint32_t> words(num_bytes / sizeof(std::uint32_t));
    for (std::uint32_t& word : words) {
        const bfloat16 first(next());
        word = pack_two_bfloat16_into_uint32({first, bfloat16(next())});
    }
    return words;
}

/// Uniform numbers in [low, high).
class RandomFloats {
public:
    RandomFloats(float low, float high, int seed)
        : generator_(static_cast<std::uint32_t>(seed)), numbers_(low, high) {}
    float operator()() { return numbers_(generator_); }

private:
    std::mt19937 generator_;
    std::uniform_real_distribution<float> numbers_;
};

void print_tiles(const std::vector<float>& numbers, int num_tiles, const std::string& name,
                 int first_tile) {
    constexpr std::size_t kRow = 32;
    constexpr std::size_t kTile = kRow * kRow;
    std::printf("%s\n", name.c_str());
    const std::size_t begin = static_cast<std::size_t>(first_tile) * kTile;
    const std::size_t end =
        std::min(numbers.size(), begin + static_cast<std::size_t>(num_tiles) * kTile);
    for (std::size_t i = begin; i < end; ++i) {
        std::printf("%g%s", static_cast<double>(numbers[i]), i % kRow == kRow - 1 ? "\n" : ", ");
    }
}

}  // namespace

std::uint32_t pack_two_bfloat16_into_uint32(std::pair<bfloat16, bfloat16> numbers) {
    return static_cast<std::uint32_t>(numbers.first.to_uint16()) |
           static_cast<std::uint32_t>(numbers.second.to_uint16()) << 16U;
}

std::pair<bfloat16, bfloat16> unpack_two_bfloat16_from_uint32(std::uint32_t word) {
    return {bfloat16::from_bits(static_cast<std::uint16_t>(word)),
            bfloat16::from_bits(static_cast<std::uint16_t>(word >> 16U))};
}

std::vector<std::uint32_t> pack_bfloat16_vec_into_uint32_vec(const std::vector<bfloat16>& numbers) {
    tessera::require(numbers.size() % 2 == 0,
                     "pack_bfloat16_vec_into_uint32_vec: {} numbers, allowed: an even number",
                     numbers.size());
    std::vector<std::uint32_t> words;
    words.reserve(numbers.size() / 2);
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
        words.push_back(pack_two_bfloat16_into_uint32({numbers[i], numbers[i + 1]}));
    }
    return words;
}

std::vector<bfloat16> unpack_uint32_vec_into_bfloat16_vec(
    const std::vector<std::uint32_t>& words,
    const std::function<bfloat16(const bfloat16&)>& transform) {
    std::vector<bfloat16> numbers;
    numbers.reserve(words.size() * 2);
    for (const std::uint32_t word : words) {
        const auto [first, second] = unpack_two_bfloat16_from_uint32(word);
        numbers.push_back(transform(first));
        numbers.push_back(transform(second));
    }
    return numbers;
}

std::vector<bfloat16> create_random_vector_of_bfloat16_native(std::size_t num_bytes, float largest,
                                                              int seed, float offset) {
    RandomFloats next(0.0F, largest, seed);
    std::vector<bfloat16> numbers(num_bytes / sizeof(bfloat16));
    std::ranges::generate(numbers, [&] { return bfloat16(next() + offset); });
    return numbers;
}

std::vector<std::uint32_t> create_random_vector_of_bfloat16(std::size_t num_bytes, int largest,
                                                            int seed, float offset) {
    RandomFloats next(0.0F, static_cast<float>(largest), seed);
    return packed(num_bytes, [&] { return next() + offset; });
}
std::vector<std::uint32_t> create_random_vector_of_bfloat16_1_1(std::size_t num_bytes, int seed) {
    return packed(num_bytes, RandomFloats(-1.0F, 1.0F, seed));
}
std::vector<std::uint32_t> create_random_vector_of_bfloat16_0_2(std::size_t num_bytes, int seed) {
    return packed(num_bytes, RandomFloats(0.0F, 2.0F, seed));
}
std::vector<std::uint32_t> create_random_binary_vector_of_bfloat16(std::size_t num_bytes,
                                                                   int seed) {
    RandomFloats next(0.0F, 1.0F, seed);
    return packed(num_bytes, [&] { return next() > 0.5F ? 1.0F : 0.0F; });
}
std::vector<std::uint32_t> create_constant_vector_of_bfloat16(std::size_t num_bytes, float value) {
    return packed(num_bytes, [&] { return value; });
}
std::vector<std::uint32_t> create_arange_vector_of_bfloat16(std::size_t num_bytes, bool print) {
    float next = 0;
    std::vector<std::uint32_t> words = packed(num_bytes, [&] { return next++; });
    if (print) {
        print_vec_of_uint32_as_packed_bfloat16(words, 1, "arange");
    }
    return words;
}
std::vector<bfloat16> create_identity_matrix(int rows, int columns, int num_ones) {
    std::vector<bfloat16> matrix(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns),
                                 bfloat16(0.0F));
    for (int i = 0; i < num_ones; ++i) {
        matrix.at(static_cast<std::size_t>(i) * static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(i)) = bfloat16(1.0F);
    }
    return matrix;
}

std::vector<std::uint16_t> u16_from_u32_vector(const std::vector<std::uint32_t>& words) {
    std::vector<std::uint16_t> halves;
    for (const std::uint32_t word : words) {
        halves.push_back(static_cast<std::uint16_t>(word));
        halves.push_back(static_cast<std::uint16_t>(word >> 16U));
    }
    return halves;
}
std::vector<std::uint32_t> u32_from_u16_vector(const std::vector<std::uint16_t>& halves) {
    std::vector<std::uint32_t> words;
    for (std::size_t i = 0; i + 1 < halves.size(); i += 2) {
        words.push_back(halves[i] | static_cast<std::uint32_t>(halves[i + 1]) << 16U);
    }
    return words;
}

void print_vec_of_bfloat16(const std::vector<bfloat16>& numbers, int num_tiles,
                           const std::string& name, int first_tile) {
    print_tiles({numbers.begin(), numbers.end()}, num_tiles, name, first_tile);
}
void print_vec_of_uint32_as_packed_bfloat16(const std::vector<std::uint32_t>& words, int num_tiles,
                                            const std::string& name, int first_tile) {
    print_vec_of_bfloat16(unpack_uint32_vec_into_bfloat16_vec(words), num_tiles, name, first_tile);
}
void print_golden_metalium_vectors(const std::vector<bfloat16>& golden,
                                   const std::vector<bfloat16>& result) {
    print_vec_of_bfloat16(golden, 1, "golden");
    print_vec_of_bfloat16(result, 1, "metalium");
}

bool is_close(float a, float b, float rtol, float atol) {
    const float difference = std::fabs(a - b);
    const float scale = std::max(std::fabs(a), std::fabs(b));
    return difference <= atol || difference <= rtol * scale;
}
bool equal_within_n_sig_figs(float a, float b, int digits) {
    return is_close(a, b, std::pow(10.0F, static_cast<float>(1 - digits)), 0.0F);
}
bool equal_within_absolute_tolerance(float a, float b, float tolerance) {
    return std::fabs(a - b) < tolerance;
}
bool packed_uint32_t_vector_comparison(const std::vector<std::uint32_t>& a,
                                       const std::vector<std::uint32_t>& b,
                                       const std::function<bool(float, float)>& is_equal,
                                       int* mismatch) {
    const std::vector<bfloat16> left = unpack_uint32_vec_into_bfloat16_vec(a);
    const std::vector<bfloat16> right = unpack_uint32_vec_into_bfloat16_vec(b);
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        if (!is_equal(left[i], right[i])) {
            if (mismatch != nullptr) {
                *mismatch = static_cast<int>(i / 2);
            }
            return false;
        }
    }
    return left.size() == right.size();
}
