// SPDX-License-Identifier: Apache-2.0
// The geometry of a tensor in pages, which the host appended to the compile-time
// arguments: word 0 flag bits, word 1 aligned page size, then the geometry of a sharded tensor
// (rank, banks, tensor shape, shard shape in pages, bank coordinates packed two per word).
// Source   tt-metal #38958 (2026-03-09).
#pragma once

#include "tessera/kernel/dataflow/args.hpp"
#include "tessera/kernel/types.hpp"

namespace tessera::kernel {
inline constexpr std::uint32_t kAccessorSharded = 1;
inline constexpr std::uint32_t kAccessorIsDram = 2;

/// Returns the NoC address of a page of a sharded tensor, by the geometry words at `args_offset`.
std::uint64_t sharded_page_address(std::uint32_t args_offset, std::uint32_t base,
                                   std::uint32_t page, std::uint32_t offset, std::uint8_t noc,
                                   CallSite site);
/// Returns the distance of a tensor's pages. For an interleaved tensor it is `page_size` rounded up
/// to the alignment; for a sharded one it is the aligned page size that the host put into word
/// `arg`.
std::uint32_t page_distance(std::uint32_t arg, std::uint32_t page_size);
/// Throws KernelFault{Unsupported}: an interleaved tensor has no shards.
[[noreturn]] void refuse_interleaved(const char* call, CallSite site);

/// Extents of a tensor or a shard in pages, from the words of an accessor.
class AccessorShape {
public:
    AccessorShape(std::uint32_t first_word, std::uint32_t rank) : first_(first_word), rank_(rank) {}
    std::uint32_t operator[](std::uint32_t dimension) const {
        return get_compile_time_arg_val(first_ + dimension);
    }
    [[nodiscard]] std::uint32_t size() const { return rank_; }
    [[nodiscard]] std::uint32_t volume() const {
        std::uint32_t product = 1;
        for (std::uint32_t i = 0; i < rank_; ++i) {
            product *= (*this)[i];
        }
        return product;
    }

private:
    std::uint32_t first_;
    std::uint32_t rank_;
};
}  // namespace tessera::kernel

namespace tensor_accessor {
inline constexpr std::uint32_t MAX_RANK = 8;

/// Geometry of a sharded tensor in pages, as the host appended it.
class DistributionSpec {
public:
    explicit DistributionSpec(std::uint32_t args_offset) : at_(args_offset) {}
    [[nodiscard]] std::uint32_t rank() const { return get_compile_time_arg_val(at_ + 2); }
    [[nodiscard]] std::uint32_t num_banks() const { return get_compile_time_arg_val(at_ + 3); }
    [[nodiscard]] tessera::kernel::AccessorShape tensor_shape() const { return {at_ + 4, rank()}; }
    [[nodiscard]] tessera::kernel::AccessorShape shard_shape() const {
        return {at_ + 4 + rank(), rank()};
    }
    [[nodiscard]] std::uint32_t tensor_volume() const { return tensor_shape().volume(); }
    [[nodiscard]] std::uint32_t shard_volume() const { return shard_shape().volume(); }
    /// Returns the page at a place of a shard, both row-major; the tensor's volume if the place is
    /// outside of the tensor.
    [[nodiscard]] std::uint32_t page_of(std::uint32_t shard, std::uint32_t place) const {
        std::uint32_t page = 0;
        std::uint32_t stride = 1;
        for (std::uint32_t i = rank(); i-- > 0;) {
            const std::uint32_t extent = tensor_shape()[i];
            const std::uint32_t of_shard = shard_shape()[i];
            const std::uint32_t shards = (extent + of_shard - 1) / of_shard;
            const std::uint32_t coordinate = shard % shards * of_shard + place % of_shard;
            if (coordinate >= extent) {
                return tensor_volume();
            }
            page += coordinate * stride;
            stride *= extent;
            shard /= shards;
            place /= of_shard;
        }
        return page;
    }

private:
    std::uint32_t at_;
};

/// Geometry of an interleaved tensor that the kernel describes itself.
template <bool dram>
struct InterleavedSpec {
    static constexpr bool is_interleaved = true;
    static constexpr bool is_dram = dram;
    static constexpr bool is_static = false;
    static constexpr bool has_static_rank = false;
    static constexpr bool tensor_shape_static = false;
    static constexpr bool shard_shape_static = false;
    static constexpr std::uint32_t rank_ct = 0;
    static constexpr std::uint32_t num_banks_ct = 0;
};
template <bool is_dram>
constexpr InterleavedSpec<is_dram> make_interleaved_dspec() {
    return {};
}
/// Tensor that the program names. The words of its accessor begin at compile-time argument
/// CTA_OFFSET; its address is the common runtime argument at byte ADDR_CRTA_OFFSET.
template <std::uint32_t CTA_OFFSET, std::uint32_t ADDR_CRTA_OFFSET>
struct TensorAccessorBindingToken {};
}  // namespace tensor_accessor

namespace tensor_accessor {
/// Geometry in the words at compile-time argument CTA_OFFSET, as constants. A kernel that uses it
/// is compiled with its arguments as constants.
template <std::uint32_t CTA_OFFSET>
struct SpecOfArgs {
    static constexpr bool is_interleaved =
        (get_compile_time_arg_val(CTA_OFFSET) & tessera::kernel::kAccessorSharded) == 0;
    static constexpr bool is_dram =
        (get_compile_time_arg_val(CTA_OFFSET) & tessera::kernel::kAccessorIsDram) != 0;
    static constexpr bool is_static = !is_interleaved;
    static constexpr bool has_static_rank = is_static;
    static constexpr bool tensor_shape_static = is_static;
    static constexpr bool shard_shape_static = is_static;
    static constexpr std::uint32_t rank_ct =
        is_static ? get_compile_time_arg_val(CTA_OFFSET + 2) : 0;
    static constexpr std::uint32_t num_banks_ct =
        is_static ? get_compile_time_arg_val(CTA_OFFSET + 3) : 0;
};
}  // namespace tensor_accessor

/// Position of an accessor's words among the compile-time arguments.
template <std::uint32_t CTA_OFFSET, std::uint32_t CRTA_OFFSET = 0>
struct TensorAccessorArgs {
    static constexpr std::uint32_t kOffset = CTA_OFFSET;
    constexpr TensorAccessorArgs() = default;
    /// Accepts the position of common runtime arguments, which accessors here do not use.
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
    /// Returns the index of the first compile-time argument after this accessor's words.
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
    /// Returns the same index in a built-in kernel. An interleaved tensor has two words there; a
    /// sharded accessor must be the last one.
    static constexpr std::uint32_t next_compile_time_args_offset() {
        return CTA_OFFSET + 2;
    }
#endif
    /// Returns 0: the host appends all words to the compile-time arguments.
    static constexpr std::uint32_t num_common_runtime_args() {
        return 0;
    }
    static constexpr std::uint32_t next_common_runtime_args_offset() {
        return CRTA_OFFSET;
    }
};
