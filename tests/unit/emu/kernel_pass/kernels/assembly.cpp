// SPDX-License-Identifier: Apache-2.0
void kernel_main() {
    std::uint32_t hart = 99;
    asm volatile("nop");
    asm volatile("nop\n nop; nop");
    asm volatile("fence" ::: "memory");
    asm volatile("fence.i");
    asm volatile("" ::: "memory");
    asm volatile("csrr %0, mhartid" : "=r"(hart));
    probe_result(hart);
}
