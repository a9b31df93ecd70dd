// SPDX-License-Identifier: Apache-2.0
// Runs the vendor's kernels of all_to_all_dispatch and all_to_all_combine as they are below
// TT_METAL_HOME. Tokens go to the devices of their experts, and a row for each expert goes back.
#include <cstdio>

#include "tests/metalium/mesh_programs.hpp"
#include "tests/metalium/vendor_exchange.hpp"

using namespace tt;
using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

namespace metalium_programs {

using namespace exchange;

namespace {

struct Dispatch {
    std::shared_ptr<MeshBuffer> tokens, indices, mapping, output, metadata;
};

Args dispatch_compile_args(const Exchange& exchange, const Dispatch& buffers,
                           std::uint32_t device) {
    const auto rows = std::uint32_t(exchange.mesh->num_rows());
    const auto columns = std::uint32_t(exchange.mesh->num_cols());
    const std::uint32_t table = 2 * kChoices;
    Args args{0, 1, 2, 3, 4};  // tokens, indices, mapping, headers, marks of what is sent
    for (const auto& buffer :
         {buffers.tokens, buffers.indices, buffers.mapping, buffers.output, buffers.metadata}) {
        args.push_back(buffer->num_pages());
    }
    args.insert(args.end(), {kRowBytes, table, kTableBytes, kRowBytes, table});
    args.insert(args.end(),
                {exchange.devices(), kHidden, exchange.group_size(), kChoices, kExperts, kTokens,
                 exchange.num_links, std::uint32_t(tt_fabric::get_fabric_topology()), 0, device,
                 rows, columns});
    args.insert(args.end(), {kRowBytes, kTableBytes, kTableBytes, kRowBytes, kTableBytes});
    args.insert(args.end(), {std::uint32_t(tt_fabric::get_tt_fabric_max_payload_size_bytes()),
                             kAlignment, 5, std::uint32_t(exchange.sends_table_by_page), device});
    for (const auto& buffer :
         {buffers.tokens, buffers.indices, buffers.mapping, buffers.output, buffers.metadata}) {
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
    const auto reader = CreateKernel(program, vendor_kernel("all_to_all_dispatch", "reader"), cores,
                                     ReaderDataMovementConfig(compile_args, reader_defines));
    const auto writer = CreateKernel(
        program, vendor_kernel("all_to_all_dispatch", "writer"), cores,
        WriterDataMovementConfig(compile_args, writer_defines(exchange, here, "AXIS")));
    Args head;
    for (const auto& buffer :
         {buffers.tokens, buffers.indices, buffers.mapping, buffers.output, buffers.metadata}) {
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
    Args reader_args{1,
                     2,
                     3,
                     0,
                     own_experts,
                     exchange.group_tokens(),
                     1,
                     kExperts,
                     device,
                     kRowBytes,
                     kChoices,
                     kTableBytes,
                     2 * kChoices,
                     0};
    TensorAccessorArgs(*buffers.rows).append_to(reader_args);
    TensorAccessorArgs(*buffers.mapping).append_to(reader_args);
    TensorAccessorArgs(*buffers.metadata).append_to(reader_args);
    Args writer_args{3,
                     2,
                     4,
                     0,
                     exchange.group_tokens(),
                     1,
                     kChoices,
                     own_experts,
                     exchange.devices(),
                     device,
                     kRowBytes,
                     kAlignment,
                     std::uint32_t(exchange.mesh->num_rows()),
                     std::uint32_t(exchange.mesh->num_cols()),
                     std::uint32_t(tt_fabric::get_tt_fabric_max_payload_size_bytes()),
                     device,
                     std::uint32_t(tt_fabric::get_fabric_topology()),
                     0};
    TensorAccessorArgs(*buffers.output).append_to(writer_args);
    const auto reader = CreateKernel(program, vendor_kernel("all_to_all_combine", "reader"), cores,
                                     ReaderDataMovementConfig(reader_args));
    const auto writer =
        CreateKernel(program, vendor_kernel("all_to_all_combine", "writer"), cores,
                     WriterDataMovementConfig(
                         writer_args, writer_defines(exchange, here, "REPLICATE_GROUP_AXIS")));
    set_args(exchange, program, reader, writer, here, exchange.group_tokens(),
             {std::uint32_t(buffers.mapping->address()), std::uint32_t(buffers.metadata->address()),
              std::uint32_t(buffers.rows->address())},
             {std::uint32_t(buffers.output->address()), std::uint32_t(semaphores.second.address()),
              std::uint32_t(semaphores.first.address())});
    return program;
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
    fill(exchange, buffers.rows,
         [&](std::uint32_t device, std::uint32_t row, std::uint32_t column) {
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
