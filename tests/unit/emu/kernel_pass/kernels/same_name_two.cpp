// SPDX-License-Identifier: Apache-2.0
std::uint64_t shared_name = 20;
std::uint64_t helper() {
    return shared_name + 2;
}

void kernel_main() {
    probe_result(helper());
}
