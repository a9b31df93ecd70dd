// SPDX-License-Identifier: Apache-2.0
// Allocation and queries of buffers.
#include "tt-metalium/buffer.hpp"

#include <set>

#include "emu/base/round_up.hpp"
#include "emu/dram/tensor_buffer.hpp"
#include "emu/mesh/device.hpp"
#include "runtime/metalium/buffer_state.hpp"
#include "runtime/metalium/convert.hpp"
#include "runtime/metalium/device_state.hpp"
#include "tessera/errors.hpp"
#include "tessera/page_address.hpp"
#include "tt-metalium/host_api.hpp"

namespace tt::tt_metal {

using tessera::require;
using tessera::metalium::HostSession;
using tessera::metalium::to_metalium;
using tessera::metalium::to_tessera;

namespace detail {
namespace {

std::set<BufferState*>& allocated_buffers() {
    static auto* buffers = new std::set<BufferState*>;  // outlives buffers with static storage
    return *buffers;
}

tessera::BufferType memory_of(BufferType type) {
    require(type == BufferType::DRAM || type == BufferType::L1 || type == BufferType::L1_SMALL,
            "CreateBuffer: a buffer in {}, allowed: DRAM, L1, L1_SMALL", type);
    return type == BufferType::DRAM ? tessera::BufferType::DRAM : tessera::BufferType::L1;
}

tessera::TensorMemoryLayout layout_of(TensorMemoryLayout layout) {
    switch (layout) {
        case TensorMemoryLayout::HEIGHT_SHARDED:
            return tessera::TensorMemoryLayout::HEIGHT_SHARDED;
        case TensorMemoryLayout::WIDTH_SHARDED:
            return tessera::TensorMemoryLayout::WIDTH_SHARDED;
        case TensorMemoryLayout::BLOCK_SHARDED:
            return tessera::TensorMemoryLayout::BLOCK_SHARDED;
        default:
            return tessera::TensorMemoryLayout::INTERLEAVED;
    }
}

tessera::ShardSpec shard_spec_of(const ShardSpecBuffer& shards) {
    const auto shape = shards.shape_in_pages();
    const auto& tensor = shards.tensor2d_shape_in_pages;
    return {.cores = to_tessera(shards.grid()),
            .shard_shape = {shape[0], shape[1]},
            .tensor_shape = {tensor[0], tensor[1]},
            .orientation = shards.orientation() == ShardOrientation::ROW_MAJOR
                               ? tessera::ShardOrientation::ROW_MAJOR
                               : tessera::ShardOrientation::COL_MAJOR,
            .noc_coords = {}};
}

/// Arguments of Buffer::create.
struct Request {
    IDevice* device;
    DeviceAddr size;
    DeviceAddr page_size;
    BufferType type;
    const BufferShardingArgs& sharding;
};

// Rows of bytes: a page holds whatever the program puts there.
tessera::TensorSpec pages_of(const Request& request) {
    constexpr DeviceAddr kMost = 0xFFFFFFFF;
    require(request.page_size != 0 && request.size != 0 && request.size % request.page_size == 0,
            "CreateBuffer: {} bytes in pages of {}, allowed: a multiple of the page size, not 0",
            request.size, request.page_size);
    require(request.page_size <= kMost, "CreateBuffer: a page of {} bytes, allowed: below 2^32",
            request.page_size);
    return {.shape = {static_cast<std::uint32_t>(request.size / request.page_size),
                      static_cast<std::uint32_t>(request.page_size)},
            .format = tessera::DataFormat::UInt8,
            .layout = tessera::Layout::ROW_MAJOR};
}

/// Returns the pages of a buffer without an address.
tessera::DeviceTensor distributed_over(const Request& request, const tessera::ArchSpec& arch,
                                       std::uint32_t id) {
    const tessera::TensorSpec spec = pages_of(request);
    const tessera::BufferType memory = memory_of(request.type);
    const auto& shards = request.sharding.shard_spec();
    const bool is_interleaved = !shards || !is_sharded(request.sharding.buffer_layout());
    return {spec, is_interleaved
                      ? tessera::interleaved_buffer(arch, id, spec, memory)
                      : tessera::sharded_buffer(arch, id, "buffer", spec, memory,
                                                layout_of(request.sharding.buffer_layout()),
                                                shard_spec_of(*shards))};
}

// Programs read from DRAM to L1 buffers, which requires equal offsets modulo the alignment of DRAM
// reads: 32 or 64 bytes. Whole multiples of 64 keep the next buffer aligned.
std::uint32_t allocate_l1(HostSession& session, const tessera::Buffer& buffer,
                          const std::string& name) {
    constexpr std::uint64_t kAlignment = 64;
    tessera::Device& device = session.device(buffer.device);
    const tessera::PageMap pages(buffer, device.bank_layout());
    return static_cast<std::uint32_t>(
        device.l1_allocator.allocate(name, tessera::round_up(pages.bytes_per_bank(), kAlignment)));
}

tessera::DeviceTensor allocate(const Request& request, HostSession& session, std::uint32_t id,
                               const std::string& name) {
    tessera::DeviceTensor tensor = distributed_over(request, session.arch(), id);
    if (tensor.buffer.type == tessera::BufferType::L1) {
        tensor.buffer.address = allocate_l1(session, tensor.buffer, name);
        return tensor;
    }
    return tensor.buffer.shard
               ? session.session().allocate_sharded(id, name, tensor.spec, tensor.buffer.type,
                                                    tensor.buffer.layout, *tensor.buffer.shard)
               : session.session().allocate(id, name, tensor.spec, tensor.buffer.type);
}

std::shared_ptr<Buffer> create(const Request& request, std::optional<DeviceAddr> address) {
    static std::size_t next_id = 1;
    const DeviceState& device = request.device->state();
    require(device.is_open, "CreateBuffer: the device is closed");
    auto state = std::make_unique<BufferState>();
    state->session = device.session;
    state->device = request.device;
    state->size = request.size;
    state->type = request.type;
    state->shards = request.sharding.shard_spec();
    state->layout = request.sharding.buffer_layout();
    state->owns_memory = !address.has_value();
    state->unique_id = next_id++;
    const std::string name = fmt::format("buffer {}", state->unique_id);
    for (const std::uint32_t id : device.ids) {
        state->tensors.push_back(address ? distributed_over(request, device.session->arch(), id)
                                         : allocate(request, *device.session, id, name));
        if (address) {
            state->tensors.back().buffer.address = static_cast<std::uint32_t>(*address);
        }
    }
    state->is_allocated = true;
    allocated_buffers().insert(state.get());
    return std::make_shared<Buffer>(std::move(state));
}

}  // namespace

void release(BufferState& state) {
    if (!state.is_allocated) {
        return;
    }
    state.is_allocated = false;
    allocated_buffers().erase(&state);
    if (state.owns_memory) {
        for (const tessera::DeviceTensor& tensor : state.tensors) {
            state.session->session().deallocate(tensor);
        }
    }
}

void release_buffers_of(const IDevice& device) {
    const std::set<BufferState*> all = allocated_buffers();
    for (BufferState* state : all) {
        if (state->device == &device) {
            release(*state);
        }
    }
}

}  // namespace detail

std::ostream& operator<<(std::ostream& stream, TensorMemoryLayout layout) {
    return stream << names::enum_name(layout);
}
std::ostream& operator<<(std::ostream& stream, BufferType type) {
    return stream << names::enum_name(type);
}

bool is_sharded(const TensorMemoryLayout& layout) {
    return layout == TensorMemoryLayout::HEIGHT_SHARDED ||
           layout == TensorMemoryLayout::WIDTH_SHARDED ||
           layout == TensorMemoryLayout::BLOCK_SHARDED;
}

std::array<std::uint32_t, 2> ShardSpecBuffer::shape_in_pages() const {
    require(page_shape[0] != 0 && page_shape[1] != 0 && shape()[0] % page_shape[0] == 0 &&
                shape()[1] % page_shape[1] == 0,
            "shard of {} x {} elements, allowed: multiples of the page {} x {}", shape()[0],
            shape()[1], page_shape[0], page_shape[1]);
    return {shape()[0] / page_shape[0], shape()[1] / page_shape[1]};
}

DeviceAddr ShardSpecBuffer::num_pages() const {
    const auto pages = shape_in_pages();
    return static_cast<DeviceAddr>(pages[0]) * pages[1];
}

std::shared_ptr<Buffer> Buffer::create(IDevice* device, DeviceAddr size, DeviceAddr page_size,
                                       BufferType type, const BufferShardingArgs& sharding,
                                       std::optional<bool> /*bottom_up*/,
                                       std::optional<SubDeviceId> /*sub_device*/) {
    return detail::create({device, size, page_size, type, sharding}, std::nullopt);
}

std::shared_ptr<Buffer> Buffer::create(IDevice* device, DeviceAddr address, DeviceAddr size,
                                       DeviceAddr page_size, BufferType type,
                                       const BufferShardingArgs& sharding,
                                       std::optional<bool> /*bottom_up*/,
                                       std::optional<SubDeviceId> /*sub_device*/) {
    return detail::create({device, size, page_size, type, sharding}, address);
}

Buffer::Buffer(std::unique_ptr<detail::BufferState> state) : state_(std::move(state)) {
}

Buffer::~Buffer() {
    detail::release(*state_);
}

IDevice* Buffer::device() const {
    return state_->device;
}
DeviceAddr Buffer::size() const {
    return state_->size;
}
bool Buffer::is_allocated() const {
    return state_->is_allocated;
}
std::uint32_t Buffer::address() const {
    return state_->tensors.front().buffer.address;
}
DeviceAddr Buffer::page_size() const {
    return state_->tensors.front().buffer.page_size;
}
std::uint32_t Buffer::num_pages() const {
    return state_->tensors.front().buffer.num_pages;
}
BufferType Buffer::buffer_type() const {
    return state_->type;
}
TensorMemoryLayout Buffer::buffer_layout() const {
    return state_->layout;
}
CoreType Buffer::core_type() const {
    return is_dram() ? CoreType::DRAM : CoreType::WORKER;
}
bool Buffer::is_l1() const {
    return !is_dram();
}
bool Buffer::is_dram() const {
    return state_->type == BufferType::DRAM;
}
std::uint32_t Buffer::alignment() const {
    return device()->allocator()->get_alignment(state_->type);
}
DeviceAddr Buffer::aligned_page_size() const {
    return state_->tensors.front().buffer.aligned_page_size;
}
DeviceAddr Buffer::aligned_size_per_bank() const {
    const tessera::Buffer& buffer = state_->tensors.front().buffer;
    const auto& banks = state_->session->device(buffer.device).bank_layout();
    return tessera::PageMap(buffer, banks).bytes_per_bank();
}
DeviceAddr Buffer::page_address(DeviceAddr /*bank*/, DeviceAddr page) const {
    const tessera::Buffer& buffer = state_->tensors.front().buffer;
    const auto& banks = state_->session->device(buffer.device).bank_layout();
    return tessera::locate_page(buffer, banks, static_cast<std::uint32_t>(page)).address;
}
bool Buffer::has_shard_spec() const {
    return state_->shards.has_value();
}
ShardSpecBuffer Buffer::shard_spec() const {
    require(state_->shards.has_value(), "shard_spec: the buffer is interleaved");
    return *state_->shards;
}
std::optional<std::uint32_t> Buffer::num_cores() const {
    return state_->shards ? std::optional(state_->shards->tensor_shard_spec.num_cores())
                          : std::nullopt;
}
CoreCoord Buffer::noc_coordinates() const {
    return noc_coordinates(0);
}
CoreCoord Buffer::noc_coordinates(std::uint32_t bank) const {
    const tessera::ArchSpec& arch = state_->session->arch();
    require(bank < device()->num_banks(state_->type), "noc_coordinates: bank {} of {}", bank,
            device()->num_banks(state_->type));
    if (is_dram()) {
        return to_metalium(arch.dram.endpoints[bank].noc);
    }
    return device()->worker_core_from_logical_core(
        device()->allocator()->get_logical_core_from_bank_id(bank));
}
std::size_t Buffer::unique_id() const {
    return state_->unique_id;
}

std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig& config) {
    return Buffer::create(config.device, config.size, config.page_size, config.buffer_type);
}
std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig& config, DeviceAddr address) {
    return Buffer::create(config.device, address, config.size, config.page_size,
                          config.buffer_type);
}
std::shared_ptr<Buffer> CreateBuffer(const InterleavedBufferConfig& config,
                                     SubDeviceId /*sub_device*/) {
    return CreateBuffer(config);
}
std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig& config) {
    return Buffer::create(config.device, config.size, config.page_size, config.buffer_type,
                          BufferShardingArgs(config.shard_parameters, config.buffer_layout));
}
std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig& config, DeviceAddr address) {
    return Buffer::create(config.device, address, config.size, config.page_size, config.buffer_type,
                          BufferShardingArgs(config.shard_parameters, config.buffer_layout));
}
std::shared_ptr<Buffer> CreateBuffer(const ShardedBufferConfig& config,
                                     SubDeviceId /*sub_device*/) {
    return CreateBuffer(config);
}
void DeallocateBuffer(Buffer& buffer) {
    detail::release(buffer.state());
}

}  // namespace tt::tt_metal
