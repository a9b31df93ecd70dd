// SPDX-License-Identifier: Apache-2.0
// Simulates writes through a torus flit by flit and credit by credit, cycle by cycle. It is the
// reference for the emulator's packets, which book whole links and hold whole channels. It shares
// nothing with the emulator's network except the pattern of writes.
// Source   tt-isa-documentation, WormholeB0/NoC/README.md (packets of flits of 32 B behind a header
//          flit, first one axis and then the other, a virtual channel on each side of a ring's
//          dateline) and DRAMTile/README.md (buffers of 512 B a channel).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace tessera::timing {

/// NoC 0: along x, then along y, both in ascending direction.
class FlitTorus {
public:
    static constexpr std::int64_t kHop = 10;          ///< cycles from a router to the next one
    static constexpr std::int64_t kCredit = 6;        ///< cycles until the credit is back
    static constexpr std::int64_t kBufferFlits = 16;  ///< per channel, in front of each router

    FlitTorus(std::uint32_t columns, std::uint32_t rows)
        : columns_(columns), routers_(std::size_t{columns} * rows) {}

    /// Queues a packet at its source. Returns its number.
    std::uint32_t send(std::uint32_t from, std::uint32_t to, std::uint32_t num_flits) {
        packets_.push_back({.to = to, .num_flits = num_flits});
        routers_[from].local.push_back(static_cast<std::uint32_t>(packets_.size() - 1));
        ++num_left_;
        return static_cast<std::uint32_t>(packets_.size() - 1);
    }
    /// Runs until all packets have arrived.
    void run() {
        for (; num_left_ > 0; ++now_) {
            for (std::uint32_t node = 0; node < routers_.size(); ++node) {
                for (const Output output : {kX, kY, kEjection}) {
                    move_one(node, output);
                }
            }
        }
    }
    /// Returns the cycle at which the last flit of a packet arrived.
    [[nodiscard]] std::int64_t end(std::uint32_t packet) const { return packets_[packet].end; }

private:
    enum Output : std::uint8_t { kX, kY, kEjection };
    // Two channels of each link, and the source.
    static constexpr std::uint32_t kInputs = 5;
    static constexpr std::uint32_t kLocal = 4;
    static constexpr std::uint32_t kNobody = kInputs;

    struct Packet {
        std::uint32_t to = 0;
        std::uint32_t num_flits = 0;
        std::uint32_t num_sent = 0;  ///< by the source
        std::uint32_t num_come = 0;
        std::int64_t end = 0;
    };
    struct Flit {
        std::uint32_t packet = 0;
        bool is_head = false;
        bool is_tail = false;
        std::int64_t at = 0;
    };
    /// Buffer in front of a router. A slot is free when its credit is back at the sender.
    struct Buffer {
        std::deque<Flit> flits;
        std::deque<std::int64_t> credits;
        [[nodiscard]] bool has_room(std::int64_t now) {
            while (!credits.empty() && credits.front() <= now) {
                credits.pop_front();
            }
            return static_cast<std::int64_t>(flits.size() + credits.size()) < kBufferFlits;
        }
    };
    struct Router {
        std::array<Buffer, kLocal> buffers;  ///< by link and dateline side
        std::deque<std::uint32_t> local;
        /// Input whose packet holds a channel of an output; an output has two channels.
        std::array<std::array<std::uint32_t, 2>, 3> holder{
            {{kNobody, kNobody}, {kNobody, kNobody}, {kNobody, kNobody}}};
        std::array<std::uint32_t, 3> next_input{};
    };

    [[nodiscard]] std::uint32_t rows() const {
        return static_cast<std::uint32_t>(routers_.size()) / columns_;
    }
    [[nodiscard]] Output output_of(std::uint32_t node, const Packet& packet) const {
        return node % columns_ != packet.to % columns_   ? kX
               : node / columns_ != packet.to / columns_ ? kY
                                                         : kEjection;
    }
    [[nodiscard]] bool is_last_of_ring(std::uint32_t node, Output output) const {
        return output == kX ? node % columns_ + 1 == columns_ : node / columns_ + 1 == rows();
    }
    [[nodiscard]] std::uint32_t behind(std::uint32_t node, Output output) const {
        const std::uint32_t x = node % columns_;
        const std::uint32_t y = node / columns_;
        return output == kX ? y * columns_ + (x + 1) % columns_ : (y + 1) % rows() * columns_ + x;
    }
    /// Returns the channel beyond the dateline if a packet has crossed it on this axis.
    [[nodiscard]] std::uint32_t side_of(std::uint32_t node, Output output,
                                        std::uint32_t input) const {
        const bool goes_on = output != kEjection && input / 2 == output && input != kLocal;
        const bool is_beyond = goes_on && input % 2 == 1;
        return output != kEjection && (is_beyond || is_last_of_ring(node, output)) ? 1 : 0;
    }
    /// Returns whether there is a flit at an input.
    bool look_at(const Router& router, std::uint32_t input, Flit& flit) const {
        if (input < kLocal) {
            const std::deque<Flit>& flits = router.buffers[input].flits;
            if (flits.empty() || flits.front().at > now_) {
                return false;
            }
            flit = flits.front();
            return true;
        }
        if (router.local.empty()) {
            return false;
        }
        const std::uint32_t number = router.local.front();
        const Packet& packet = packets_[number];
        flit = {number, packet.num_sent == 0, packet.num_sent + 1 == packet.num_flits, now_};
        return true;
    }
    void take(Router& router, std::uint32_t input, const Flit& flit) {
        if (input < kLocal) {
            router.buffers[input].flits.pop_front();
            router.buffers[input].credits.push_back(now_ + kCredit);
            return;
        }
        ++packets_[flit.packet].num_sent;
        if (flit.is_tail) {
            router.local.pop_front();
        }
    }
    void put(std::uint32_t node, Output output, std::uint32_t side, Flit flit) {
        if (output == kEjection) {
            Packet& packet = packets_[flit.packet];
            packet.end = now_;
            num_left_ -= ++packet.num_come == packet.num_flits ? 1 : 0;
            return;
        }
        flit.at = now_ + kHop;
        routers_[behind(node, output)].buffers[2 * output + side].flits.push_back(flit);
    }
    /// Moves a flit through an output from the input whose turn it is. A packet keeps its channel
    /// from its head to its tail.
    void move_one(std::uint32_t node, Output output) {
        Router& router = routers_[node];
        for (std::uint32_t i = 0; i < kInputs; ++i) {
            const std::uint32_t input = (router.next_input[output] + i) % kInputs;
            Flit flit;
            if (!look_at(router, input, flit) || output_of(node, packets_[flit.packet]) != output) {
                continue;
            }
            const std::uint32_t side = side_of(node, output, input);
            std::uint32_t& holder = router.holder[output][side];
            const bool is_its_own = flit.is_head ? holder == kNobody : holder == input;
            if (!is_its_own ||
                (output != kEjection &&
                 !routers_[behind(node, output)].buffers[2 * output + side].has_room(now_))) {
                continue;
            }
            holder = flit.is_tail ? kNobody : input;
            router.next_input[output] = (input + 1) % kInputs;
            take(router, input, flit);
            put(node, output, side, flit);
            return;
        }
    }

    std::uint32_t columns_;
    std::vector<Router> routers_;
    std::vector<Packet> packets_;
    std::size_t num_left_ = 0;
    std::int64_t now_ = 0;
};

}  // namespace tessera::timing
