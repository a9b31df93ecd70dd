// SPDX-License-Identifier: Apache-2.0
// Mutable state of every kind. The results are listed in the order of GlobalsResult.
int helper_calls = 40;
namespace {
std::uint8_t small = 3;
std::uint64_t wide[3] = {1, 2, 3};
thread_local std::uint32_t per_thread = 9;
std::uint32_t from_argument = static_cast<std::uint32_t>(probe_arg(0)) + 1;
std::uint64_t* const kElements[] = {&wide[2], &wide[0]};
struct Node {
    int value;
    Node* next;
};
Node last{5, nullptr};
Node first{4, &last};

int count_calls() {
    static int calls = 100;
    return ++calls;
}

std::uint64_t first_argument_ever() {
    static const std::uint64_t kFirst = probe_arg(0);
    return kFirst;
}
}  // namespace

void kernel_main() {
    count_calls();
    probe_result(static_cast<std::uint64_t>(count_calls()));
    probe_result(static_cast<std::uint64_t>(++helper_calls));
    probe_result(++small);
    *kElements[0] += 10;
    probe_result(wide[2]);
    probe_result(++per_thread);
    probe_result(from_argument);
    first.next->value += 1;
    probe_result(static_cast<std::uint64_t>(last.value));
    probe_result(first_argument_ever());
    probe_result(reinterpret_cast<std::uintptr_t>(&helper_calls));
}
