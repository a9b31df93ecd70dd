// SPDX-License-Identifier: Apache-2.0
#include "emu/dram/bank_memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "tessera/errors.hpp"

namespace tessera {

BankMemory::BankMemory(const DramSpec& spec)
    : bank_size_(spec.bank_size.value), total_(spec.num_banks * spec.bank_size.value) {
    void* memory = mmap(nullptr, total_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ensure(memory != MAP_FAILED, "reserving {} bytes of address space for DRAM: {}", total_,
           std::strerror(errno));
    base_ = static_cast<std::byte*>(memory);
}

BankMemory::~BankMemory() {
    munmap(base_, total_);
}

}  // namespace tessera
