// SPDX-License-Identifier: Apache-2.0
// Device 2.0: sources and destinations of a Noc's transfers, by coordinates, bank or page.
// Source   tt-metal tt_metal/hw/inc/experimental/endpoints.h.
#pragma once

#include "tessera/kernel/dataflow/noc_address.hpp"
#include "tessera/kernel/dataflow/tensor_accessor.hpp"
#include "tessera/kernel/objects/noc.hpp"

namespace experimental {

/// Address on one node. As the local side of a transfer it is an address in own L1.
struct UnicastEndpoint {};
/// Address on every core of a rectangle.
struct MulticastEndpoint {};

enum class AllocatorBankType : std::uint8_t { L1, DRAM };
/// Address in one bank of the allocator.
template <AllocatorBankType bank_type>
struct AllocatorBank {};

/// Addresses one node by its NoC coordinates.
template <>
struct noc_traits_t<UnicastEndpoint> {
    /// Node and address in it.
    struct src_args_type {
        std::uint32_t noc_x{};
        std::uint32_t noc_y{};
        std::uint32_t addr{};
    };
    using dst_args_type = src_args_type;

    static std::uint32_t local_address(const UnicastEndpoint& /*place*/,
                                       const src_args_type& args) {
        return args.addr;
    }
    static std::uint64_t noc_address(const UnicastEndpoint& /*place*/, std::uint8_t noc,
                                     const src_args_type& args, tessera::CallSite /*site*/) {
        return get_noc_addr(args.noc_x, args.noc_y, args.addr, noc);
    }
};

/// Addresses each core of a rectangle by the NoC coordinates of two corners.
template <>
struct noc_traits_t<MulticastEndpoint> {
    /// Corners of the rectangle (both included) and the address at each core.
    struct dst_args_mcast_type {
        std::uint32_t noc_x_start{};
        std::uint32_t noc_y_start{};
        std::uint32_t noc_x_end{};
        std::uint32_t noc_y_end{};
        std::uint32_t addr{};
    };
    static std::uint64_t multicast_address(const MulticastEndpoint& /*place*/, std::uint8_t noc,
                                           const dst_args_mcast_type& args) {
        return get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end,
                                      args.noc_y_end, args.addr, noc);
    }
};

/// Addresses an allocator's bank by its number.
template <AllocatorBankType bank_type>
struct noc_traits_t<AllocatorBank<bank_type>> {
    /// Bank and address in it.
    struct src_args_type {
        std::uint32_t bank_id{};
        std::uint32_t addr{};
    };
    using dst_args_type = src_args_type;

    static std::uint64_t noc_address(const AllocatorBank<bank_type>& /*place*/, std::uint8_t noc,
                                     const src_args_type& args, tessera::CallSite site) {
        return get_noc_addr_from_bank_id<bank_type == AllocatorBankType::DRAM>(
            args.bank_id, args.addr, noc, site);
    }
};

}  // namespace experimental

namespace tessera::kernel {
/// Addresses the pages of a type with get_noc_addr(page, offset, noc).
template <class Pages>
struct PagedEndpoint {
    /// Page of the buffer and byte offset in it.
    struct src_args_type {
        std::uint32_t page_id{};
        std::uint32_t offset_bytes{};
    };
    using dst_args_type = src_args_type;

    static std::uint64_t noc_address(const Pages& pages, std::uint8_t noc,
                                     const src_args_type& args, CallSite site) {
        return pages.get_noc_addr(args.page_id, args.offset_bytes, noc, site);
    }
    static std::uint32_t local_address(const Pages& pages, const src_args_type& args,
                                       CallSite site) {
        return own_l1_address(noc_address(pages, noc_index, args, site), site);
    }
};
}  // namespace tessera::kernel

namespace experimental {

template <class Spec>
struct noc_traits_t<TensorAccessor<Spec>>
    : tessera::kernel::PagedEndpoint<tessera::kernel::PageAccessor> {};
template <>
struct noc_traits_t<tessera::kernel::PageAccessor>
    : tessera::kernel::PagedEndpoint<tessera::kernel::PageAccessor> {};
template <>
struct noc_traits_t<AbstractTensorAccessorWrapper>
    : tessera::kernel::PagedEndpoint<AbstractTensorAccessorWrapper> {};
/// Addresses a page that an iterator has returned.
template <>
struct noc_traits_t<tensor_accessor::Page> {
    /// Byte offset in the page.
    struct src_args_type {
        std::uint32_t offset_bytes{};
    };
    using dst_args_type = src_args_type;

    static std::uint64_t noc_address(const tensor_accessor::Page& page, std::uint8_t noc,
                                     const src_args_type& args, tessera::CallSite site) {
        return page.noc_addr(noc, site) + args.offset_bytes;
    }
    static std::uint32_t local_address(const tensor_accessor::Page& page, const src_args_type& args,
                                       tessera::CallSite site) {
        return tessera::kernel::own_l1_address(noc_address(page, noc_index, args, site), site);
    }
};
template <class Accessor>
struct noc_traits_t<PageView<Accessor>> : tessera::kernel::PagedEndpoint<PageView<Accessor>> {};
/// Addresses the shards of a tensor.
template <class Accessor>
struct noc_traits_t<ShardView<Accessor>> {
    /// Shard of the tensor and byte offset in it.
    struct src_args_type {
        std::uint32_t shard_id{};
        std::uint32_t offset_bytes{};
    };
    using dst_args_type = src_args_type;

    static std::uint64_t noc_address(const ShardView<Accessor>& shards, std::uint8_t noc,
                                     const src_args_type& args, tessera::CallSite site) {
        return shards.get_noc_addr(args.shard_id, args.offset_bytes, noc, site);
    }
    static std::uint32_t local_address(const ShardView<Accessor>& shards, const src_args_type& args,
                                       tessera::CallSite site) {
        return tessera::kernel::own_l1_address(noc_address(shards, noc_index, args, site), site);
    }
};
template <bool DRAM>
struct noc_traits_t<InterleavedAddrGen<DRAM>>
    : tessera::kernel::PagedEndpoint<InterleavedAddrGen<DRAM>> {};
template <bool DRAM, std::uint32_t tile_hw>
struct noc_traits_t<InterleavedAddrGenFast<DRAM, tile_hw>>
    : tessera::kernel::PagedEndpoint<InterleavedAddrGenFast<DRAM, tile_hw>> {};

}  // namespace experimental
