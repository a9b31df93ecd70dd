// SPDX-License-Identifier: Apache-2.0
#include "tt-metalium/global_circular_buffer.hpp"

#include <algorithm>
#include <array>

#include "emu/base/round_up.hpp"
#include "runtime/metalium/convert.hpp"
#include "runtime/metalium/device_state.hpp"
#include "runtime/metalium/program_state.hpp"
#include "tessera/errors.hpp"
#include "tessera/kernel/remote_circular_buffer_interface.hpp"

namespace tt::tt_metal::experimental {
namespace {

using tessera::kRemoteCounterStride;
using tessera::RemoteBufferWords;
using tessera::require;

constexpr std::uint32_t kUnit = REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE;

std::shared_ptr<Buffer> one_page_on_each(IDevice* device, const CoreRangeSet& cores,
                                         std::uint32_t bytes, BufferType type) {
    const std::uint32_t num_cores = cores.num_cores();
    const ShardSpecBuffer shards(cores, {1, 1}, ShardOrientation::ROW_MAJOR, {1, 1},
                                 {num_cores, 1});
    return Buffer::create(device, DeviceAddr{num_cores} * bytes, bytes, type,
                          BufferShardingArgs(shards, TensorMemoryLayout::HEIGHT_SHARDED));
}

/// Places in the words of a core: behind the words the coordinates, behind those the counters.
struct WordsLayout {
    std::uint32_t coordinates;
    std::uint32_t counters;
    std::uint32_t bytes;

    explicit WordsLayout(std::uint32_t num_receivers)
        : coordinates(sizeof(RemoteBufferWords)),
          counters(tessera::round_up(
              coordinates + num_receivers * 2 * static_cast<std::uint32_t>(sizeof(std::uint32_t)),
              kUnit)),
          bytes(counters + num_receivers * kRemoteCounterStride) {}
};

/// Writes the words of a core's end on each device, with its counters at 0.
void write_end(const Buffer& config, const CoreCoord& core, const RemoteBufferWords& words,
               const std::vector<CoreCoord>& others) {
    const detail::DeviceState& device = config.device()->state();
    const auto bytes = static_cast<std::size_t>(config.page_size());
    for (const std::uint32_t id : device.ids) {
        std::byte* at = device.session->device(id)
                            .core(tessera::metalium::to_tessera(core))
                            .l1(config.address());
        std::fill_n(at, bytes, std::byte{0});
        std::memcpy(at, &words, sizeof(words));
        at += sizeof(words);
        for (const CoreCoord& other : others) {
            const CoreCoord place = config.device()->worker_core_from_logical_core(other);
            const std::array xy{static_cast<std::uint32_t>(place.x),
                                static_cast<std::uint32_t>(place.y)};
            std::memcpy(at, xy.data(), sizeof(xy));
            at += sizeof(xy);
        }
    }
}

CoreRangeSet set_of(const std::vector<CoreCoord>& cores) {
    std::vector<CoreRange> ranges;
    ranges.reserve(cores.size());
    for (const CoreCoord& core : cores) {
        ranges.emplace_back(core, core);
    }
    return CoreRangeSet(std::move(ranges)).merge_ranges();
}

void check_one_end_each(std::vector<CoreCoord> cores) {
    std::ranges::sort(cores);
    const auto twice = std::ranges::adjacent_find(cores);
    require(twice == cores.end(), "GlobalCircularBuffer: core {} has two ends, allowed: one",
            twice == cores.end() ? CoreCoord{} : *twice);
}

// A receiver's counters have one address on it and on its sender.
void write_ends(const Buffer& buffer, const Buffer& config, const WordsLayout& layout,
                const CoreCoord& sender, const std::vector<CoreCoord>& receivers) {
    const std::uint32_t counters = config.address() + layout.counters;
    RemoteBufferWords words{.is_sender = 1,
                            .num_receivers = static_cast<std::uint32_t>(receivers.size()),
                            .fifo_start = buffer.address(),
                            .fifo_size = static_cast<std::uint32_t>(buffer.page_size()),
                            .fifo_pointer = buffer.address(),
                            .coordinates = config.address() + layout.coordinates,
                            .pages_sent = counters,
                            .remote_pages = counters};
    write_end(config, sender, words, receivers);
    words.is_sender = 0;
    for (const CoreCoord& receiver : receivers) {
        words.remote_pages = words.pages_sent + kUnit;
        write_end(config, receiver, words, {sender});
        words.pages_sent += kRemoteCounterStride;
    }
}

}  // namespace

GlobalCircularBuffer::GlobalCircularBuffer(IDevice* device, Mapping mapping, std::uint32_t size,
                                           BufferType type)
    : mapping_(std::move(mapping)), size_(size) {
    std::vector<CoreCoord> senders;
    std::vector<CoreCoord> receivers;
    std::uint32_t most = 0;
    for (const auto& [sender, set] : mapping_) {
        require(set.num_cores() > 0, "GlobalCircularBuffer: sender {} has no receiver", sender);
        senders.push_back(sender);
        const std::vector<CoreCoord> cores = corerange_to_cores(set);
        receivers.insert(receivers.end(), cores.begin(), cores.end());
        most = std::max(most, set.num_cores());
    }
    std::vector<CoreCoord> all = senders;
    all.insert(all.end(), receivers.begin(), receivers.end());
    check_one_end_each(all);
    require(size % kUnit == 0, "GlobalCircularBuffer: {} B, allowed: multiples of {}", size, kUnit);
    senders_ = set_of(senders);
    receivers_ = set_of(receivers);
    all_ = set_of(all);
    const WordsLayout layout(most);
    buffer_ = one_page_on_each(device, all_, size, type);
    config_ = one_page_on_each(device, all_, layout.bytes, type);
    for (const auto& [sender, set] : mapping_) {
        write_ends(*buffer_, *config_, layout, sender, corerange_to_cores(set));
    }
}

GlobalCircularBuffer CreateGlobalCircularBuffer(IDevice* device,
                                                const GlobalCircularBuffer::Mapping& mapping,
                                                std::uint32_t size, BufferType type) {
    return {device, mapping, size, type};
}

CBHandle CreateCircularBuffer(Program& program, const CoreSpecification& cores,
                              const CircularBufferConfig& config,
                              const GlobalCircularBuffer& global_circular_buffer) {
    const tessera::CoreRangeSet set = tessera::metalium::to_tessera(cores);
    for (const tessera::CoreCoord& core : set.cores()) {
        const CoreCoord place = tessera::metalium::to_metalium(core);
        require(global_circular_buffer.all_cores().contains(place),
                "CreateCircularBuffer: core {} has no end of the global circular buffer", place);
    }
    require(!config.remote_page_sizes().empty(),
            "CreateCircularBuffer: no remote_index with a page size");
    detail::ProgramState& state = program.state();
    for (const auto& [index, page_size] : config.remote_page_sizes()) {
        require(
            page_size % kUnit == 0 && page_size <= global_circular_buffer.size(),
            "CreateCircularBuffer: remote index {}: pages of {} B; allowed: multiples of {} up to "
            "the {} B of the buffer",
            index, page_size, kUnit, global_circular_buffer.size());
        state.program.remote_buffers.push_back(
            {.cores = set,
             .index = index,
             .config_address = static_cast<std::uint32_t>(global_circular_buffer.config_address()),
             .page_size = page_size});
    }
    if (config.formats().empty()) {
        return tt::tt_metal::detail::kRemoteOnly;
    }
    CircularBufferConfig local = config;
    local.set_globally_allocated_address(global_circular_buffer.cb_buffer());
    return tt::tt_metal::CreateCircularBuffer(program, cores, local);
}

}  // namespace tt::tt_metal::experimental
