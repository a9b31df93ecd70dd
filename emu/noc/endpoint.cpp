// SPDX-License-Identifier: Apache-2.0
#include "emu/noc/endpoint.hpp"

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/tolerated.hpp"
#include "emu/mesh/device.hpp"
#include "tessera/window_layout.hpp"

namespace tessera {
namespace {

Endpoint resolve_worker(Core& core, std::uint64_t address, std::uint32_t size, const char* call,
                        CallSite site) {
    const std::uint64_t l1_size = core.arch().l1.size.value;
    if (address + size > l1_size) {
        fault(FaultCategory::OutOfBounds, site,
              "{}: {} bytes at {:#x} leave the L1 of core {}, which has {} bytes", call, size,
              address, to_string(core.logical()), l1_size);
    }
    return {core.l1(static_cast<std::uint32_t>(address)), &core, address,
            NocPlace::worker(core.logical())};
}

// The chip reads and writes the bytes there.
void require_tensor(const Device& device, std::uint32_t bank, std::uint64_t address,
                    std::uint32_t size, const char* call, CallSite site) {
    if (!device.dram_tensors.hold(bank, address, size)) {
        tolerate(current_thread(), Tolerated::DramOutsideTensors, FaultCategory::OutOfBounds, site,
                 call, "{}: {} bytes at {:#x} of DRAM bank {} lie in no tensor: {}", call, size,
                 address, bank, device.dram_tensors.explain(bank, address, size));
    }
}

Endpoint resolve_dram(Device& device, const NocNode& node, std::uint64_t address,
                      std::uint32_t size, const char* call, CallSite site) {
    // A DRAM tile of Wormhole has two banks behind one node, 1 GiB apart in its address space
    // (tt-isa-documentation, WormholeB0/DRAMTile/README.md): the address tells which.
    const DramSpec& spec = device.arch().dram;
    for (const std::uint32_t bank : node.banks) {
        const std::uint64_t begin = spec.endpoints[bank].bank_offset.value;
        if (address >= begin && address + size <= begin + spec.bank_size.value) {
            require_tensor(device, bank, address - begin, size, call, site);
            return {device.dram.bank(bank) + (address - begin), nullptr, address,
                    NocPlace::dram(bank)};
        }
    }
    fault(FaultCategory::OutOfBounds, site,
          "{}: {} bytes at {:#x} lie in no DRAM bank behind this NoC node (banks from {}, {} bytes "
          "each)",
          call, size, address, node.banks.front(), spec.bank_size.value);
}

}  // namespace

Endpoint resolve(Device& device, std::uint64_t noc_address, std::uint32_t size, const char* call,
                 CallSite site) {
    const NocNode& node = device.node(noc_coord(noc_address));
    const std::uint64_t address = noc_local(noc_address);
    switch (node.kind) {
        case NocNodeKind::Worker:
            return resolve_worker(*node.core, address, size, call, site);
        case NocNodeKind::Dram:
            return resolve_dram(device, node, address, size, call, site);
        case NocNodeKind::Nothing:
            break;
    }
    fault(FaultCategory::OutOfBounds, site,
          "{}: neither a worker core nor a DRAM bank answers at NoC coordinate {} of device {}",
          call, to_string(noc_coord(noc_address)), device.id());
}

void check_local(const KernelThread& thread, std::uint32_t address, std::uint32_t size,
                 const char* call, CallSite site) {
    const std::uint64_t l1_size = thread.core().arch().l1.size.value;
    if (std::uint64_t{address} + size <= l1_size) {
        return;
    }
    // On the chip a core's variables and stack are in a memory of its own.
    const bool is_private = address >= kKernelGlobalsOffset;
    fault(FaultCategory::OutOfBounds, site, "{}: {} bytes at local address {:#x} {}", call, size,
          address,
          is_private ? "are variables or the stack of a kernel, which the NoC does not reach"
                     : fmt::format("leave the L1, which has {} bytes", l1_size));
}

bool is_of_firmware(const L1Spec& l1, std::uint64_t address, std::uint64_t size) {
    const std::uint64_t first = l1.semaphores.value;
    const std::uint64_t end = first + l1.num_semaphores * l1.semaphore_stride.value;
    return address < l1.reserved.value && (address < first || address + size > end);
}

void check_firmware(KernelThread& thread, std::uint64_t address, std::uint64_t size,
                    const char* call, const CallSite& site) {
    const L1Spec& l1 = thread.core().arch().l1;
    if (is_of_firmware(l1, address, size)) [[unlikely]] {
        tolerate(thread, Tolerated::FirmwareWritten, FaultCategory::OutOfBounds, site, call,
                 "{}: {} bytes at L1 address {:#x} belong to the firmware; a program's bytes begin "
                 "at {:#x}, its semaphores at {:#x}",
                 call, size, address, l1.reserved.value, l1.semaphores.value);
    }
}

void require_noc(const KernelThread& thread, const char* call, CallSite site) {
    if (thread.compute != nullptr) [[unlikely]] {
        fault(FaultCategory::Unsupported, site, "{} in a compute kernel, which has no NoC", call);
    }
}

bool is_flag(const Endpoint& to, std::uint32_t size) {
    if (to.core == nullptr || to.address % 4 != 0) {
        return false;
    }
    // A semaphore's slot is 16 bytes (l1.semaphore_stride), and kernels send whole slots.
    const L1Spec& l1 = to.core->arch().l1;
    const std::uint64_t end = l1.semaphores.value + l1.num_semaphores * l1.semaphore_stride.value;
    const bool is_semaphore = to.address >= l1.semaphores.value && to.address < end;
    return size == 4 || (size != 0 && size <= 16 && is_semaphore);
}

}  // namespace tessera
