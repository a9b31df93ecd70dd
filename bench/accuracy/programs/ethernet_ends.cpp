// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/ethernet_ends.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <random>

namespace tessera::score {
namespace {

// One slot stays free to distinguish a full ring from an empty one.
constexpr std::uint32_t kSlots = 16;
// Size of the flag after each payload, and of an acknowledgement.
constexpr std::uint32_t kFlagBytes = 16;
constexpr double kNotSet = std::numeric_limits<double>::infinity();
constexpr double kNanoseconds = 1e9;

std::uint32_t slot_behind(std::uint32_t slot) {
    return (slot + 1) % kSlots;
}

/// Constants in ns.
struct EndCosts {
    double poll;
    double send;
    double receive;
    double write;    ///< receiver's own time
    double leaving;  ///< until the write has left L1
    double wire;     ///< wire latency of the first byte
    double per_byte;
    std::uint64_t frame;
    std::uint64_t frame_overhead;
    std::uint32_t loads_until_flush;

    [[nodiscard]] double serialised(std::uint32_t bytes) const {
        const std::uint64_t frames = (bytes + frame - 1) / frame;
        return static_cast<double>(bytes + frames * frame_overhead) * per_byte;
    }
};

EndCosts costs_of(const EthernetStream& stream, const TimingSpec& timing,
                  const UnreplayedCosts& core) {
    const LinkTiming& link = timing.link;
    const double cycle = kNanoseconds / timing.clock.value;
    EndCosts costs{.poll = core.core_poll_cycles * cycle,
                   .send = core.core_send_ns,
                   .receive = core.core_receive_ns,
                   .write = 0,
                   .leaving = 0,
                   .wire = core.core_latency_ns,
                   .per_byte = kNanoseconds / link.rate.value,
                   .frame = link.frame.value,
                   .frame_overhead = link.frame_overhead.value,
                   .loads_until_flush = static_cast<std::uint32_t>(core.core_loads_until_flush)};
    // The measured latency is a round trip: each end sent one packet and polled for one.
    costs.wire = std::max(0.0, costs.wire - (costs.send + costs.receive) / 2 - costs.poll);
    if (stream.receiver != Receiver::Keeps) {
        costs.leaving = stream.packet_bytes / timing.noc.write_rate.value * cycle;
        costs.write =
            core.core_deliver_ns +
            (stream.receiver == Receiver::WritesByTransaction ? core.core_track_ns : costs.leaving);
    }
    return costs;
}

/// Times at which the other end sets the flag of each slot. Both ends allocate and free the slots
/// of a ring in order.
struct Flags {
    std::array<double, kSlots> set_at = filled(kNotSet);
    std::uint32_t first = 0;        ///< oldest slot in use
    std::uint32_t last = 0;         ///< next slot to use
    std::uint32_t cached = kSlots;  ///< slot that the data cache holds as not set; kSlots: none

    static std::array<double, kSlots> filled(double value) {
        std::array<double, kSlots> all{};
        all.fill(value);
        return all;
    }
};

/// One Ethernet core. One turn of its loop checks one flag of each kind and handles it.
class EthernetEnd {
public:
    EthernetEnd(const EndCosts& costs, std::uint32_t packets_to_send,
                std::uint32_t packets_to_receive, std::uint32_t packet_bytes)
        : costs_(costs),
          to_send_(packets_to_send),
          to_finish_(packets_to_send + packets_to_receive),
          sends_(packets_to_send > 0),
          receives_(packets_to_receive > 0),
          packet_bytes_(packet_bytes) {}

    [[nodiscard]] double now() const { return now_; }
    [[nodiscard]] bool is_done() const { return to_finish_ == 0; }

    void turn(EthernetEnd& other, std::minstd_rand& random) {
        now_ += costs_.poll;
        if (sends_) {
            send(other);
            take_acknowledgement(random);
        }
        if (receives_) {
            take_packet(random);
            acknowledge(other);
        }
    }

private:
    void send(EthernetEnd& other) {
        const std::uint32_t slot = sent_.last;
        if (to_send_ == 0 || slot_behind(slot) == sent_.first) {
            return;
        }
        now_ += costs_.send;
        other.received_.set_at[slot] = transmit(packet_bytes_ + kFlagBytes);
        sent_.last = slot_behind(slot);
        --to_send_;
    }

    void take_acknowledgement(std::minstd_rand& random) {
        if (finds(sent_, sent_.first, random)) {
            sent_.first = slot_behind(sent_.first);
            --to_finish_;
        }
    }

    void take_packet(std::minstd_rand& random) {
        const std::uint32_t slot = received_.last;
        if (slot_behind(slot) == received_.first || !finds(received_, slot, random)) {
            return;
        }
        now_ += costs_.write;
        has_left_[slot] = now_ + costs_.leaving;
        received_.last = slot_behind(slot);
    }

    void acknowledge(EthernetEnd& other) {
        const std::uint32_t slot = received_.first;
        if (slot == received_.last || has_left_[slot] > now_) {
            return;
        }
        now_ += costs_.receive;
        other.sent_.set_at[slot] = transmit(kFlagBytes);
        received_.first = slot_behind(slot);
        --to_finish_;
    }

    /// Issues a transmit command. The queue accepts it once the previous command has begun. Returns
    /// the arrival time.
    double transmit(std::uint32_t bytes) {
        now_ = std::max(now_, begun_);
        begun_ = std::max(now_, wire_free_);
        wire_free_ = begun_ + costs_.serialised(bytes);
        return wire_free_ + costs_.wire;
    }

    /// Returns whether the core sees a flag as set. On a chip with a data cache, a line that was
    /// read too early stays stale until the cache flushes itself, which a hit triggers
    /// occasionally. The cache is not coherent, and the measured kernels did not flush it. An end
    /// that never waits never reads a line too early. Therefore traffic in both directions, which
    /// keeps both ends busy, is faster than traffic in one.
    bool finds(Flags& flags, std::uint32_t slot, std::minstd_rand& random) {
        if (flags.cached == slot) {
            if (random() % costs_.loads_until_flush == 0) {
                sent_.cached = received_.cached = kSlots;
            }
            return false;
        }
        if (flags.set_at[slot] > now_) {
            flags.cached = costs_.loads_until_flush == 0 ? kSlots : slot;
            return false;
        }
        flags.set_at[slot] = kNotSet;
        return true;
    }

    const EndCosts& costs_;
    std::uint32_t to_send_;
    std::uint32_t to_finish_;
    bool sends_;
    bool receives_;
    std::uint32_t packet_bytes_;
    double now_ = 0;
    double begun_ = 0;
    double wire_free_ = 0;
    Flags sent_;      ///< acknowledged slots
    Flags received_;  ///< slots with an arrived packet
    std::array<double, kSlots> has_left_{};
};

}  // namespace

Seconds duration_of(const EthernetStream& stream, const TimingSpec& timing,
                    const UnreplayedCosts& core) {
    const EndCosts costs = costs_of(stream, timing, core);
    const std::uint32_t back = stream.directions == Directions::BothWays ? stream.num_packets : 0;
    EthernetEnd first(costs, stream.num_packets, back, stream.packet_bytes);
    EthernetEnd second(costs, back, stream.num_packets, stream.packet_bytes);
    std::minstd_rand random;  // NOLINT(cert-msc51-cpp): the same figures in any run
    while (!first.is_done()) {
        const bool is_first = first.now() <= second.now();
        (is_first ? first : second).turn(is_first ? second : first, random);
    }
    return Seconds{first.now() / kNanoseconds};
}

}  // namespace tessera::score
