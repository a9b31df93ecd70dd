// SPDX-License-Identifier: Apache-2.0
void kernel_main() {
    const auto a = static_cast<std::uint32_t>(probe_arg(0));
    const auto b = static_cast<std::uint32_t>(probe_arg(1));
    const auto sa = static_cast<std::int32_t>(a);
    const auto sb = static_cast<std::int32_t>(b);
    probe_result(a / b);
    probe_result(a % b);
    probe_result(static_cast<std::uint32_t>(sa / sb));
    probe_result(static_cast<std::uint32_t>(sa % sb));
    probe_result(static_cast<std::uint32_t>(sa / -1));
    probe_result(a / 10);
}
