// SPDX-License-Identifier: Apache-2.0
#include "emu/base/random_tensor.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/base/random_tensor.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "emu/base/counted_random.hpp"
#include "tessera/errors.hpp"

#ifndef TESSERA_RUNTIME_HOST_RANDOM_TENSOR_KEYS
#define TESSERA_RUNTIME_HOST_RANDOM_TENSOR_KEYS
namespace tessera {

/// Values that are constant for 2^32 consecutive elements.
struct NormalKeys {
    std::uint32_t first = 0;   ///< xor-ed into the index
    std::uint32_t middle = 0;  ///< between the rounds of the first hash
    std::uint32_t second = 0;  ///< added before the second hash
    float scale = 0;
    float mean = 0;
};

// Sum of four 16-bit words: mean 4 · 65535 / 2.
inline constexpr std::int32_t kMeanOfFourWords = 131070;

}  // namespace tessera
#endif

HWY_BEFORE_NAMESPACE();
namespace tessera::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::uint32_t>;
using Word = hn::Vec<Words>;

// Rounds with the constants of "lowbias32" and "triple32": three times xor-shift and multiply.
HWY_INLINE Word first_hash(Words d, Word index, const NormalKeys& keys) {
    Word x = hn::Xor(index, hn::Set(d, keys.first));
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), hn::Set(d, 0x21F0AAADU));
    x = hn::Xor(x, hn::Set(d, keys.middle));
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), hn::Set(d, 0xD35A2D97U));
    return hn::Xor(x, hn::ShiftRight<15>(x));
}

HWY_INLINE Word second_hash(Words d, Word first, const NormalKeys& keys) {
    Word x = hn::Add(first, hn::Set(d, keys.second));
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<17>(x)), hn::Set(d, 0xED5AD4BBU));
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<11>(x)), hn::Set(d, 0xAC4C1B51U));
    return hn::Xor(x, hn::ShiftRight<15>(x));
}

HWY_INLINE Word sum_of_halves(Words d, Word x) {
    return hn::Add(hn::And(x, hn::Set(d, 0xFFFFU)), hn::ShiftRight<16>(x));
}

/// Returns bfloat16 patterns of the elements `index`, in the low halves.
HWY_INLINE Word normal_bf16(Words d, Word index, const NormalKeys& keys) {
    const hn::RebindToSigned<Words> di;
    const hn::RebindToFloat<Words> df;
    const Word first = first_hash(d, index, keys);
    const Word sum =
        hn::Add(sum_of_halves(d, first), sum_of_halves(d, second_hash(d, first, keys)));
    const auto centred = hn::Sub(hn::BitCast(di, sum), hn::Set(di, kMeanOfFourWords));
    const auto value = hn::Add(hn::Mul(hn::ConvertTo(df, centred), hn::Set(df, keys.scale)),
                               hn::Set(df, keys.mean));
    const Word bits = hn::BitCast(d, value);
    const Word odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1U));
    return hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(d, 0x7FFFU)), odd));
}

/// Writes elements within one range of 2^32: `index` does not wrap.
void fill_run(std::uint16_t* HWY_RESTRICT out, std::size_t count, std::uint32_t index,
              const NormalKeys& keys) {
    const Words d;
    const hn::RebindToSigned<Words> di;
    const hn::Rebind<std::uint16_t, Words> d16;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const Word at = hn::Iota(d, index + static_cast<std::uint32_t>(i));
        hn::StoreU(hn::DemoteTo(d16, hn::BitCast(di, normal_bf16(d, at, keys))), d16, out + i);
    }
    if (i < count) {
        HWY_ALIGN std::array<std::uint32_t, hn::MaxLanes(d)> rest{};
        hn::Store(normal_bf16(d, hn::Iota(d, index + static_cast<std::uint32_t>(i)), keys), d,
                  rest.data());
        std::transform(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count - i), out + i,
                       [](std::uint32_t word) { return static_cast<std::uint16_t>(word); });
    }
}

}  // namespace
}  // namespace tessera::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera {
namespace {

HWY_EXPORT(fill_run);

NormalKeys keys_of(const NormalSequence& sequence, std::uint64_t run) {
    const std::uint64_t key = random_word(sequence.seed, run);
    // Variance of one 16-bit word: (2^32 - 1) / 12.
    const double stddev_of_sum = std::sqrt(4 * 4294967295.0 / 12);
    return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32),
            static_cast<std::uint32_t>(mix64(key)),
            static_cast<float>(sequence.stddev / stddev_of_sum), sequence.mean};
}

}  // namespace

void fill_normal_bf16(std::span<std::uint16_t> out, std::uint64_t first,
                      const NormalSequence& sequence) {
    require(std::isfinite(sequence.mean) && std::isfinite(sequence.stddev) && sequence.stddev >= 0,
            "fill_normal_bf16: mean {} and stddev {} must be finite, stddev not negative",
            sequence.mean, sequence.stddev);
    constexpr std::uint64_t run_length = std::uint64_t{1} << 32;
    while (!out.empty()) {
        const std::uint64_t in_run = first % run_length;
        const auto count = std::min<std::uint64_t>(out.size(), run_length - in_run);
        HWY_DYNAMIC_DISPATCH(fill_run)
        (out.data(), count, static_cast<std::uint32_t>(in_run),
         keys_of(sequence, first / run_length));
        out = out.subspan(count);
        first += count;
    }
}

HostTensor make_normal_bf16(Shape shape, const NormalSequence& sequence) {
    HostTensor tensor = make_host_tensor(std::move(shape), DataFormat::Float16_b);
    fill_normal_bf16(tensor.as<std::uint16_t>(), 0, sequence);
    return tensor;
}

}  // namespace tessera
#endif  // HWY_ONCE
