// SPDX-License-Identifier: Apache-2.0
#include "bench/fma_peak.hpp"

#include <thread>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/fma_peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::bench::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;

/// 12 chains hide the latency of two units and leave registers for the factors; returns FLOP.
double multiply_add(std::int64_t steps) {
    const Floats d;
    const auto factor = hn::Set(d, 0.999F);
    const auto addend = hn::Set(d, 0.001F);
    // Different beginnings: equal chains would be merged into one.
    const auto start = [&](int chain) HWY_ATTR { return hn::Set(d, static_cast<float>(chain)); };
    auto s0 = start(0), s1 = start(1), s2 = start(2), s3 = start(3), s4 = start(4);
    auto s5 = start(5), s6 = start(6), s7 = start(7), s8 = start(8), s9 = start(9);
    auto s10 = start(10), s11 = start(11);
    for (std::int64_t i = 0; i < steps; ++i) {
        s0 = hn::MulAdd(s0, factor, addend);
        s1 = hn::MulAdd(s1, factor, addend);
        s2 = hn::MulAdd(s2, factor, addend);
        s3 = hn::MulAdd(s3, factor, addend);
        s4 = hn::MulAdd(s4, factor, addend);
        s5 = hn::MulAdd(s5, factor, addend);
        s6 = hn::MulAdd(s6, factor, addend);
        s7 = hn::MulAdd(s7, factor, addend);
        s8 = hn::MulAdd(s8, factor, addend);
        s9 = hn::MulAdd(s9, factor, addend);
        s10 = hn::MulAdd(s10, factor, addend);
        s11 = hn::MulAdd(s11, factor, addend);
    }
    const auto sum = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)),
                             hn::Add(hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)),
                                     hn::Add(hn::Add(s8, s9), hn::Add(s10, s11))));
    benchmark::DoNotOptimize(hn::GetLane(sum));
    return 2.0 * 12 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(steps);
}

}  // namespace
}  // namespace tessera::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::bench {

HWY_EXPORT(multiply_add);

Work fma_peak(std::uint32_t num_threads) {
    constexpr std::int64_t kSteps = 100'000;
    const auto burst = [] { return HWY_DYNAMIC_DISPATCH(multiply_add)(kSteps); };
    const double flop = burst() * num_threads;
    if (num_threads == 1) {
        return {[burst] { burst(); }, flop};
    }
    // Many bursts for each thread: starting one takes up to 0.1 ms.
    constexpr int kBursts = 40;
    const auto bursts = [burst] {
        for (int i = 0; i < kBursts; ++i) {
            burst();
        }
    };
    return {[bursts, num_threads] {
                std::vector<std::jthread> others;
                for (std::uint32_t i = 1; i < num_threads; ++i) {
                    others.emplace_back(bursts);
                }
                bursts();
            },
            flop * kBursts};
}

}  // namespace tessera::bench
#endif
