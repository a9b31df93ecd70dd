// SPDX-License-Identifier: Apache-2.0
// Pages that one core sends for its device, and their way to all devices on one side.
#pragma once

#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/next_device.hpp"
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::all_gather;

constexpr uint32_t kCbPages = index_of(Cb::Pages);

struct OwnPages : OwnPagesArgs {
    uint32_t num_batches() const { return div_up(count, batch); }
    uint32_t begin(uint32_t index) const { return first + index * batch; }
    uint32_t end(uint32_t index) const {
        return (index + 1) * batch < count ? first + (index + 1) * batch : first + count;
    }
};

// The devices on one side of this one, possibly none. `Packets` is PagePackets, or PagePieces if a
// page exceeds a packet.
template <typename Packets>
class Side {
public:
    // Reads SideArgs from `first_arg` on, and a connection if there are devices.
    Side(uint32_t first_arg, uint32_t page_bytes, uint32_t packing)
        : reach_(SideArgs::read(first_arg).reach),
          connection_(connect(reach_, first_arg + SideArgs::kCount)),
          next_(connection_, reach_ == 0 ? 1 : reach_),
          packets_(next_, page_bytes, packing) {}

    // Counts up a word of this core's own on each of them, after all that was sent.
    void count_up(uint32_t semaphore_id) {
        if (reach_ != 0) {
            next_.count_up(get_noc_addr(get_semaphore(semaphore_id)));
        }
    }
    void add(uint32_t source, uint64_t destination) {
        if (reach_ != 0) {
            packets_.add(source, destination);
        }
    }
    // Waits until the pages that were added may be overwritten.
    void flush() {
        if (reach_ != 0) {
            packets_.send();
            noc_async_writes_flushed();
        }
    }
    void close() {
        if (reach_ != 0) {
            connection_.close();
        }
    }

private:
    using Connection = tt::tt_fabric::WorkerToFabricEdmSender;

    static Connection connect(uint32_t reach, std::size_t arg_index) {
        if (reach == 0) {
            return {};
        }
        auto connection = Connection::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
        connection.open();
        return connection;
    }

    uint32_t reach_;
    Connection connection_;
    NextDevice next_;
    Packets packets_;
};
