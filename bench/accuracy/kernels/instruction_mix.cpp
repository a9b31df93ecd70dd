// SPDX-License-Identifier: Apache-2.0
// Rounds of one kind of instruction, unrolled, in a zone. Statements without an instruction stop
// the compiler from folding several instructions into one.
#include "loop_args.hpp"

using namespace tessera::score;

#define OPAQUE(value) asm volatile("" : "+r"(value))
#define TIMES4(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
#define TIMES16(...) TIMES4(TIMES4(__VA_ARGS__))
#define TIMES64(...) TIMES4(TIMES16(__VA_ARGS__))
#define ROUNDS(...)                         \
    for (uint32_t i = 0; i < rounds; ++i) { \
        __VA_ARGS__                         \
    }

namespace {

// Instruction mixes of the same names in mesham/tt-sim, perfbench/retirebench.
enum Mix : uint32_t {
    kAluDep,
    kAluInd,
    kMulDep,
    kMulInd,
    kDivSmall,
    kDivLarge,
    kLoadDep,
    kLoadInd,
    kStoreSpread,
    kBranchNotTaken,
    kBranchTaken
};

// Inlined, because the compiler pass does not count a function without API calls if a polling loop
// may call it.
constexpr uint32_t kLine = 16;
constexpr uint32_t kLineWords = kLine / 4;
constexpr uint32_t kRing = 64;  // lines, 16 times the capacity of Blackhole's cache

[[gnu::always_inline]] inline uint32_t add(uint32_t rounds, uint32_t a) {
    ROUNDS(TIMES64(a += 1; OPAQUE(a);))
    return a;
}

[[gnu::always_inline]] inline uint32_t add_in_four_rows(uint32_t rounds, uint32_t a) {
    uint32_t b = a + 1;
    uint32_t c = a + 2;
    uint32_t d = a + 3;
    ROUNDS(TIMES16(a += 1; OPAQUE(a); b += 1; OPAQUE(b); c += 1; OPAQUE(c); d += 1; OPAQUE(d);))
    return a + b + c + d;
}

[[gnu::always_inline]] inline uint32_t multiply(uint32_t rounds, uint32_t a, uint32_t factor) {
    ROUNDS(TIMES64(a *= factor; OPAQUE(a);))
    return a;
}

[[gnu::always_inline]] inline uint32_t multiply_in_four_rows(uint32_t rounds, uint32_t a,
                                                             uint32_t factor) {
    uint32_t b = a + 1;
    uint32_t c = a + 2;
    uint32_t d = a + 3;
    ROUNDS(TIMES16(a *= factor; OPAQUE(a); b *= factor; OPAQUE(b); c *= factor; OPAQUE(c);
                   d *= factor; OPAQUE(d);))
    return a + b + c + d;
}

[[gnu::always_inline]] inline uint32_t divide(uint32_t rounds, uint32_t dividend,
                                              uint32_t divisor) {
    uint32_t quotient = 0;
    ROUNDS(TIMES16(OPAQUE(dividend); quotient = dividend / divisor; OPAQUE(quotient);))
    return quotient;
}

[[gnu::always_inline]] inline uint32_t follow_ring(uint32_t rounds, uint32_t address) {
    auto* ring = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
    for (uint32_t i = 0; i < kRing; ++i) {
        ring[i * kLineWords] = address + (i + 1) % kRing * kLine;
    }
    DeviceZoneScopedN("mix");
    ROUNDS(TIMES64(address = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);))
    return address;
}

[[gnu::always_inline]] inline uint32_t load_lines(uint32_t rounds, uint32_t address) {
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
    ROUNDS(TIMES4(TIMES4((void)words[0]; (void)words[kLineWords]; (void)words[2 * kLineWords];
                         (void)words[3 * kLineWords];)))
    return 0;
}

[[gnu::always_inline]] inline uint32_t store_lines(uint32_t rounds, uint32_t address) {
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
    ROUNDS(TIMES16(words[0] = address; words[kLineWords] = address; words[2 * kLineWords] = address;
                   words[3 * kLineWords] = address;))
    return 0;
}

[[gnu::always_inline]] inline uint32_t branch(uint32_t rounds, uint32_t a, uint32_t b) {
    uint32_t toggle = 0;
    ROUNDS(TIMES64(toggle ^= 1; OPAQUE(toggle); OPAQUE(a); if (a == b) { asm volatile(""); }))
    return toggle;
}

[[gnu::always_inline]] inline uint32_t run(Mix mix, uint32_t rounds, uint32_t address,
                                           uint32_t operand) {
    switch (mix) {
        case kMulDep:
            return multiply(rounds, 1, operand);
        case kMulInd:
            return multiply_in_four_rows(rounds, 1, operand);
        case kDivSmall:
            return divide(rounds, 0xfff, operand);
        case kDivLarge:
            return divide(rounds, 0x1234'5678, operand);
        case kLoadInd:
            return load_lines(rounds, address);
        case kStoreSpread:
            return store_lines(rounds, address);
        case kBranchNotTaken:
            return branch(rounds, operand, operand + 1);
        case kBranchTaken:
            return branch(rounds, operand, operand);
        case kAluDep:
            return add(rounds, operand);
        default:
            return add_in_four_rows(rounds, operand);
    }
}

}  // namespace

void kernel_main() {
    const auto args = InstructionMixArgs::read();
    const auto mix = static_cast<Mix>(args.mix);
    const uint32_t rounds = args.rounds;
    const uint32_t address = args.address;

    uint32_t result = 0;
    if (mix == kLoadDep) {
        result = follow_ring(rounds, address);
    } else {
        DeviceZoneScopedN("mix");
        result = run(mix, rounds, address, args.operand);
    }
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address) = result;
}
