// SPDX-License-Identifier: Apache-2.0
#include "tessera/fabric_mux.hpp"

#include "tessera/errors.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera {
namespace {

using enum FabricMuxChannelType;

constexpr std::size_t kEntry = 16;   // an L1's alignment
constexpr std::size_t kHeader = 64;  // per packet
// Words: status, the router's status as last read, termination signal.
constexpr std::size_t kWords = 3;

const char* name_of(FabricMuxChannelType type) {
    return type == FULL_SIZE_CHANNEL ? "full-size" : "header-only";
}

void require_buffers(std::size_t channels, std::uint8_t buffers, FabricMuxChannelType type) {
    require(channels == 0 || buffers != 0, "FabricMuxConfig: {} {} channels without a buffer",
            channels, name_of(type));
}

}  // namespace

FabricMuxConfig::FabricMuxConfig(std::uint8_t num_full_size_channels,
                                 std::uint8_t num_header_only_channels,
                                 std::uint8_t num_buffers_full_size_channel,
                                 std::uint8_t num_buffers_header_only_channel,
                                 std::size_t buffer_size_bytes_full_size_channel,
                                 std::size_t base_l1_address)
    : num_full_(num_full_size_channels),
      num_header_(num_header_only_channels),
      buffers_full_(num_buffers_full_size_channel),
      buffers_header_(num_buffers_header_only_channel),
      buffer_size_(buffer_size_bytes_full_size_channel),
      base_(base_l1_address) {
    require(num_channels() != 0, "FabricMuxConfig: a mux without a channel");
    require_buffers(num_full_, buffers_full_, FULL_SIZE_CHANNEL);
    require_buffers(num_header_, buffers_header_, HEADER_ONLY_CHANNEL);
    require(num_full_ == 0 || (buffer_size_ > kHeader && buffer_size_ % kEntry == 0),
            "FabricMuxConfig: a buffer of {} bytes; a multiple of {} above {} holds a packet",
            buffer_size_, kEntry, kHeader);
    require(base_ % kEntry == 0, "FabricMuxConfig: base address {:#x} is not a multiple of {}",
            base_, kEntry);
}

std::vector<std::uint32_t> FabricMuxConfig::get_fabric_mux_compile_time_args() const {
    const auto word = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
    return {word(num_full_),
            buffers_full_,
            word(buffer_size_),
            word(num_header_),
            buffers_header_,
            word(get_status_address()),
            word(get_termination_signal_address()),
            word(first_channel())};
}

std::vector<std::uint32_t> FabricMuxConfig::get_fabric_mux_run_time_args(
    const MeshSpec& mesh, std::uint32_t source, std::uint32_t destination, std::uint32_t link_index,
    Program& program, CoreCoord mux) const {
    std::vector<std::uint32_t> args;
    append_fabric_connection_rt_args(mesh, source, destination, link_index, program, mux, args);
    return args;
}

std::uint8_t FabricMuxConfig::get_num_buffers(FabricMuxChannelType type) const noexcept {
    return type == FULL_SIZE_CHANNEL ? buffers_full_ : buffers_header_;
}

std::size_t FabricMuxConfig::get_buffer_size_bytes(FabricMuxChannelType type) const noexcept {
    return type == FULL_SIZE_CHANNEL ? buffer_size_ : kHeader;
}

std::size_t FabricMuxConfig::get_termination_signal_address() const noexcept {
    return base_ + (kWords - 1) * kEntry;
}

std::size_t FabricMuxConfig::region(std::size_t region) const noexcept {
    return base_ + (kWords + region * num_channels()) * kEntry;
}

std::size_t FabricMuxConfig::get_memory_map_end_address() const noexcept {
    return first_channel() + num_full_ * buffers_full_ * buffer_size_ +
           num_header_ * buffers_header_ * kHeader;
}

std::size_t FabricMuxConfig::number_of(FabricMuxChannelType type, std::uint8_t channel) const {
    const std::size_t count = type == FULL_SIZE_CHANNEL ? num_full_ : num_header_;
    require(channel < count, "FabricMuxConfig: there is no {} channel {}, the mux has {}",
            name_of(type), channel, count);
    return type == FULL_SIZE_CHANNEL ? channel : num_full_ + channel;
}

std::size_t FabricMuxConfig::get_channel_credits_stream_id(FabricMuxChannelType type,
                                                           std::uint8_t channel) const {
    return number_of(type, channel);
}

std::size_t FabricMuxConfig::get_channel_base_address(FabricMuxChannelType type,
                                                      std::uint8_t channel) const {
    const std::size_t number = number_of(type, channel);
    const std::size_t num_full = type == FULL_SIZE_CHANNEL ? number : num_full_;
    return first_channel() + num_full * buffers_full_ * buffer_size_ +
           (number - num_full) * buffers_header_ * kHeader;
}

std::size_t FabricMuxConfig::get_connection_info_address(FabricMuxChannelType type,
                                                         std::uint8_t channel) const {
    return region(0) + number_of(type, channel) * kEntry;
}
std::size_t FabricMuxConfig::get_connection_handshake_address(FabricMuxChannelType type,
                                                              std::uint8_t channel) const {
    return region(1) + number_of(type, channel) * kEntry;
}
std::size_t FabricMuxConfig::get_flow_control_address(FabricMuxChannelType type,
                                                      std::uint8_t channel) const {
    return region(2) + number_of(type, channel) * kEntry;
}
std::size_t FabricMuxConfig::get_buffer_index_address(FabricMuxChannelType type,
                                                      std::uint8_t channel) const {
    return region(3) + number_of(type, channel) * kEntry;
}

}  // namespace tessera
