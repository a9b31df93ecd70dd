// SPDX-License-Identifier: Apache-2.0
// One end of a ping-pong with one packet in flight. The pinging end marks each round trip as the
// zone "ping". The other end marks the time until its answer is sent as the zone "turn". On a ring
// a packet may return to its sender, and no device answers.
// Runtime args: those of a connection to the link on which the packets leave.
#include "fabric_args.hpp"

using namespace tessera::score;

namespace {

using tt::tt_fabric::WorkerToFabricEdmSender;

// Increments a word after the payload; the measured kernels poll the payload's last word.
class Pings {
public:
    Pings(WorkerToFabricEdmSender& connection, const FabricPingArgs& args)
        : connection_(connection),
          header_(PacketHeaderPool::allocate_header()),
          source_(args.source),
          bytes_(args.bytes) {
        if (args.device == kNoMesh) {
            fabric_set_unicast_route<false>(header_, args.hops);
        } else {
            using MeshHeader = volatile tt_l1_ptr tt::tt_fabric::HybridMeshPacketHeader;
            fabric_set_unicast_route(static_cast<MeshHeader*>(header_), args.device, 0);
        }
        const uint64_t arrived = get_noc_addr(get_semaphore(args.arrived));
        if (args.bytes == 0) {
            header_->to_noc_unicast_atomic_inc(
                tt::tt_fabric::NocUnicastAtomicIncCommandHeader{arrived, 1, false});
        } else {
            header_->to_noc_fused_unicast_write_atomic_inc(
                tt::tt_fabric::NocUnicastAtomicIncFusedCommandHeader{get_noc_addr(args.destination),
                                                                     arrived, 1, false},
                args.bytes);
        }
    }
    // Does not wait: the measured responder stops its clock when it has issued the header.
    void send() {
        connection_.wait_for_empty_write_slot();
        if (bytes_ != 0) {
            connection_.send_payload_without_header_non_blocking_from_address(source_, bytes_);
        }
        connection_.send_payload_non_blocking_from_address(reinterpret_cast<uint32_t>(header_),
                                                           sizeof(PACKET_HEADER_TYPE));
    }

private:
    WorkerToFabricEdmSender& connection_;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* header_;
    uint32_t source_;
    uint32_t bytes_;
};

}  // namespace

void kernel_main() {
    const auto args = FabricPingArgs::read();
    volatile tt_l1_ptr uint32_t* arrived =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(args.arrived));
    std::size_t arg_index = 0;
    auto connection =
        WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
    connection.open();
    Pings pings(connection, args);
    for (uint32_t i = 1; i <= args.count; ++i) {
        if (args.answers != 0) {
            noc_semaphore_wait_min(arrived, i);
            DeviceZoneScopedN("turn");
            pings.send();
        } else {
            DeviceZoneScopedN("ping");
            pings.send();
            noc_semaphore_wait_min(arrived, i);
        }
    }
    connection.close();
}
