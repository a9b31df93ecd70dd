// SPDX-License-Identifier: Apache-2.0
// Host side of a mux: a core whose kernel receives packets of several workers and forwards them
// over one mesh link. Its L1 holds a channel with buffers for each worker.
//
// Use      A program calls CreateKernel(program, kFabricMuxKernel, core, …) with the arguments of
//          get_fabric_mux_run_time_args. It gives each worker the addresses of its channel, in the
//          order of the parameters of build_connection_to_fabric_endpoint.
// Source   tt-metal tt_metal/api/tt-metalium/experimental/fabric/fabric.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/core_coord.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// Path of the mux's kernel. On the chip it is tt_metal/fabric/impl/kernels/tt_fabric_mux.cpp.
inline constexpr const char* kFabricMuxKernel = "ops/shared/kernels/fabric_mux.cpp";

/// Kind of a mux's channel. A header-only channel carries packets without payload: additions and
/// words.
enum class FabricMuxChannelType : std::uint8_t { FULL_SIZE_CHANNEL = 0, HEADER_ONLY_CHANNEL = 1 };

/// Layout of a mux's L1, with tt-metal's names: status, termination signal, lists with one entry
/// for each channel, then the channels, full-size ones first.
class FabricMuxConfig {
public:
    /// Defines a mux. A full-size buffer holds a header of 64 bytes and its payload.
    /// Errors   UsageError if there is no channel at all, a kind of channel has no buffers, or a
    ///          buffer or the base address is not a multiple of 16.
    FabricMuxConfig(std::uint8_t num_full_size_channels, std::uint8_t num_header_only_channels,
                    std::uint8_t num_buffers_full_size_channel,
                    std::uint8_t num_buffers_header_only_channel,
                    std::size_t buffer_size_bytes_full_size_channel, std::size_t base_l1_address);

    [[nodiscard]] std::vector<std::uint32_t> get_fabric_mux_compile_time_args() const;
    /// Returns the runtime arguments of the mux's kernel, whose connection uses link `link_index`
    /// in the direction in which the straight route from `source` to `destination` begins.
    /// Errors   as append_fabric_connection_rt_args.
    [[nodiscard]] std::vector<std::uint32_t> get_fabric_mux_run_time_args(
        const MeshSpec& mesh, std::uint32_t source, std::uint32_t destination,
        std::uint32_t link_index, Program& program, CoreCoord mux) const;

    [[nodiscard]] std::uint8_t get_num_buffers(FabricMuxChannelType type) const noexcept;
    [[nodiscard]] std::size_t get_buffer_size_bytes(FabricMuxChannelType type) const noexcept;
    [[nodiscard]] std::size_t get_status_address() const noexcept { return base_; }
    [[nodiscard]] std::size_t get_termination_signal_address() const noexcept;
    [[nodiscard]] std::size_t get_memory_map_end_address() const noexcept;
    /// Return addresses and stream numbers of one channel.
    /// Errors   UsageError if there is no such channel.
    [[nodiscard]] std::size_t get_channel_credits_stream_id(FabricMuxChannelType type,
                                                            std::uint8_t channel) const;
    [[nodiscard]] std::size_t get_channel_base_address(FabricMuxChannelType type,
                                                       std::uint8_t channel) const;
    [[nodiscard]] std::size_t get_connection_info_address(FabricMuxChannelType type,
                                                          std::uint8_t channel) const;
    [[nodiscard]] std::size_t get_connection_handshake_address(FabricMuxChannelType type,
                                                               std::uint8_t channel) const;
    [[nodiscard]] std::size_t get_flow_control_address(FabricMuxChannelType type,
                                                       std::uint8_t channel) const;
    [[nodiscard]] std::size_t get_buffer_index_address(FabricMuxChannelType type,
                                                       std::uint8_t channel) const;

private:
    /// Returns the number of a channel, counted over both kinds.
    [[nodiscard]] std::size_t number_of(FabricMuxChannelType type, std::uint8_t channel) const;
    [[nodiscard]] std::size_t num_channels() const noexcept { return num_full_ + num_header_; }
    /// Returns the address of list `region`, which has an entry for each channel.
    [[nodiscard]] std::size_t region(std::size_t region) const noexcept;
    [[nodiscard]] std::size_t first_channel() const noexcept { return region(4); }

    std::size_t num_full_;
    std::size_t num_header_;
    std::uint8_t buffers_full_;
    std::uint8_t buffers_header_;
    std::size_t buffer_size_;
    std::size_t base_;
};

}  // namespace tessera
