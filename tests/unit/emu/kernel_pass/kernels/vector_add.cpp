// SPDX-License-Identifier: Apache-2.0
void kernel_main() {
    const auto x = reinterpret_cast<std::uint32_t*>(static_cast<std::uint32_t>(probe_arg(0)));
    const auto y = reinterpret_cast<std::uint32_t*>(static_cast<std::uint32_t>(probe_arg(1)));
    const auto z = reinterpret_cast<std::uint32_t*>(static_cast<std::uint32_t>(probe_arg(2)));
    const auto count = static_cast<std::uint32_t>(probe_arg(3));
    for (std::uint32_t i = 0; i < count; ++i) {
        z[i] = x[i] + y[i];
    }
}
