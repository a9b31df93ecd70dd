// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/dataflow/noc_address.hpp"

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/tolerated.hpp"
#include "emu/mesh/device.hpp"
#include "emu/noc/endpoint.hpp"

namespace tessera::kernel {
namespace {

const ArchSpec& arch() {
    return current_thread().core().arch();
}

void check_bank(std::uint32_t bank, std::uint32_t count, const char* memory, CallSite site) {
    if (bank >= count) {
        fault(FaultCategory::OutOfBounds, site, "{} bank {} is not below {}", memory, bank, count);
    }
}

}  // namespace

std::uint64_t dram_bank_address(std::uint32_t bank, std::uint64_t offset, std::uint8_t noc,
                                CallSite site) {
    const DramSpec& dram = arch().dram;
    check_bank(bank, dram.num_banks, "DRAM", site);
    current_thread().has_page_address = true;
    const DramEndpoint& endpoint = dram.endpoints[bank];
    return make_noc_address(noc == 0 ? endpoint.noc : endpoint.noc1,
                            endpoint.bank_offset.value + offset);
}

std::uint64_t dram_page_address(const DramPage& page, std::uint64_t offset, std::uint8_t noc,
                                CallSite site) {
    const std::uint32_t banks = num_dram_banks();
    const DramTensors& tensors = current_thread().core().device().dram_tensors;
    // The first page of each bank has the same address at any distance.
    if (page.id >= banks && !tensors.may_have_pages(page.base, page.distance)) [[unlikely]] {
        tolerate(current_thread(), Tolerated::OtherPageSize, FaultCategory::UndefinedBehavior, site,
                 "address", "page {} is addressed with {} bytes a page, but {}", page.id,
                 page.distance, tensors.explain_pages(page.base));
    }
    return dram_bank_address(page.id % banks, offset, noc, site);
}

std::uint64_t l1_bank_address(std::uint32_t bank, std::uint64_t offset, CallSite site) {
    check_bank(bank, num_l1_banks(), "L1", site);
    current_thread().has_page_address = true;
    const Core& core = current_thread().core().device().l1_bank(bank);
    return make_noc_address(core.virtual_coord(), offset);
}

std::uint32_t own_l1_address(std::uint64_t noc_address, CallSite site) {
    const CoreCoord at = noc_coord(noc_address);
    const CoreCoord own = current_thread().core().virtual_coord();
    if (at.x != own.x || at.y != own.y) {
        fault(FaultCategory::OutOfBounds, site,
              "the local side of a transfer is at NoC coordinates ({}, {}), not on this core at "
              "({}, {}): a tensor's page or shard can be the local side only where it is in own L1",
              at.x, at.y, own.x, own.y);
    }
    return static_cast<std::uint32_t>(noc_local(noc_address));
}

std::uint32_t num_dram_banks() {
    return arch().dram.num_banks;
}

std::uint32_t num_l1_banks() {
    const GridSize grid = arch().workers.compute;
    return grid.columns * grid.rows;
}

std::uint32_t dram_alignment() {
    return static_cast<std::uint32_t>(arch().dram.alignment.value);
}

std::uint32_t l1_alignment() {
    return static_cast<std::uint32_t>(arch().l1.alignment.value);
}

}  // namespace tessera::kernel
