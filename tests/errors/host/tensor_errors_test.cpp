// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "emu/base/tensor_layout.hpp"
#include "tessera/page_address.hpp"
#include "tessera/tensor.hpp"
#include "tests/errors/host/usage_error_message.hpp"

namespace tessera {
namespace {

const BankLayout kBanks{12, {}};

Buffer height_sharded() {
    Buffer buffer;
    buffer.type = BufferType::L1;
    buffer.layout = TensorMemoryLayout::HEIGHT_SHARDED;
    buffer.address = 4096;
    buffer.page_size = 64;
    buffer.aligned_page_size = 64;
    buffer.num_pages = 4;
    buffer.shard = ShardSpec{CoreRange({0, 0}, {1, 0}), {2, 1}, {4, 1}, {}, {}};
    return buffer;
}

TEST(TensorErrors, BlockFormatInRows) {
    const TensorSpec spec{{32, 32}, DataFormat::Bfp8_b, Layout::ROW_MAJOR};

    EXPECT_EQ(usage_error_message([&] { (void)spec.page_size(); }),
              "TensorSpec: shape (32,32): bfp8_b needs TILE layout; its elements share exponents");
    EXPECT_EQ(
        usage_error_message([] {
            (void)make_host_tensor({32, 32}, DataFormat::Bfp4_b);
        }),
        "make_host_tensor: format bfp4_b has no bytes per element; use a format without shared "
        "exponents");
}

TEST(TensorErrors, SizesBeyondTheirWords) {
    const TensorSpec spec{{4294967295, 64}, DataFormat::Float16_b, Layout::TILE};
    EXPECT_EQ(
        usage_error_message([&] { (void)spec.padded_shape(); }),
        "TensorSpec: shape (4294967295,64): padded extent 4294967296 does not fit in 32 bits");

    const Shape shape{4294967295, 4294967295, 4294967295};
    EXPECT_EQ(usage_error_message([&] { (void)num_elements(shape); }),
              "num_elements: shape (4294967295,4294967295,4294967295) has more than 2^64 elements");
}

TEST(TensorLayoutErrors, BlockFormats) {
    const TensorSpec spec{{64, 32}, DataFormat::Bfp8_b, Layout::TILE};

    EXPECT_EQ(usage_error_message([&] { TensorLayout layout(spec); }),
              "TensorLayout: shape (64,32): values of bfp8_b cannot come from the host; write "
              "bfloat16 and convert on the device");
}

TEST(PageMapErrors, PageBeyondTheBuffer) {
    const PageMap map(height_sharded(), kBanks);

    EXPECT_EQ(usage_error_message([&] { (void)map.locate(4); }),
              "PageMap: page 4 is beyond the buffer's 4 pages");
}

TEST(PageMapErrors, ShardSpecThatDoesNotFit) {
    Buffer buffer = height_sharded();
    buffer.num_pages = 5;
    EXPECT_EQ(usage_error_message([&] { PageMap(buffer, kBanks); }),
              "PageMap: tensor shape (4,1) makes 4 pages, but the buffer has 5");

    buffer.shard->shard_shape = {0, 1};
    EXPECT_EQ(usage_error_message([&] { PageMap(buffer, kBanks); }),
              "PageMap: empty shard shape: (0,1), allowed: (1,1) or more");

    buffer.shard->shard_shape = {1};
    EXPECT_EQ(usage_error_message([&] { PageMap(buffer, kBanks); }),
              "PageMap: shard and tensor shape have 1 and 2 dimensions; both need 2 (rows, columns "
              "in pages)");

    buffer.shard.reset();
    EXPECT_EQ(usage_error_message([&] { PageMap(buffer, kBanks); }),
              "PageMap: a sharded buffer at address 4096 has no shard spec");
}

TEST(PageMapErrors, NoBanksAndShortPages) {
    Buffer buffer = height_sharded();
    buffer.layout = TensorMemoryLayout::INTERLEAVED;
    EXPECT_EQ(usage_error_message([&] { PageMap(buffer, kBanks); }),
              "PageMap: a buffer of 4 pages has no banks to lie in");

    buffer.aligned_page_size = 32;
    EXPECT_EQ(usage_error_message([&] { PageMap(buffer, kBanks); }),
              "PageMap: aligned page size 32 is less than page size 64");
}

TEST(TensorAccessorArgsErrors, ShardsThatWereNotAllocated) {
    EXPECT_EQ(
        usage_error_message([] { TensorAccessorArgs args(height_sharded()); }),
        "TensorAccessorArgs: the sharded L1 buffer has 0 NoC coordinates for 2 cores; allocate "
        "it on a device first");
}

}  // namespace
}  // namespace tessera
