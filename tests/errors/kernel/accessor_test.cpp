// SPDX-License-Identifier: Apache-2.0
// Mistakes with accessors of tensors and with the state of inline writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/dataflow/tensor_accessor.hpp"
#include "tessera/kernel/objects/endpoints.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::KernelRig;
using testing::kScratch;

std::string fault_of_accessor(void (*kernel)()) {
    constexpr std::uint32_t kPageBytes = 32;
    static const std::uint32_t words[] = {kernel::kAccessorIsDram, kPageBytes};
    KernelRig rig;
    rig.place({0, 0}, Processor::Riscv0, kernel).compile_args = words;
    return rig.fault();
}

TEST(AccessorErrors, ShardsOfAnInterleavedTensorAreRefused) {
    EXPECT_EQ(
        fault_of_accessor([] {
            const TensorAccessor tensor(::TensorAccessorArgs<0>(), kScratch);
            static_cast<void>(tensor.shard_pages(0));
        }),
        "Unsupported: TensorAccessor::dspec: the tensor is interleaved over all banks and has "
        "no shards");
}

TEST(AccessorErrors, APageElsewhereIsNoLocalSide) {
    EXPECT_THAT(fault_of_accessor([] {
                    const TensorAccessor tensor(::TensorAccessorArgs<0>(), 0);
                    experimental::Noc().async_read(tensor, tensor, 32, {.page_id = 0},
                                                   {.page_id = 0});
                }),
                ::testing::MatchesRegex(
                    "OutOfBounds: the local side of a transfer is at NoC coordinates "
                    "\\([0-9]+, [0-9]+\\), not on this core at \\([0-9]+, [0-9]+\\): a tensor's "
                    "page or shard can be the local side only where it is in own L1"));
}

TEST(AccessorErrors, AnInlineWriteWithoutAValueNeedsALatchedOne) {
    EXPECT_EQ(fault_of_accessor([] {
                  noc_inline_dw_write_set_state<false>(get_noc_addr(kScratch));
                  noc_inline_dw_write_with_state<false>(99);
              }),
              "UndefinedBehavior: noc_inline_dw_write_with_state without a value, but "
              "noc_inline_dw_write_set_state<…, set_val = true> has latched none");
}

}  // namespace
}  // namespace tessera
