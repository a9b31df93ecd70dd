// SPDX-License-Identifier: Apache-2.0
// A mesh whose devices exchange tokens by kernels of the vendor: tables of choices, buffers and what
// the programs of all_to_all_dispatch and all_to_all_combine have in common.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <tt-metalium/experimental/fabric/fabric.hpp>
#include <utility>

#include "tests/metalium/mesh_host_programs.hpp"

namespace metalium_programs::exchange {

using namespace tt;
using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

using Args = std::vector<std::uint32_t>;
using Pages = std::vector<std::uint16_t>;  // of uint16 numbers, or of bits of bfloat16

inline constexpr std::uint32_t kTokens = 16;  // of a device
inline constexpr std::uint32_t kHidden = 2048;
inline constexpr std::uint32_t kExperts = 128;
inline constexpr std::uint32_t kChoices = 8;
inline constexpr std::uint32_t kRowBytes = 2 * kHidden;
inline constexpr std::uint32_t kTableBytes = 64;  // a page of a table: 32 numbers
inline constexpr std::uint32_t kAlignment = 16;
inline constexpr std::uint16_t kUntouched = 0xffff;

/// A mesh, the group of devices that exchange tokens, and how.
struct Exchange {
    std::shared_ptr<MeshDevice> mesh;
    std::optional<std::uint32_t> axis;  // none: all devices are one group
    std::uint32_t num_links;
    bool sends_table_by_page;

    [[nodiscard]] std::uint32_t devices() const { return std::uint32_t(mesh->num_devices()); }
    [[nodiscard]] std::uint32_t group_size() const {
        return axis ? mesh->shape()[std::int32_t(*axis)] : devices();
    }
    [[nodiscard]] std::uint32_t group_tokens() const { return group_size() * kTokens; }
    /// Returns the device of a global token of the group of `device`.
    [[nodiscard]] std::uint32_t owner(std::uint32_t device, std::uint32_t token) const {
        const std::uint32_t columns = std::uint32_t(mesh->num_cols());
        return axis ? device / columns * columns + token / kTokens : token / kTokens;
    }
    [[nodiscard]] std::uint32_t device_of(std::uint32_t expert) const {
        return expert / (kExperts / devices());
    }
};

inline std::uint16_t choice(std::uint32_t device, std::uint32_t token, std::uint32_t slot) {
    // Steps of 17 modulo 128 repeat no expert within 8 slots.
    return std::uint16_t((device * 37 + token * 11 + slot * 17) % kExperts);
}
inline std::uint16_t token_bits(std::uint32_t device, std::uint32_t token, std::uint32_t column) {
    return std::uint16_t((device * 8191 + token * 257 + column * 3) % 32749);
}
inline std::uint16_t row_bits(std::uint32_t expert, std::uint32_t token, std::uint32_t column) {
    return std::uint16_t((expert * 4099 + token * 131 + column * 5) % 32749);
}

inline std::shared_ptr<MeshBuffer> pages_of(const Exchange& exchange, std::uint32_t count,
                                            std::uint32_t bytes) {
    return MeshBuffer::create(
        ReplicatedBufferConfig{.size = std::uint64_t{count} * bytes},
        DeviceLocalBufferConfig{.page_size = bytes, .buffer_type = BufferType::DRAM},
        exchange.mesh.get());
}

/// Writes rows[row][column] = value(device, row, column) to each device.
template <class Value>
void fill(const Exchange& exchange, const std::shared_ptr<MeshBuffer>& buffer, Value value) {
    const std::uint32_t width = buffer->page_size() / 2;
    for (std::uint32_t device = 0; device < exchange.devices(); ++device) {
        Pages pages(buffer->device_local_size() / 2);
        for (std::uint32_t i = 0; i < pages.size(); ++i) {
            pages[i] = value(device, i / width, i % width);
        }
        const auto columns = std::uint32_t(exchange.mesh->num_cols());
        WriteShard(exchange.mesh->mesh_command_queue(), buffer, pages,
                   MeshCoordinate(device / columns, device % columns));
    }
}

/// Counts the numbers of a buffer that differ from expected(device, row, column).
template <class Expected>
std::size_t count_wrong(const Exchange& exchange, const std::shared_ptr<MeshBuffer>& buffer,
                        std::uint32_t width, Expected expected) {
    std::size_t wrong = 0;
    const std::uint32_t stride = buffer->page_size() / 2;
    for (std::uint32_t device = 0; device < exchange.devices(); ++device) {
        const auto columns = std::uint32_t(exchange.mesh->num_cols());
        Pages pages;
        ReadShard(exchange.mesh->mesh_command_queue(), pages, buffer,
                  MeshCoordinate(device / columns, device % columns));
        for (std::uint32_t i = 0; i < pages.size(); ++i) {
            wrong += i % stride < width && pages[i] != expected(device, i / stride, i % stride);
        }
    }
    return wrong;
}

inline std::string braces(const std::vector<std::uint32_t>& numbers) {
    std::string text;
    for (const std::uint32_t number : numbers) {
        text += (text.empty() ? "{" : ", ") + std::to_string(number);
    }
    return text + "}";
}

/// Neighbours of a device in the order of its connections, and which of E, W, N, S they use.
struct Connections {
    std::vector<MeshCoordinate> neighbors;
    std::vector<std::uint32_t> is_used = {0, 0, 0, 0};
};
inline Connections connections_of(const Exchange& exchange, const MeshCoordinate& here) {
    using Mode = MeshCoordinate::BoundaryMode;
    const bool is_ring = tt_fabric::get_fabric_topology() == tt_fabric::Topology::Ring;
    constexpr std::array<std::pair<std::uint32_t, std::int32_t>, 4> kSteps{
        {{1, 1}, {1, -1}, {0, -1}, {0, 1}}};
    Connections found;
    for (std::size_t direction = 0; direction < kSteps.size(); ++direction) {
        const auto [axis, step] = kSteps[direction];
        const auto neighbor = here.get_neighbor(exchange.mesh->shape(), step, std::int32_t(axis),
                                                is_ring ? Mode::WRAP : Mode::NONE);
        if (exchange.axis.value_or(axis) == axis && neighbor) {
            found.neighbors.push_back(*neighbor);
            found.is_used[direction] = 1;
        }
    }
    return found;
}

inline std::map<std::string, std::string> writer_defines(const Exchange& exchange,
                                                         const MeshCoordinate& here,
                                                         const std::string& axis_word) {
    std::vector<std::uint32_t> chips;
    for (const auto& node : exchange.mesh->get_view().get_fabric_node_ids()) {
        chips.push_back(node.chip_id);
    }
    std::map<std::string, std::string> defines{
        {"DEST_CHIP_ID", braces(chips)},
        {"DEST_MESH_ID", braces(std::vector<std::uint32_t>(chips.size(), 0))},
        {"DIRECTIONS", braces(connections_of(exchange, here).is_used)}};
    if (exchange.axis) {
        defines[axis_word] = std::to_string(*exchange.axis);
    }
    return defines;
}

inline std::string vendor_kernel(const std::string& op, const std::string& role) {
    return "ttnn/cpp/ttnn/operations/ccl/" + op + "/device/kernels/dataflow/" + role + "_" + op +
           ".cpp";
}

inline void add_pages(Program& program, const CoreRange& cores, std::uint8_t index,
                      std::uint32_t pages, std::uint32_t bytes) {
    CreateCircularBuffer(program, cores,
                         CircularBufferConfig(pages * bytes, {{index, DataFormat::UInt16}})
                             .set_page_size(index, bytes));
}

inline CoreRange workers(const Exchange& exchange) {
    return {CoreCoord(0, 0), CoreCoord(exchange.num_links - 1, 0)};
}

/// Gives each worker its part of `tokens` and the writer its connections.
inline void set_args(const Exchange& exchange, Program& program, KernelHandle reader,
                     KernelHandle writer, const MeshCoordinate& here, std::uint32_t tokens,
                     const Args& reader_head, const Args& writer_head) {
    const std::uint32_t share = tokens / exchange.num_links;
    for (std::uint32_t link = 0; link < exchange.num_links; ++link) {
        const CoreCoord core(link, 0);
        Args in = reader_head;
        Args out = writer_head;
        for (Args* args : {&in, &out}) {
            args->push_back(link * share);
            args->push_back((link + 1) * share);
        }
        for (const MeshCoordinate& neighbor : connections_of(exchange, here).neighbors) {
            tt_fabric::append_fabric_connection_rt_args(exchange.mesh->get_fabric_node_id(here),
                                                        exchange.mesh->get_fabric_node_id(neighbor),
                                                        link, program, core, out);
        }
        SetRuntimeArgs(program, reader, core, in);
        SetRuntimeArgs(program, writer, core, out);
    }
}

template <class MakeProgram>
void run_on_each(const Exchange& exchange, MakeProgram make_program) {
    const CoreRangeSet cores(workers(exchange));
    const std::pair semaphores(CreateGlobalSemaphore(exchange.mesh.get(), cores, 0),
                               CreateGlobalSemaphore(exchange.mesh.get(), cores, 0));
    MeshWorkload workload;
    for (const MeshCoordinate& here : MeshCoordinateRange(exchange.mesh->shape())) {
        workload.add_program(MeshCoordinateRange(here), make_program(semaphores, here));
    }
    EnqueueMeshWorkload(exchange.mesh->mesh_command_queue(), workload, true);
}

}  // namespace metalium_programs::exchange
