// SPDX-License-Identifier: Apache-2.0
// Addresses of the pages of a tensor that tensor_accessor_args.hpp describes.
// Source   tt-metal #38958 (2026-03-09).
#pragma once

#include <array>
#include <tuple>
#include <utility>

#include "tessera/kernel/dataflow/address_generator.hpp"
#include "tessera/kernel/dataflow/tensor_accessor_args.hpp"

namespace tessera::kernel {
/// Computes NoC addresses of a tensor's pages, interleaved or sharded.
class PageAccessor {
public:
    /// Describes the pages in the layout that the host appended.
    template <std::uint32_t CTA_OFFSET, std::uint32_t CRTA_OFFSET>
    PageAccessor(::TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET> /*args*/, std::uint32_t base_address)
        : PageAccessor(CTA_OFFSET, base_address, get_compile_time_arg_val(CTA_OFFSET),
                       get_compile_time_arg_val(CTA_OFFSET + 1),
                       get_compile_time_arg_val(CTA_OFFSET + 1)) {}
    /// Does the same with another page size. Page transfers move `page_size` bytes. Rounded up to
    /// the alignment of the memory, it is the distance of an interleaved tensor's pages in a bank.
    template <std::uint32_t CTA_OFFSET, std::uint32_t CRTA_OFFSET>
    PageAccessor(::TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET> /*args*/, std::uint32_t base_address,
                 std::uint32_t page_size)
        : PageAccessor(CTA_OFFSET, base_address, get_compile_time_arg_val(CTA_OFFSET),
                       page_distance(CTA_OFFSET + 1, page_size), page_size) {}
    template <std::uint32_t CTA_OFFSET, std::uint32_t ADDR_CRTA_OFFSET>
    explicit PageAccessor(
        ::tensor_accessor::TensorAccessorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET> /*tensor*/)
        : PageAccessor(::TensorAccessorArgs<CTA_OFFSET>(),
                       get_common_arg_val<std::uint32_t>(ADDR_CRTA_OFFSET / 4)) {}
    /// Describes an interleaved tensor with pages of `page_size` bytes.
    template <bool is_dram>
    PageAccessor(::tensor_accessor::InterleavedSpec<is_dram> /*spec*/, std::uint32_t base_address,
                 std::uint32_t page_size)
        : PageAccessor(0, base_address, is_dram ? tessera::kernel::kAccessorIsDram : 0, page_size,
                       page_size) {}

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
    /// Returns the address of a page of a sharded tensor, by one coordinate in pages for each
    /// dimension.
    template <class Coordinates>
    requires requires(const Coordinates& place) { place[0]; }
    std::uint64_t get_noc_addr(const Coordinates& place, std::uint32_t offset = 0,
                               std::uint8_t noc = noc_index,
                               tessera::CallSite site = tessera::CallSite::here()) const {
        const auto shape = dspec(site).tensor_shape();
        std::uint32_t page = 0;
        for (std::uint32_t i = 0; i < shape.size(); ++i) {
            page = page * shape[i] + place[i];
        }
        return get_noc_addr(page, offset, noc, site);
    }
    /// Number and address of one page.
    class Page {
    public:
        Page(const PageAccessor& tensor, std::uint32_t id) : tensor_(&tensor), id_(id) {}
        [[nodiscard]] std::uint32_t page_id() const { return id_; }
        [[nodiscard]] std::uint64_t noc_addr(
            std::uint8_t noc = noc_index,
            tessera::CallSite site = tessera::CallSite::here()) const {
            return tensor_->get_noc_addr(id_, 0, noc, site);
        }

    private:
        const PageAccessor* tensor_;
        std::uint32_t id_;
    };
    /// Pages of a range of numbers, or of a range of positions in a shard, for a loop over them.
    class Pages {
    public:
        static constexpr std::uint32_t kNoShard = 0xFFFFFFFF;
        /// Iterator over the pages. Skips positions of a shard that are outside of the tensor.
        class Iterator {
        public:
            Iterator(const PageAccessor& tensor, std::uint32_t shard, std::uint32_t at,
                     std::uint32_t end)
                : tensor_(&tensor), shard_(shard), at_(at), end_(end), page_(tensor, 0) {
                skip_outside();
            }
            const Page& operator*() const { return page_; }
            const Page* operator->() const { return &page_; }
            Iterator& operator++() { return *this += 1; }
            Iterator operator++(int) {
                const Iterator before = *this;
                ++*this;
                return before;
            }
            Iterator& operator+=(std::uint32_t steps) {
                at_ = steps < end_ - at_ ? at_ + steps : end_;
                skip_outside();
                return *this;
            }
            bool operator==(const Iterator& other) const { return at_ == other.at_; }
            bool operator!=(const Iterator& other) const { return at_ != other.at_; }

        private:
            void skip_outside() {
                for (; at_ < end_; ++at_) {
                    if (shard_ == kNoShard) {
                        page_ = Page(*tensor_, at_);
                        return;
                    }
                    const std::uint32_t page = tensor_->dspec().page_of(shard_, at_);
                    page_ = Page(*tensor_, page);
                    if (page < tensor_->dspec().tensor_volume()) {
                        return;
                    }
                }
            }
            const PageAccessor* tensor_;
            std::uint32_t shard_;
            std::uint32_t at_;
            std::uint32_t end_;
            Page page_;
        };
        Pages(const PageAccessor& tensor, std::uint32_t shard, std::uint32_t first,
              std::uint32_t end)
            : begin_(tensor, shard, first, end), end_(tensor, shard, end, end) {}
        [[nodiscard]] Iterator begin() const { return begin_; }
        [[nodiscard]] Iterator end() const { return end_; }

    private:
        Iterator begin_;
        Iterator end_;
    };
    /// Returns the pages from `first` to before `end`. An end of 0 gives all pages of a sharded
    /// tensor from `first` on.
    [[nodiscard]] Pages pages(std::uint32_t first = 0, std::uint32_t end = 0,
                              std::uint8_t /*noc*/ = noc_index,
                              tessera::CallSite site = tessera::CallSite::here()) const {
        return {*this, Pages::kNoShard, first, end == 0 ? dspec(site).tensor_volume() : end};
    }
    /// Returns the pages of a shard that are in the tensor, from position `first` to before `end`
    /// (0: all).
    [[nodiscard]] Pages shard_pages(std::uint32_t shard_id, std::uint32_t first = 0,
                                    std::uint32_t end = 0, std::uint8_t /*noc*/ = noc_index,
                                    tessera::CallSite site = tessera::CallSite::here()) const {
        return {*this, shard_id, first, end == 0 ? dspec(site).shard_volume() : end};
    }
    /// Returns the pages of the calling thread: all pages, because a kernel has one thread on a
    /// core.
    [[nodiscard]] Pages strided_pages(std::uint8_t noc = noc_index,
                                      tessera::CallSite site = tessera::CallSite::here()) const {
        return pages(0, 0, noc, site);
    }
    /// Returns the address of the first page of a shard.
    std::uint64_t get_shard_noc_addr(std::uint32_t shard_id, std::uint32_t offset = 0,
                                     std::uint8_t noc = noc_index,
                                     tessera::CallSite site = tessera::CallSite::here()) const {
        return get_noc_addr(dspec(site).page_of(shard_id, 0), offset, noc, site);
    }
    /// Return whether a NoC coordinate, or an address or page with one, is that of this core.
    [[nodiscard]] static bool is_local_bank(std::uint32_t virtual_x, std::uint32_t virtual_y,
                                            std::uint8_t noc = noc_index) {
        return virtual_x == my_x[noc] && virtual_y == my_y[noc];
    }
    [[nodiscard]] static bool is_local_addr(std::uint64_t noc_addr, std::uint8_t noc = noc_index) {
        return is_local_bank(NOC_UNICAST_ADDR_X(noc_addr), NOC_UNICAST_ADDR_Y(noc_addr), noc);
    }
    [[nodiscard]] bool is_local_page(std::uint32_t page_id, std::uint8_t noc = noc_index,
                                     tessera::CallSite site = tessera::CallSite::here()) const {
        static_cast<void>(dspec(site));
        return is_local_addr(get_noc_addr(page_id, 0, noc, site), noc);
    }
    [[nodiscard]] bool is_local_shard(std::uint32_t shard_id, std::uint8_t noc = noc_index,
                                      tessera::CallSite site = tessera::CallSite::here()) const {
        return is_local_addr(get_shard_noc_addr(shard_id, 0, noc, site), noc);
    }
    /// Returns the geometry of a sharded tensor.
    /// Errors   Unsupported for an interleaved tensor.
    [[nodiscard]] ::tensor_accessor::DistributionSpec dspec(
        tessera::CallSite site = tessera::CallSite::here()) const {
        if ((flags_ & tessera::kernel::kAccessorSharded) == 0) {
            tessera::kernel::refuse_interleaved("TensorAccessor::dspec", site);
        }
        return ::tensor_accessor::DistributionSpec(args_offset_);
    }
    [[nodiscard]] std::uint32_t transfer_size() const { return page_size_; }
    [[nodiscard]] std::uint32_t get_aligned_page_size() const { return aligned_page_size_; }
    /// Returns the address at which the tensor begins in each of its banks.
    [[nodiscard]] std::uint32_t get_bank_base_address() const { return base_; }

private:
    PageAccessor(std::uint32_t args_offset, std::uint32_t base_address, std::uint32_t flags,
                 std::uint32_t aligned_page_size, std::uint32_t page_size)
        : args_offset_(args_offset),
          base_(base_address),
          flags_(flags),
          aligned_page_size_(aligned_page_size),
          page_size_(page_size) {}

    std::uint32_t args_offset_;
    std::uint32_t base_;
    std::uint32_t flags_;
    std::uint32_t aligned_page_size_;
    std::uint32_t page_size_;
};
}  // namespace tessera::kernel
using tessera::kernel::PageAccessor;

/// Accessor whose type DSpec has the geometry that the compiler knows.
template <class Spec>
class TensorAccessor : public tessera::kernel::PageAccessor {
public:
    using DSpec = Spec;
    using PageAccessor::PageAccessor;
};
template <std::uint32_t CTA_OFFSET, std::uint32_t CRTA_OFFSET, class... More>
TensorAccessor(TensorAccessorArgs<CTA_OFFSET, CRTA_OFFSET>, More...)
    -> TensorAccessor<tensor_accessor::SpecOfArgs<CTA_OFFSET>>;
template <std::uint32_t CTA_OFFSET, std::uint32_t ADDR_CRTA_OFFSET>
TensorAccessor(tensor_accessor::TensorAccessorBindingToken<CTA_OFFSET, ADDR_CRTA_OFFSET>)
    -> TensorAccessor<tensor_accessor::SpecOfArgs<CTA_OFFSET>>;
template <bool is_dram, class... More>
TensorAccessor(tensor_accessor::InterleavedSpec<is_dram>, More...)
    -> TensorAccessor<tensor_accessor::InterleavedSpec<is_dram>>;

namespace tensor_accessor {
using Page = tessera::kernel::PageAccessor::Page;

/// Pages of every `stride`-th shard from `first` to before `end`, with a range for each shard.
class StridedShardPages {
public:
    /// Iterator over the shards.
    class Iterator {
    public:
        Iterator(const StridedShardPages& shards, std::uint32_t shard)
            : shards_(&shards), shard_(shard) {}
        tessera::kernel::PageAccessor::Pages operator*() const {
            return shards_->tensor_->shard_pages(shard_, 0, 0, noc_index, shards_->site_);
        }
        Iterator& operator++() {
            shard_ += shards_->stride_;
            return *this;
        }
        bool operator!=(const Iterator& end) const { return shard_ < end.shard_; }

    private:
        const StridedShardPages* shards_;
        std::uint32_t shard_;
    };
    StridedShardPages(const tessera::kernel::PageAccessor& tensor, std::uint32_t first,
                      std::uint32_t end, std::uint32_t stride, std::uint8_t /*noc*/ = noc_index,
                      tessera::CallSite site = tessera::CallSite::here())
        : tensor_(&tensor), first_(first), end_(end), stride_(stride), site_(site) {}
    [[nodiscard]] Iterator begin() const { return {*this, first_}; }
    [[nodiscard]] Iterator end() const { return {*this, end_}; }

private:
    const tessera::kernel::PageAccessor* tensor_;
    std::uint32_t first_;
    std::uint32_t end_;
    std::uint32_t stride_;
    tessera::CallSite site_;
};
}  // namespace tensor_accessor

/// True if a generator states the size of a page with its padding.
template <class Generator>
inline constexpr bool has_get_aligned_page_size_v = requires(const Generator& generator) {
    generator.get_aligned_page_size();
};

// Several accessors with consecutive words.
namespace tensor_accessor::detail {
/// Returns the position of the words after those of `count` accessors.
template <std::uint32_t count, std::uint32_t CTA_OFFSET>
constexpr std::uint32_t get_tensor_accessor_args_cta_offset() {
    if constexpr (count == 0) {
        return CTA_OFFSET;
    } else {
        return get_tensor_accessor_args_cta_offset<
            count - 1, TensorAccessorArgs<CTA_OFFSET>::next_compile_time_args_offset()>();
    }
}
}  // namespace tensor_accessor::detail

template <std::uint32_t NUM_TENSORS, std::uint32_t CTA_OFFSET>
constexpr auto make_tensor_accessor_args_tuple() {
    using tensor_accessor::detail::get_tensor_accessor_args_cta_offset;
    return []<std::uint32_t... i>(std::integer_sequence<std::uint32_t, i...>) {
        return std::tuple<
            TensorAccessorArgs<get_tensor_accessor_args_cta_offset<i, CTA_OFFSET>()>...>();
    }
    (std::make_integer_sequence<std::uint32_t, NUM_TENSORS>());
}
/// Accessors whose base addresses are runtime arguments from `first_address` on.
template <class... Args>
auto make_tensor_accessor_tuple(const std::tuple<Args...>& args, std::uint32_t first_address,
                                tessera::CallSite site = tessera::CallSite::here()) {
    return std::apply(
        [&](auto... each) {
            std::uint32_t index = first_address;
            return std::tuple{TensorAccessor(
                each, get_arg_val<std::uint32_t>(static_cast<int>(index++), site))...};
        },
        args);
}
/// Element of an array of accessors.
class AbstractTensorAccessorWrapper {
public:
    AbstractTensorAccessorWrapper() = default;
    AbstractTensorAccessorWrapper(const tessera::kernel::PageAccessor& tensor)  // NOLINT
        : tensor_(&tensor) {}
    std::uint64_t get_noc_addr(std::uint32_t page_id, std::uint32_t offset = 0,
                               std::uint8_t noc = noc_index,
                               tessera::CallSite site = tessera::CallSite::here()) const {
        return tensor_->get_noc_addr(page_id, offset, noc, site);
    }
    [[nodiscard]] std::uint32_t transfer_size() const { return tensor_->transfer_size(); }

private:
    const tessera::kernel::PageAccessor* tensor_ = nullptr;
};
template <class... Accessors>
auto make_abstract_tensor_accessor_wrappers(const std::tuple<Accessors...>& accessors) {
    return std::apply(
        [](const auto&... each) {
            return std::array<AbstractTensorAccessorWrapper, sizeof...(each)>{each...};
        },
        accessors);
}

/// Pages of a tensor as an endpoint of a transfer.
template <class Accessor>
struct PageView {
    const Accessor& accessor;
    explicit PageView(const Accessor& of) : accessor(of) {}
    std::uint64_t get_noc_addr(std::uint32_t page_id, std::uint32_t offset, std::uint8_t noc,
                               tessera::CallSite site = tessera::CallSite::here()) const {
        return accessor.get_noc_addr(page_id, offset, noc, site);
    }
};
/// Shards of a tensor as an endpoint of a transfer.
template <class Accessor>
struct ShardView {
    const Accessor& accessor;
    explicit ShardView(const Accessor& of) : accessor(of) {}
    std::uint64_t get_noc_addr(std::uint32_t shard_id, std::uint32_t offset, std::uint8_t noc,
                               tessera::CallSite site = tessera::CallSite::here()) const {
        return accessor.get_shard_noc_addr(shard_id, offset, noc, site);
    }
};
