// SPDX-License-Identifier: Apache-2.0
// Reads the pages that go to this core's peers, each with its page there.
#include "../../shared/token_exchange/kernels/peers.hpp"
#include "../../shared/token_exchange/kernels/piece_reader.hpp"
#include "../../shared/token_exchange/kernels/routing.hpp"
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::all_to_all;

void kernel_main() {
    const PageArgs::Each sizes{ReaderTensors::Addresses::kCount};
    const PacketPieces page{sizes.page_bytes(), sizes.piece_bytes()};
    const Peers peers = peers_from_args(sizes.first_arg + PageArgs::kCount);
    // Each peer's range follows the peers.
    const uint32_t first_range = peers.end();
    const auto input = TensorAccessor(ReaderTensors::input(), ReaderTensors::input_address());

    PieceReader pieces(kCbRows);
    for (uint32_t peer = 0; peer < peers.count; ++peer) {
        const auto range = PeerPages::read(first_range + PeerPages::kCount * peer);
        for (uint32_t i = 0; i < range.num_pages; ++i) {
            // A command precedes its page, so the writer knows the target when the page arrives.
            push_command(1, peer, range.first_there + i);
            pieces.read(page, input, range.first_here + i);
        }
    }
    pieces.push();
    push_command(kEnd, 0, 0);
}
