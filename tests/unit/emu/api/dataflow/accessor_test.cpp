// SPDX-License-Identifier: Apache-2.0
// Shards of a tensor, latched inline writes and questions of the firmware, against the layout that
// tt-metal's tensor_accessor.h documents: shards round-robin over banks, pages of a shard row-major.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/dataflow/tensor_accessor.hpp"
#include "tessera/kernel/objects/endpoints.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;
using testing::kScratch;
using testing::own_word;

constexpr std::uint32_t kPage = 32;
/// Numbers that a kernel notes for the test.
std::vector<std::uint32_t> notes;

/// A tensor of 4 × 3 pages in L1, in shards of 2 × 2 pages on the cores of the first column.
class Accessor : public ::testing::Test {
protected:
    Accessor() {
        notes.clear();
        words_ = {kernel::kAccessorSharded,
                  kPage,
                  2,
                  2,
                  4,
                  3,
                  2,
                  2,
                  coord_word({0, 0}) | coord_word({0, 1}) << 16U};
    }
    std::uint32_t coord_word(CoreCoord core) {
        const CoreCoord at = rig_.device.core(core).virtual_coord();
        return at.x << 8U | at.y;
    }
    void run(void (*entry)()) {
        rig_.place({0, 0}, Processor::Riscv0, entry).compile_args = words_;
        rig_.run();
    }

    KernelRig rig_;
    std::vector<std::uint32_t> words_;
};

TEST_F(Accessor, ShardHasItsPagesInsideTheTensor) {
    run([] {
        const TensorAccessor tensor(::TensorAccessorArgs<0>(), kScratch);
        for (const auto& page : tensor.shard_pages(1)) {
            notes.push_back(page.page_id());
            notes.push_back(static_cast<std::uint32_t>(NOC_LOCAL_ADDR_OFFSET(page.noc_addr())));
        }
    });
    // Shard 1 is columns 2 and 3 of rows 0 and 1, of which column 3 is outside: places 0 and 2 of
    // the first shard on the second bank.
    EXPECT_EQ(notes, (std::vector<std::uint32_t>{2, kScratch, 5, kScratch + 2 * kPage}));
}

TEST_F(Accessor, ShardAddressIsThatOfItsFirstPage) {
    run([] {
        const TensorAccessor tensor(::TensorAccessorArgs<0>(), kScratch);
        // Shard 2 is the second one on bank 0, behind the four pages of shard 0.
        const std::uint64_t address = tensor.get_shard_noc_addr(2, 8);
        notes = {static_cast<std::uint32_t>(NOC_LOCAL_ADDR_OFFSET(address)),
                 static_cast<std::uint32_t>(tensor.is_local_shard(2)),
                 static_cast<std::uint32_t>(tensor.is_local_shard(1)),
                 static_cast<std::uint32_t>(tensor.is_local_page(2)),
                 tensor.dspec().tensor_volume(),
                 tensor.dspec().shard_volume(),
                 tensor.dspec().tensor_shape()[1]};
    });
    EXPECT_EQ(notes, (std::vector<std::uint32_t>{kScratch + 4 * kPage + 8, 1, 0, 0, 12, 4, 3}));
}

TEST_F(Accessor, AllPagesOfATensorAreARange) {
    run([] {
        const TensorAccessor tensor(::TensorAccessorArgs<0>(), kScratch);
        auto page = tensor.pages(9).begin();
        notes.push_back(page->page_id());
        page += 2;
        notes.push_back((page++)->page_id());
        notes.push_back(static_cast<std::uint32_t>(page == tensor.pages().end()));
    });
    EXPECT_EQ(notes, (std::vector<std::uint32_t>{9, 11, 1}));
}

TEST_F(Accessor, StridedShardsGiveThePagesOfEachShard) {
    run([] {
        const TensorAccessor tensor(::TensorAccessorArgs<0>(), kScratch);
        for (const auto& shard : tensor_accessor::StridedShardPages(tensor, 1, 4, 2)) {
            for (const auto& page : shard) {
                notes.push_back(page.page_id());
            }
        }
        std::uint32_t pages = 0;
        for ([[maybe_unused]] const auto& page : tensor.strided_pages()) {
            ++pages;
        }
        notes.push_back(pages);
    });
    // Shards 1 and 3 hold column 2; the only thread has all twelve pages.
    EXPECT_EQ(notes, (std::vector<std::uint32_t>{2, 5, 8, 11, 12}));
}

TEST_F(Accessor, CoordinatesNameAPage) {
    run([] {
        const TensorAccessor tensor(::TensorAccessorArgs<0>(), kScratch);
        const std::array<std::uint32_t, 2> place{3, 2};
        // The third place of shard 3, which is the second one on its bank.
        notes = {static_cast<std::uint32_t>(NOC_LOCAL_ADDR_OFFSET(tensor.get_noc_addr(place, 4))),
                 tensor.get_bank_base_address()};
    });
    EXPECT_EQ(notes, (std::vector<std::uint32_t>{kScratch + 6 * kPage + 4, kScratch}));
}

// The vendor's InterleavedAddrGen pads the page size to the alignment of the memory.
TEST_F(Accessor, AGivenPageSizeIsTheDistanceOfInterleavedPages) {
    words_ = {kernel::kAccessorIsDram, 4096};
    run([] {
        const TensorAccessor given(::TensorAccessorArgs<0>(), kScratch, 100);
        const TensorAccessor of_host(::TensorAccessorArgs<0>(), kScratch);
        // Twelve pages are one on each bank.
        const auto distance = [](const auto& tensor) {
            return static_cast<std::uint32_t>(tensor.get_noc_addr(12) - tensor.get_noc_addr(0));
        };
        notes = {distance(given), given.transfer_size(), distance(of_host),
                 of_host.transfer_size()};
    });
    EXPECT_EQ(notes, (std::vector<std::uint32_t>{128, 100, 4096, 4096}));
}

TEST_F(Accessor, PagesAndShardsAreSidesOfTransfers) {
    rig_.set_word({0, 1}, kScratch + 2 * kPage, 43);
    run([] {
        const TensorAccessor tensor(::TensorAccessorArgs<0>(), kScratch);
        const experimental::Noc noc;
        // Page 5 is the third place of shard 1, on the other core; shard 0 is on this one.
        for (const auto& page : tensor.shard_pages(1, 2)) {
            noc.async_read(page, ShardView(tensor), 4, {}, {.shard_id = 0, .offset_bytes = 16});
        }
        noc.async_read_barrier();
        notes = {*own_word(kScratch + 16)};
    });
    EXPECT_EQ(notes, (std::vector<std::uint32_t>{43}));
}

TEST_F(Accessor, TupleOfAccessorsTakesFollowingWordsAndAddresses) {
    words_ = {kernel::kAccessorIsDram, 64, kernel::kAccessorIsDram, 128};
    run([] {
        constexpr auto kArgs = make_tensor_accessor_args_tuple<2, 0>();
        const auto tensors = std::apply(
            [](auto... each) { return std::tuple{TensorAccessor(each, kScratch)...}; }, kArgs);
        const auto wrapped = make_abstract_tensor_accessor_wrappers(tensors);
        notes = {std::get<0>(tensors).get_aligned_page_size(), wrapped[1].transfer_size()};
    });
    EXPECT_EQ(notes, (std::vector<std::uint32_t>{64, 128}));
}

/// Inline writes to the kernel's own core.
class InlineWrites : public Accessor {};

TEST_F(InlineWrites, WithStateTakeTheLatchedValueOrANewOne) {
    run([] {
        noc_inline_dw_write_set_state<false, true>(get_noc_addr(kScratch), 7);
        noc_inline_dw_write_with_state<false>(99);
        noc_async_write_barrier();
        notes.push_back(std::uint32_t{*own_word(kScratch)});
        noc_inline_dw_write_with_state<true, true, false, false, true>(8, kScratch + 16);
        noc_async_write_barrier();
        notes.push_back(std::uint32_t{*own_word(kScratch + 16)});
    });
    EXPECT_EQ(notes, (std::vector<std::uint32_t>{7, 8}));
}

TEST_F(Accessor, QuestionsOfTheFirmwareWaitForTheirTransfers) {
    rig_.set_word({0, 0}, kScratch, 41);
    run([] {
        noc_async_read_set_trid(3);
        noc_async_read(get_noc_addr(kScratch), kScratch + 64, 16);
        while (!ncrisc_noc_read_with_transaction_id_flushed(noc_index, 3)) {
        }
        notes.push_back(std::uint32_t{*own_word(kScratch + 64)});
        noc_async_write(kScratch + 64, get_noc_addr(kScratch + 128), 16);
        notes.push_back(static_cast<std::uint32_t>(experimental::Noc().is_read_trid_flushed(3)));
        while (!ncrisc_noc_nonposted_writes_flushed(noc_index)) {
        }
        notes.push_back(std::uint32_t{*own_word(kScratch + 128)});
    });
    EXPECT_EQ(notes, (std::vector<std::uint32_t>{41, 1, 41}));
}

}  // namespace
}  // namespace tessera
