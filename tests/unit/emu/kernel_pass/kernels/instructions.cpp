// SPDX-License-Identifier: Apache-2.0
// One stretch of work a case; argument 0 names the case, 1 the address of an array of words, 2 how
// many of them.
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

std::uint32_t divide(std::uint32_t count, std::uint32_t divisor) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        sum += sum / (divisor + i) + 1;
    }
    return sum;
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
            return probe_result(divide(count, words[0]));
        case 3:
            return probe_result(rounds_until_one(words));
        case 4:
            return ask_until_one(words);
    }
}
