// SPDX-License-Identifier: Apache-2.0
// One loop per case; argument 0 names the case, 1 the address of a word or an array of words.
namespace {
void poll(const volatile std::uint32_t* word) {
    while (*word != 1) {  // line 5
    }
}

void poll_with_timeout(const volatile std::uint32_t* word) {
    for (std::uint32_t i = 0; i < 1'000'000 && *word != 1; ++i) {  // line 10
    }
}

std::uint32_t add_up(const volatile std::uint32_t* words, std::uint32_t count) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        sum += words[i % 16];
    }
    return sum;
}

// A generator of full period: it visits every 16-bit number once.
std::uint32_t period() {
    std::uint32_t rounds = 0;
    std::uint32_t x = 0;
    do {  // line 26
        x = (5 * x + 3) & 0xffff;
        ++rounds;
    } while (x != 0);
    return rounds;
}
}  // namespace

void kernel_main() {
    auto* word = reinterpret_cast<volatile std::uint32_t*>(probe_arg(1));
    switch (probe_arg(0)) {
        case 0:
            return poll(word);
        case 1:
            return poll_with_timeout(word);
        case 2:
            return probe_result(add_up(word, static_cast<std::uint32_t>(probe_arg(2))));
        case 3:
            return probe_result(period());
    }
}
