// SPDX-License-Identifier: Apache-2.0
// Each kind of address that a kernel may hold, all of the same L1 word (argument 0).
namespace {
volatile std::uint32_t* const kFixed = reinterpret_cast<volatile std::uint32_t*>(0x2000);
const std::uint32_t kInReadOnlyMemory = 77;
}  // namespace

void kernel_main() {
    const auto address = static_cast<std::uint32_t>(probe_arg(0));
    const std::uintptr_t wide = address;
    const auto negative = static_cast<std::int32_t>(probe_arg(1));
    const auto* host = reinterpret_cast<const std::uint32_t*>(probe_arg(2));
    std::uint32_t local = 55;

    auto* word = reinterpret_cast<std::uint32_t*>(address);
    probe_result(*word);
    probe_result(*reinterpret_cast<std::uint32_t*>(wide));
    probe_result((std::uint32_t)word);
    probe_result(*reinterpret_cast<std::uint32_t*>((std::uint32_t)(word + 1)));
    probe_result(*kFixed);
    probe_result(*host);
    probe_result(*reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::uintptr_t>(word)));

    const auto local_address = (std::uint32_t)&local;
    *reinterpret_cast<volatile std::uint32_t*>(local_address) += 1;
    probe_result(local);
    probe_result(*reinterpret_cast<std::uint32_t*>((std::int32_t)local_address));
    probe_result(reinterpret_cast<std::uintptr_t>(reinterpret_cast<void*>(negative)));
    const volatile auto read_only = reinterpret_cast<std::uintptr_t>(&kInReadOnlyMemory);
    probe_result(*reinterpret_cast<const std::uint32_t*>(read_only));
}
