// SPDX-License-Identifier: Apache-2.0
// Reads the pages that go to this core's peers, each with its page there.
#include "../../shared/token_exchange/kernels/peers.hpp"
#include "../../shared/token_exchange/kernels/piece_reader.hpp"
#include "../../shared/token_exchange/kernels/routing.hpp"

void kernel_main() {
    const PacketPieces page{get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2)};
    const Peers peers = peers_from_args(3);
    // Each peer's range follows the peers: first page here, first page there, number of pages.
    const uint32_t first_range = peers.end();
    constexpr auto input_args = TensorAccessorArgs<0>();
    const auto input = TensorAccessor(input_args, get_arg_val<uint32_t>(0));

    PieceReader pieces(kCbRows);
    for (uint32_t peer = 0; peer < peers.count; ++peer) {
        const uint32_t from = get_arg_val<uint32_t>(first_range + 3 * peer);
        const uint32_t to = get_arg_val<uint32_t>(first_range + 3 * peer + 1);
        const uint32_t count = get_arg_val<uint32_t>(first_range + 3 * peer + 2);
        for (uint32_t i = 0; i < count; ++i) {
            // A command goes before its page, so that the writer knows the target when the page
            // arrives.
            push_command(1, peer, to + i);
            pieces.read(page, input, from + i);
        }
    }
    pieces.push();
    push_command(kEnd, 0, 0);
}
