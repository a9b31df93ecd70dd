// SPDX-License-Identifier: Apache-2.0
#include "emu/dram/tensor_buffer.hpp"

#include <fmt/format.h>

#include "emu/base/round_up.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

// A few blocks of tiles: loops that overrun by a block are more frequent than those by a tensor.
constexpr std::uint64_t kGap = 16 * 1024;

void check_banks(const ShardSpec& shard, const DramSpec& dram, const std::string& name) {
    for (const CoreCoord bank : shard_cores(shard)) {
        require(bank.y == 0 && bank.x < dram.num_banks,
                "tensor {}: DRAM shards are placed on banks (0,0) to ({},0), not on {}", name,
                dram.num_banks - 1, to_string(bank));
    }
}

}  // namespace

BankAllocator make_allocator(const ArchSpec& arch, BufferType type, std::uint32_t device) {
    if (type == BufferType::DRAM) {
        return {fmt::format("DRAM of device {} (bytes per bank)", device),
                arch.dram.reserved.value,
                arch.dram.bank_size.value,
                arch.dram.alignment.value,
                Growth::BottomUp,
                kGap};
    }
    return {fmt::format("L1 of device {} (bytes per core)", device), arch.l1.reserved.value,
            arch.l1.size.value, arch.l1.alignment.value, Growth::TopDown};
}

Buffer interleaved_buffer(const ArchSpec& arch, std::uint32_t device, const TensorSpec& spec,
                          BufferType type) {
    const std::uint64_t alignment =
        type == BufferType::DRAM ? arch.dram.alignment.value : arch.l1.alignment.value;
    const std::uint64_t aligned = round_up(spec.page_size(), alignment);
    return {.device = device,
            .type = type,
            .layout = TensorMemoryLayout::INTERLEAVED,
            .address = 0,
            .page_size = spec.page_size(),
            .aligned_page_size = static_cast<std::uint32_t>(aligned),
            .num_pages = spec.num_pages(),
            .shard = std::nullopt};
}

Buffer sharded_buffer(const ArchSpec& arch, std::uint32_t device, const std::string& name,
                      const TensorSpec& spec, BufferType type, TensorMemoryLayout layout,
                      const ShardSpec& shard) {
    if (type == BufferType::DRAM) {
        check_banks(shard, arch.dram, name);
    }
    Buffer buffer = interleaved_buffer(arch, device, spec, type);
    buffer.layout = layout;
    buffer.shard = shard;
    const CoreCoord origin = arch.workers.virtual_origin;
    buffer.shard->noc_coords.clear();
    for (const CoreCoord core : shard_cores(shard)) {
        buffer.shard->noc_coords.push_back({origin.x + core.x, origin.y + core.y});
    }
    return buffer;
}

}  // namespace tessera
