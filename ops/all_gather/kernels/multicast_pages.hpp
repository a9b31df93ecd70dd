// SPDX-License-Identifier: Apache-2.0
// What one core sends of its device's pages, and how they reach all devices on one side.
#pragma once

#include "../../shared/kernels/arithmetic.hpp"
#include "../../shared/kernels/next_device.hpp"

constexpr uint32_t kCbPages = 0;

struct OwnPages {
    uint32_t first;   // of the device's input
    uint32_t count;   // this core's share
    uint32_t placed;  // page of the output where the device's first one goes
    uint32_t batch;   // pages that go through the circular buffer together

    uint32_t num_batches() const { return div_up(count, batch); }
    uint32_t begin(uint32_t index) const { return first + index * batch; }
    uint32_t end(uint32_t index) const {
        return (index + 1) * batch < count ? first + (index + 1) * batch : first + count;
    }
};
inline OwnPages own_pages_from_args(int at) {
    return {get_arg_val<uint32_t>(at), get_arg_val<uint32_t>(at + 1), get_arg_val<uint32_t>(at + 2),
            get_arg_val<uint32_t>(at + 3)};
}

// The devices on one side of this one. There may be none. `Packets` is PagePackets, or PagePieces
// where a page exceeds a packet.
template <typename Packets>
class Side {
public:
    // Reads the number of devices, and of a connection if there are any. `packing` is pages of a
    // packet, or bytes of a piece.
    Side(std::size_t arg_index, uint32_t page_bytes, uint32_t packing)
        : reach_(get_arg_val<uint32_t>(static_cast<int>(arg_index++))),
          connection_(connect(reach_, arg_index)),
          next_(connection_, reach_ == 0 ? 1 : reach_),
          packets_(next_, page_bytes, packing) {}

    // Counts up a word of this core's own on each of them, behind all that was sent.
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
    // Until what has been added may be overwritten.
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

    static Connection connect(uint32_t reach, std::size_t& arg_index) {
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
