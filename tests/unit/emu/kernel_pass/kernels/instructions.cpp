// SPDX-License-Identifier: Apache-2.0
// One stretch of work per case. Argument 0 names the case, 1 the address of an array of words, 2
// the number of words.
namespace {
std::uint32_t add_up(const volatile std::uint32_t* words, std::uint32_t count) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        sum += words[i];
    }
    return sum;
}

void fill(volatile std::uint32_t* words, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        words[i] = 7;
    }
}

// Statements without an instruction hide a value from the compiler.
std::uint32_t opaque(std::uint32_t value) {
    asm volatile("" : "+r"(value));
    return value;
}

std::uint32_t divide(std::uint32_t dividend, std::uint32_t divisor) {
    return opaque(dividend) / divisor;
}

void follow(std::uint32_t address, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        address = *reinterpret_cast<volatile std::uint32_t*>(address);
    }
}

void load_eight(const volatile std::uint32_t* words, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        (void)words[0], (void)words[4], (void)words[8], (void)words[12];
        (void)words[16], (void)words[20], (void)words[24], (void)words[28];
    }
}

void store_four(volatile std::uint32_t* words) {
    words[0] = 1, words[4] = 1, words[8] = 1, words[12] = 1;
}

template <std::uint64_t kBytes>
void clear(volatile std::uint32_t* words) {
    __builtin_memset(const_cast<std::uint32_t*>(words), 0, kBytes);
}

std::uint32_t multiply_in_a_row(std::uint32_t value, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        value = opaque(opaque(opaque(opaque(value) * 7) * 7) * 7) * 7;
    }
    return value;
}

std::uint32_t multiply_apart(std::uint32_t value, std::uint32_t count) {
    std::uint32_t a = value;
    std::uint32_t b = value + 1;
    std::uint32_t c = value + 2;
    std::uint32_t d = value + 3;
    for (std::uint32_t i = 0; i < count; ++i) {
        a = opaque(a) * 7;
        b = opaque(b) * 7;
        c = opaque(c) * 7;
        d = opaque(d) * 7;
    }
    return a + b + c + d;
}

std::uint32_t rounds_until_one(const volatile std::uint32_t* word) {
    std::uint32_t rounds = 0;
    while (*word != 1) {
        ++rounds;
    }
    return rounds;
}

[[gnu::noinline]] bool is_one(const volatile std::uint32_t* word) {
    return *word == 1;
}

void ask_until_one(const volatile std::uint32_t* word) {
    while (!is_one(word)) {
    }
}
}  // namespace

void kernel_main() {
    auto* words = reinterpret_cast<volatile std::uint32_t*>(probe_arg(1));
    const auto count = static_cast<std::uint32_t>(probe_arg(2));
    switch (probe_arg(0)) {
        case 0:
            return probe_result(add_up(words, count));
        case 1:
            return fill(words, count);
        case 2:
            return probe_result(divide(count, opaque(3)));
        case 3:
            return probe_result(rounds_until_one(words));
        case 4:
            return ask_until_one(words);
        case 5:
            return follow(static_cast<std::uint32_t>(probe_arg(1)), count);
        case 6:
            return load_eight(words, count);
        case 7:
            return store_four(words);
        case 8:
            return probe_result(multiply_in_a_row(opaque(3), count));
        case 9:
            return probe_result(multiply_apart(opaque(3), count));
        case 10:
            return clear<2048>(words);
        case 11:
            return clear<4096>(words);
        case 12:  // never run: its length must not take the compiler's time
            return clear<std::uint64_t{1} << 37U>(words);
    }
}
