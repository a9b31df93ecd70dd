// SPDX-License-Identifier: Apache-2.0
// Addresses of the pages of a tensor whose geometry the host appended to the compile-time
// arguments: word 0 flag bits, word 1 aligned page size, then the geometry of a sharded tensor
// (rank, banks, tensor shape, shard shape in pages, bank coordinates packed two per word).
// Source   tt-metal #38958 (2026-03-09).
#pragma once

#include "tessera/kernel/dataflow/address_generator.hpp"
#include "tessera/kernel/types.hpp"

namespace tessera::kernel {
inline constexpr std::uint32_t kAccessorSharded = 1;
inline constexpr std::uint32_t kAccessorIsDram = 2;

/// NoC address of a page of a sharded tensor, by the geometry words at `args_offset`.
std::uint64_t sharded_page_address(std::uint32_t args_offset, std::uint32_t base,
                                   std::uint32_t page, std::uint32_t offset, std::uint8_t noc,
                                   CallSite site);
}  // namespace tessera::kernel

/// Names the place of an accessor's words among the compile-time arguments.
template <std::uint32_t CTA_OFFSET, std::uint32_t CRTA_OFFSET = 0>
struct TensorAccessorArgs {
    static constexpr std::uint32_t kOffset = CTA_OFFSET;
    constexpr TensorAccessorArgs() = default;
    /// The place of common runtime arguments, which accessors here do not use.
    constexpr explicit TensorAccessorArgs(std::uint32_t /*crta_offset*/) {}
#ifdef KERNEL_COMPILE_TIME_ARGS
    static constexpr bool is_dram =
        (get_compile_time_arg_val(CTA_OFFSET) & tessera::kernel::kAccessorIsDram) != 0;
    static constexpr bool is_sharded =
        (get_compile_time_arg_val(CTA_OFFSET) & tessera::kernel::kAccessorSharded) != 0;
    static constexpr std::uint32_t AlignedPageSize = get_compile_time_arg_val(CTA_OFFSET + 1);
    static constexpr std::uint32_t get_aligned_page_size() {
        return AlignedPageSize;
    }
    static constexpr std::uint32_t num_compile_time_args() {
        return next_compile_time_args_offset() - CTA_OFFSET;
    }
    /// Index of the first compile-time argument behind this accessor's words.
    static constexpr std::uint32_t next_compile_time_args_offset() {
        constexpr std::uint32_t kFlags = get_compile_time_arg_val(CTA_OFFSET);
        if constexpr ((kFlags & tessera::kernel::kAccessorSharded) == 0) {
            return CTA_OFFSET + 2;
        } else {
            constexpr std::uint32_t kRank = get_compile_time_arg_val(CTA_OFFSET + 2);
            constexpr std::uint32_t kBanks = get_compile_time_arg_val(CTA_OFFSET + 3);
            return CTA_OFFSET + 4 + 2 * kRank + (kBanks + 1) / 2;
        }
    }
#else
    /// Interleaved tensors take two words; in built-in kernels a sharded accessor comes last.
    static constexpr std::uint32_t next_compile_time_args_offset() {
        return CTA_OFFSET + 2;
    }
#endif
    static constexpr std::uint32_t next_common_runtime_args_offset() {
        return CRTA_OFFSET;
    }
};

/// Computes NoC addresses of a tensor's pages, interleaved or sharded.
class TensorAccessor {
public:
    /// `page_size` is what page transfers move; by default the aligned page size.
    template <std::uint32_t CTA_OFFSET, std::uint32_t CRTA_OFFSET>
    TensorAccessor(TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET> /*args*/, std::uint32_t base_address,
                   std::uint32_t page_size = 0)
        : args_offset_(CTA_OFFSET),
          base_(base_address),
          flags_(get_compile_time_arg_val(CTA_OFFSET)),
          aligned_page_size_(get_compile_time_arg_val(CTA_OFFSET + 1)),
          page_size_(page_size == 0 ? aligned_page_size_ : page_size) {}

    std::uint64_t get_noc_addr(std::uint32_t page_id, std::uint32_t offset = 0,
                               std::uint8_t noc = noc_index,
                               tessera::CallSite site = tessera::CallSite::here()) const {
        using namespace tessera::kernel;
        if ((flags_ & kAccessorSharded) != 0) {
            return sharded_page_address(args_offset_, base_, page_id, offset, noc, site);
        }
        return (flags_ & kAccessorIsDram) != 0
                   ? interleaved_address<true>(base_, aligned_page_size_, page_id, offset, noc,
                                               site)
                   : interleaved_address<false>(base_, aligned_page_size_, page_id, offset, noc,
                                                site);
    }
    /// Number and address of one page.
    class Page {
    public:
        Page(const TensorAccessor& tensor, std::uint32_t id) : tensor_(&tensor), id_(id) {}
        [[nodiscard]] std::uint32_t page_id() const { return id_; }
        [[nodiscard]] std::uint64_t noc_addr(
            std::uint8_t noc = noc_index,
            tessera::CallSite site = tessera::CallSite::here()) const {
            return tensor_->get_noc_addr(id_, 0, noc, site);
        }

    private:
        const TensorAccessor* tensor_;
        std::uint32_t id_;
    };
    /// Pages of a range, for a loop over them.
    class Pages {
    public:
        /// Iterator over the pages.
        struct Iterator {
            const TensorAccessor* tensor;
            std::uint32_t id;
            std::uint32_t step;
            Page operator*() const { return {*tensor, id}; }
            Iterator& operator++() {
                id += step;
                return *this;
            }
            bool operator!=(const Iterator& other) const { return id < other.id; }
        };
        Pages(const TensorAccessor& tensor, std::uint32_t first, std::uint32_t end,
              std::uint32_t step)
            : begin_{&tensor, first, step}, end_{&tensor, end, step} {}
        [[nodiscard]] Iterator begin() const { return begin_; }
        [[nodiscard]] Iterator end() const { return end_; }

    private:
        Iterator begin_;
        Iterator end_;
    };
    [[nodiscard]] Pages pages(std::uint32_t first, std::uint32_t end,
                              std::uint32_t step = 1) const {
        return {*this, first, end, step};
    }
    [[nodiscard]] std::uint32_t transfer_size() const { return page_size_; }
    [[nodiscard]] std::uint32_t get_aligned_page_size() const { return aligned_page_size_; }

private:
    std::uint32_t args_offset_;
    std::uint32_t base_;
    std::uint32_t flags_;
    std::uint32_t aligned_page_size_;
    std::uint32_t page_size_;
};

/// Whether a generator states the size of a page with its padding.
template <class Generator>
inline constexpr bool has_get_aligned_page_size_v = requires(const Generator& generator) {
    generator.get_aligned_page_size();
};
