// SPDX-License-Identifier: Apache-2.0
// Addresses of the pages of interleaved buffers, and transfers of one page. Page `id` is in bank
// id mod banks, at base + (id / banks) · aligned page size.
#pragma once

#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/types.hpp"

namespace tessera::kernel {
template <bool DRAM>
std::uint64_t interleaved_address(std::uint32_t base, std::uint32_t aligned_page_size,
                                  std::uint32_t id, std::uint32_t offset, std::uint8_t noc,
                                  CallSite site) {
    const std::uint32_t banks = DRAM ? num_dram_banks() : num_l1_banks();
    const std::uint64_t local =
        base + std::uint64_t{id / banks} * aligned_page_size + std::uint64_t{offset};
    return DRAM ? dram_page_address({id, base, aligned_page_size}, local, noc, site)
                : l1_bank_address(id % banks, local, site);
}
template <bool DRAM>
std::uint32_t align_page(std::uint32_t page_size) {
    const std::uint32_t alignment = DRAM ? dram_alignment() : l1_alignment();
    return (page_size + alignment - 1) / alignment * alignment;
}
}  // namespace tessera::kernel

/// Returns the NoC address of a page of an interleaved buffer in DRAM.
inline std::uint64_t get_dram_noc_addr(std::uint32_t id, std::uint32_t page_size,
                                       std::uint32_t bank_base_address, std::uint32_t offset = 0,
                                       std::uint8_t noc = noc_index,
                                       tessera::CallSite site = tessera::CallSite::here()) {
    using namespace tessera::kernel;
    return interleaved_address<true>(bank_base_address, align_page<true>(page_size), id, offset,
                                     noc, site);
}

/// Address generator for the pages of an interleaved buffer. Sizes and addresses are in bytes.
template <bool DRAM>
struct InterleavedAddrGen {
    std::uint32_t bank_base_address;
    std::uint32_t page_size;

    std::uint64_t get_noc_addr(std::uint32_t id, std::uint32_t offset = 0,
                               std::uint8_t noc = noc_index,
                               tessera::CallSite site = tessera::CallSite::here()) const {
        return tessera::kernel::interleaved_address<DRAM>(
            bank_base_address, tessera::kernel::align_page<DRAM>(page_size), id, offset, noc, site);
    }
    [[nodiscard]] std::uint32_t transfer_size() const { return page_size; }
};

namespace tessera::kernel {
/// Form of a Pow2AddressGenerator. The vendor has two types, and kernels overload functions for
/// them.
enum class Pow2Form : std::uint8_t { Plain, Fast };
/// Address generator for interleaved pages whose size is a power of two.
template <bool DRAM, Pow2Form form>
struct Pow2AddressGenerator {
    std::uint32_t bank_base_address;
    std::uint32_t log_base_2_of_page_size;

    std::uint64_t get_noc_addr(std::uint32_t id, std::uint32_t offset = 0,
                               std::uint8_t noc = noc_index,
                               tessera::CallSite site = tessera::CallSite::here()) const {
        return tessera::kernel::interleaved_address<DRAM>(
            bank_base_address,
            tessera::kernel::align_page<DRAM>(std::uint32_t{1} << log_base_2_of_page_size), id,
            offset, noc, site);
    }
    [[nodiscard]] std::uint32_t transfer_size() const {
        return std::uint32_t{1} << log_base_2_of_page_size;
    }
};
}  // namespace tessera::kernel

template <bool DRAM>
using InterleavedPow2AddrGen =
    tessera::kernel::Pow2AddressGenerator<DRAM, tessera::kernel::Pow2Form::Plain>;
template <bool DRAM>
using InterleavedPow2AddrGenFast =
    tessera::kernel::Pow2AddressGenerator<DRAM, tessera::kernel::Pow2Form::Fast>;

/// Address generator for interleaved tiles of `data_format`.
template <bool DRAM, std::uint32_t tile_hw = 1024>
struct InterleavedAddrGenFast {
    std::uint32_t bank_base_address;
    std::uint32_t page_size;
    DataFormat data_format;

    std::uint64_t get_noc_addr(std::uint32_t id, std::uint32_t offset = 0,
                               std::uint8_t noc = noc_index,
                               tessera::CallSite site = tessera::CallSite::here()) const {
        return tessera::kernel::interleaved_address<DRAM>(
            bank_base_address, tessera::kernel::align_page<DRAM>(tessera::tile_bytes(data_format)),
            id, offset, noc, site);
    }
    [[nodiscard]] std::uint32_t transfer_size() const { return page_size; }
};

/// Type with get_noc_addr(page): an address generator or a TensorAccessor.
template <class Generator>
concept PageAddresses = requires(const Generator& generator) {
    generator.get_noc_addr(0U);
};

template <PageAddresses Generator>
std::uint64_t get_noc_addr(std::uint32_t id, const Generator& generator, std::uint32_t offset = 0,
                           std::uint8_t noc = noc_index,
                           tessera::CallSite site = tessera::CallSite::here()) {
    return generator.get_noc_addr(id, offset, noc, site);
}

/// Reads (writes) one page of a generator or TensorAccessor.
template <class Generator>
void noc_async_read_page(std::uint32_t id, const Generator& generator, std::uint32_t dst_l1_addr,
                         std::uint32_t offset = 0, std::uint8_t noc = noc_index,
                         tessera::CallSite site = tessera::CallSite::here()) {
    tessera::kernel::noc_read(generator.get_noc_addr(id, offset, noc, site), dst_l1_addr,
                              generator.transfer_size() - offset, noc,
                              tessera::kernel::PacketRule::AnyLength, site);
}
template <class Generator>
void noc_async_write_page(std::uint32_t id, const Generator& generator, std::uint32_t src_l1_addr,
                          std::uint32_t size = 0, std::uint32_t offset = 0,
                          std::uint8_t noc = noc_index,
                          tessera::CallSite site = tessera::CallSite::here()) {
    tessera::kernel::noc_write(src_l1_addr, generator.get_noc_addr(id, offset, noc, site),
                               size == 0 ? generator.transfer_size() - offset : size, noc,
                               tessera::kernel::PacketRule::AnyLength,
                               tessera::kernel::Posting::NonPosted, site);
}
/// Read (write) one page, under the older names of the page transfers.
template <class Generator>
void noc_async_read_tile(std::uint32_t id, const Generator& generator, std::uint32_t dst_l1_addr,
                         std::uint32_t offset = 0, std::uint8_t noc = noc_index,
                         tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_read_page(id, generator, dst_l1_addr, offset, noc, site);
}
template <class Generator>
void noc_async_write_tile(std::uint32_t id, const Generator& generator, std::uint32_t src_l1_addr,
                          std::uint8_t noc = noc_index,
                          tessera::CallSite site = tessera::CallSite::here()) {
    noc_async_write_page(id, generator, src_l1_addr, 0, 0, noc, site);
}
