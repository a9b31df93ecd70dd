// SPDX-License-Identifier: Apache-2.0
// Random numbers that are a function of (seed, index). They have no state, so any order and any
// number of threads give the same numbers.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

/// Returns a hash of a word by the finalizer of SplitMix64.
/// Source   Steele, Lea, Flood, OOPSLA 2014; variant 13 of Stafford.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t value) noexcept {
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
    value = (value ^ value >> 27) * 0x94D049BB133111EB;
    return value ^ value >> 31;
}

/// Returns number `index` of the sequence of `seed`.
[[nodiscard]] constexpr std::uint64_t random_word(std::uint64_t seed,
                                                  std::uint64_t index) noexcept {
    return mix64(mix64(seed) + (index + 1) * 0x9E3779B97F4A7C15);
}

/// Returns the 64-bit FNV-1a hash of a text.
[[nodiscard]] constexpr std::uint64_t text_hash(std::string_view text) noexcept {
    std::uint64_t hash = 0xCBF29CE484222325;
    for (const char letter : text) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
    }
    return hash;
}

/// Returns the seed of one named use ("gate_weights", …), so that tensors of one run are
/// independent.
[[nodiscard]] constexpr std::uint64_t seed_for(std::uint64_t seed, std::string_view name) noexcept {
    return mix64(seed + mix64(text_hash(name)));
}

/// Returns a number below `bound` from a random word, with a bias below bound / 2^64.
[[nodiscard]] constexpr std::uint64_t below(std::uint64_t word, std::uint64_t bound) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{word} * bound >> 64);
}

/// Returns 0 … count−1 in a random order.
[[nodiscard]] inline std::vector<std::uint32_t> random_permutation(std::uint64_t seed,
                                                                   std::uint32_t count) {
    std::vector<std::uint32_t> order(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto j = static_cast<std::uint32_t>(below(random_word(seed, i), i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

}  // namespace tessera
