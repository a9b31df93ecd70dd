// SPDX-License-Identifier: Apache-2.0
// Runs the vendor's kernels of all_to_all_dispatch and all_to_all_combine as they are below
// TT_METAL_HOME. Tokens go to the devices of their experts, and a row for each expert goes back.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <tt-metalium/experimental/fabric/fabric.hpp>

#include "tests/metalium/mesh_host_programs.hpp"
#include "tests/metalium/mesh_programs.hpp"

using namespace tt;
using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

namespace metalium_programs {
namespace {

using Args = std::vector<std::uint32_t>;
using Pages = std::vector<std::uint16_t>;  // of uint16 numbers, or of bits of bfloat16

constexpr std::uint32_t kTokens = 16;  // of a device
constexpr std::uint32_t kHidden = 2048;
constexpr std::uint32_t kExperts = 128;
constexpr std::uint32_t kChoices = 8;
constexpr std::uint32_t kRowBytes = 2 * kHidden;
constexpr std::uint32_t kTableBytes = 64;  // a page of a table: 32 numbers
constexpr std::uint32_t kTableRow = kTableBytes / 2;
constexpr std::uint32_t kAlignment = 16;
constexpr std::uint16_t kUntouched = 0xffff;

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

std::uint16_t choice(std::uint32_t device, std::uint32_t token, std::uint32_t slot) {
    // Steps of 17 modulo 128 repeat no expert within 8 slots.
    return std::uint16_t((device * 37 + token * 11 + slot * 17) % kExperts);
}
std::uint16_t token_bits(std::uint32_t device, std::uint32_t token, std::uint32_t column) {
    return std::uint16_t((device * 8191 + token * 257 + column * 3) % 32749);
}
std::uint16_t row_bits(std::uint32_t expert, std::uint32_t token, std::uint32_t column) {
    return std::uint16_t((expert * 4099 + token * 131 + column * 5) % 32749);
}

std::shared_ptr<MeshBuffer> pages_of(const Exchange& exchange, std::uint32_t count,
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

std::string braces(const std::vector<std::uint32_t>& numbers) {
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
Connections connections_of(const Exchange& exchange, const MeshCoordinate& here) {
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

std::map<std::string, std::string> writer_defines(const Exchange& exchange,
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

std::string vendor_kernel(const std::string& op, const std::string& role) {
    return "ttnn/cpp/ttnn/operations/ccl/" + op + "/device/kernels/dataflow/" + role + "_" + op +
           ".cpp";
}

void add_pages(Program& program, const CoreRange& cores, std::uint8_t index, std::uint32_t pages,
               std::uint32_t bytes) {
    CreateCircularBuffer(
        program, cores,
        CircularBufferConfig(pages * bytes, {{index, DataFormat::UInt16}}).set_page_size(index, bytes));
}

CoreRange workers(const Exchange& exchange) {
    return {CoreCoord(0, 0), CoreCoord(exchange.num_links - 1, 0)};
}

/// Gives each worker its part of `tokens` and the writer its connections.
void set_args(const Exchange& exchange, Program& program, KernelHandle reader, KernelHandle writer,
              const MeshCoordinate& here, std::uint32_t tokens, const Args& reader_head,
              const Args& writer_head) {
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
            tt_fabric::append_fabric_connection_rt_args(
                exchange.mesh->get_fabric_node_id(here),
                exchange.mesh->get_fabric_node_id(neighbor), link, program, core, out);
        }
        SetRuntimeArgs(program, reader, core, in);
        SetRuntimeArgs(program, writer, core, out);
    }
}

std::uint32_t topology_word() {
    return std::uint32_t(tt_fabric::get_fabric_topology());
}

struct Dispatch {
    std::shared_ptr<MeshBuffer> tokens, indices, mapping, output, metadata;
};

Args dispatch_compile_args(const Exchange& exchange, const Dispatch& buffers,
                           std::uint32_t device) {
    const auto rows = std::uint32_t(exchange.mesh->num_rows());
    const auto columns = std::uint32_t(exchange.mesh->num_cols());
    const std::uint32_t table = 2 * kChoices;
    Args args{0, 1, 2, 3, 4};  // tokens, indices, mapping, headers, marks of what is sent
    for (const auto& buffer : {buffers.tokens, buffers.indices, buffers.mapping, buffers.output,
                               buffers.metadata}) {
        args.push_back(buffer->num_pages());
    }
    args.insert(args.end(), {kRowBytes, table, kTableBytes, kRowBytes, table});
    args.insert(args.end(), {exchange.devices(), kHidden, exchange.group_size(), kChoices, kExperts,
                             kTokens, exchange.num_links, topology_word(), 0, device, rows, columns});
    args.insert(args.end(), {kRowBytes, kTableBytes, kTableBytes, kRowBytes, kTableBytes});
    args.insert(args.end(), {std::uint32_t(tt_fabric::get_tt_fabric_max_payload_size_bytes()),
                             kAlignment, 5, std::uint32_t(exchange.sends_table_by_page), device});
    for (const auto& buffer : {buffers.tokens, buffers.indices, buffers.mapping, buffers.output,
                               buffers.metadata}) {
        TensorAccessorArgs(*buffer).append_to(args);
    }
    return args;
}

Program dispatch_program(const Exchange& exchange, const Dispatch& buffers,
                         const std::pair<GlobalSemaphore, GlobalSemaphore>& semaphores,
                         const MeshCoordinate& here) {
    Program program = CreateProgram();
    const CoreRange cores = workers(exchange);
    const std::uint32_t share = kTokens / exchange.num_links;
    add_pages(program, cores, 0, 2, kRowBytes);
    add_pages(program, cores, 1, share, kTableBytes);
    add_pages(program, cores, 2, kExperts, kTableBytes);
    add_pages(program, cores, 3, 2,
              std::uint32_t(tt_fabric::get_tt_fabric_packet_header_size_bytes()));
    add_pages(program, cores, 4, exchange.devices(), 16 * ((share + 15) / 16));
    add_pages(program, cores, 5, exchange.group_tokens(), kTableBytes);
    const auto device = std::uint32_t(here.to_linear_index(exchange.mesh->shape()));
    const Args compile_args = dispatch_compile_args(exchange, buffers, device);
    // The vendor's host defines AXIS as -1 for all devices. The reader would then wait for as many
    // devices as the mesh has columns; without the word it waits for all.
    std::map<std::string, std::string> reader_defines;
    if (exchange.axis) {
        reader_defines["AXIS"] = std::to_string(*exchange.axis);
    }
    const auto reader =
        CreateKernel(program, vendor_kernel("all_to_all_dispatch", "reader"), cores,
                     ReaderDataMovementConfig(compile_args, reader_defines));
    const auto writer =
        CreateKernel(program, vendor_kernel("all_to_all_dispatch", "writer"), cores,
                     WriterDataMovementConfig(compile_args, writer_defines(exchange, here, "AXIS")));
    Args head;
    for (const auto& buffer : {buffers.tokens, buffers.indices, buffers.mapping, buffers.output,
                               buffers.metadata}) {
        head.push_back(std::uint32_t(buffer->address()));
    }
    head.push_back(std::uint32_t(semaphores.second.address()));
    Args writer_head = head;
    writer_head.push_back(std::uint32_t(semaphores.first.address()));
    set_args(exchange, program, reader, writer, here, kTokens, head, writer_head);
    return program;
}

struct Combine {
    std::shared_ptr<MeshBuffer> rows, mapping, metadata, output;
};

Program combine_program(const Exchange& exchange, const Combine& buffers,
                        const std::pair<GlobalSemaphore, GlobalSemaphore>& semaphores,
                        const MeshCoordinate& here) {
    Program program = CreateProgram();
    const CoreRange cores = workers(exchange);
    const std::uint32_t own_experts = kExperts / exchange.devices();
    const auto device = std::uint32_t(here.to_linear_index(exchange.mesh->shape()));
    add_pages(program, cores, 0, own_experts, kRowBytes);
    add_pages(program, cores, 1, 1, kTableBytes);
    add_pages(program, cores, 2, 1, kTableBytes);
    add_pages(program, cores, 3, 1, kTableBytes);
    add_pages(program, cores, 4, 2, 256);  // headers
    Args reader_args{1, 2, 3, 0, own_experts, exchange.group_tokens(), 1, kExperts, device,
                     kRowBytes, kChoices, kTableBytes, 2 * kChoices, 0};
    TensorAccessorArgs(*buffers.rows).append_to(reader_args);
    TensorAccessorArgs(*buffers.mapping).append_to(reader_args);
    TensorAccessorArgs(*buffers.metadata).append_to(reader_args);
    Args writer_args{3, 2, 4, 0, exchange.group_tokens(), 1, kChoices, own_experts,
                     exchange.devices(), device, kRowBytes, kAlignment,
                     std::uint32_t(exchange.mesh->num_rows()),
                     std::uint32_t(exchange.mesh->num_cols()),
                     std::uint32_t(tt_fabric::get_tt_fabric_max_payload_size_bytes()), device,
                     topology_word(), 0};
    TensorAccessorArgs(*buffers.output).append_to(writer_args);
    const auto reader = CreateKernel(program, vendor_kernel("all_to_all_combine", "reader"), cores,
                                     ReaderDataMovementConfig(reader_args));
    const auto writer = CreateKernel(
        program, vendor_kernel("all_to_all_combine", "writer"), cores,
        WriterDataMovementConfig(writer_args,
                                 writer_defines(exchange, here, "REPLICATE_GROUP_AXIS")));
    set_args(exchange, program, reader, writer, here, exchange.group_tokens(),
             {std::uint32_t(buffers.mapping->address()), std::uint32_t(buffers.metadata->address()),
              std::uint32_t(buffers.rows->address())},
             {std::uint32_t(buffers.output->address()), std::uint32_t(semaphores.second.address()),
              std::uint32_t(semaphores.first.address())});
    return program;
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

std::uint16_t untouched(std::uint32_t /*device*/, std::uint32_t /*row*/, std::uint32_t /*column*/) {
    return kUntouched;
}

/// Sends the tokens and returns the wrong numbers among them and among the gathered indices.
std::size_t dispatch(const Exchange& exchange, const Dispatch& buffers) {
    fill(exchange, buffers.tokens, token_bits);
    fill(exchange, buffers.indices, choice);
    fill(exchange, buffers.mapping, [&](std::uint32_t, std::uint32_t expert, std::uint32_t column) {
        return std::uint16_t(column == exchange.device_of(expert));
    });
    fill(exchange, buffers.output, untouched);
    run_on_each(exchange, [&](const auto& semaphores, const MeshCoordinate& here) {
        return dispatch_program(exchange, buffers, semaphores, here);
    });
    const auto sent = [&](std::uint32_t device, std::uint32_t token, std::uint32_t column) {
        const std::uint32_t owner = exchange.owner(device, token);
        for (std::uint32_t slot = 0; slot < kChoices; ++slot) {
            if (exchange.device_of(choice(owner, token % kTokens, slot)) == device) {
                return token_bits(owner, token % kTokens, column);
            }
        }
        return kUntouched;
    };
    const auto table = [&](std::uint32_t device, std::uint32_t token, std::uint32_t slot) {
        return choice(exchange.owner(device, token), token % kTokens, slot);
    };
    return count_wrong(exchange, buffers.output, kHidden, sent) +
           count_wrong(exchange, buffers.metadata, kChoices, table);
}

/// Returns a row of each expert to the token's device, and the wrong numbers there.
std::size_t combine(const Exchange& exchange, const Dispatch& sent) {
    const std::uint32_t own_experts = kExperts / exchange.devices();
    const std::uint32_t tokens = exchange.group_tokens();
    const Combine buffers{pages_of(exchange, own_experts * tokens, kRowBytes), sent.mapping,
                          sent.metadata, pages_of(exchange, kChoices * kTokens, kRowBytes)};
    fill(exchange, buffers.rows, [&](std::uint32_t device, std::uint32_t row, std::uint32_t column) {
        return row_bits(device * own_experts + row / tokens, row % tokens, column);
    });
    fill(exchange, buffers.output, untouched);
    run_on_each(exchange, [&](const auto& semaphores, const MeshCoordinate& here) {
        return combine_program(exchange, buffers, semaphores, here);
    });
    const auto returned = [&](std::uint32_t device, std::uint32_t row, std::uint32_t column) {
        const std::uint32_t token = row % kTokens;
        const std::uint16_t expert = choice(device, token, row / kTokens);
        for (std::uint32_t other = 0; other < tokens; other += kTokens) {
            if (exchange.owner(device, other) == exchange.device_of(expert)) {
                const std::uint32_t columns = std::uint32_t(exchange.mesh->num_cols());
                const std::uint32_t place = exchange.axis ? device % columns : device;
                return row_bits(expert, place * kTokens + token, column);
            }
        }
        return kUntouched;  // an expert of another group
    };
    return count_wrong(exchange, buffers.output, kHidden, returned);
}

bool exchange_on(const MeshShape& shape, tt_fabric::FabricConfig config,
                 std::optional<std::uint32_t> axis, std::uint32_t num_links, bool by_page) {
    const char* home = std::getenv("TT_METAL_HOME");
    const std::string file = vendor_kernel("all_to_all_dispatch", "writer");
    if (home == nullptr || !std::filesystem::exists(std::filesystem::path(home) / file)) {
        std::printf("SKIP: TT_METAL_HOME has no %s\n", file.c_str());
        return true;
    }
    tt_fabric::SetFabricConfig(config);
    const Exchange exchange{MeshDevice::create(MeshDeviceConfig(shape)), axis, num_links, by_page};
    const Dispatch buffers{pages_of(exchange, kTokens, kRowBytes),
                           pages_of(exchange, kTokens, kTableBytes),
                           pages_of(exchange, kExperts, kTableBytes),
                           pages_of(exchange, exchange.group_tokens(), kRowBytes),
                           pages_of(exchange, exchange.group_tokens(), kTableBytes)};
    const std::size_t wrong = dispatch(exchange, buffers) + combine(exchange, buffers);
    std::printf("%zu numbers are wrong\n", wrong);
    return wrong == 0;
}

}  // namespace

bool vendor_exchange_in_a_ring() {
    return exchange_on(MeshShape(1, 8), tt_fabric::FabricConfig::FABRIC_1D_RING, 1, 1, false);
}
bool vendor_exchange_over_four_links() {
    return exchange_on(MeshShape(1, 8), tt_fabric::FabricConfig::FABRIC_1D_RING, 1, 4, false);
}
bool vendor_exchange_in_rows() {
    return exchange_on(MeshShape(2, 4), tt_fabric::FabricConfig::FABRIC_1D, 1, 1, true);
}
bool vendor_exchange_on_a_mesh() {
    return exchange_on(MeshShape(2, 4), tt_fabric::FabricConfig::FABRIC_2D, std::nullopt, 1, false);
}

}  // namespace metalium_programs
