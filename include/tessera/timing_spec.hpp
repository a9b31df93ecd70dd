// SPDX-License-Identifier: Apache-2.0
// What acts cost on one device model: the `timing:` section of configs/arch/*.yaml, frozen. Nothing
// here is a default.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/units.hpp"

namespace tessera {

/// The two data-movement RISCs: cycles of the instruction stream of one call.
struct RiscTiming {
    Cycles read_issue;             ///< noc_async_read from L1, command written anew
    Cycles read_issue_dram;        ///< the same from DRAM
    Cycles read_issue_with_state;  ///< …_with_state: coordinates and size are latched
    Cycles write_issue;
    Cycles write_issue_with_state;
    Cycles set_state;
    Cycles page_address;  ///< bank and place of a page, before its transfer
    Cycles multicast_issue;
    Cycles semaphore_issue;  ///< words and atomics over the NoC
    Cycles barrier_poll;     ///< a barrier's last look at the counters
    Cycles semaphore_poll;   ///< a semaphore wait's last look at L1
    Cycles local_word;       ///< store to a semaphore in own L1
    Cycles cb_reserve;       ///< cb_reserve_back that finds space
    Cycles cb_push;
    Cycles cb_wait;  ///< cb_wait_front that finds its pages
    Cycles cb_pop;
    Cycles zone_mark;  ///< profiler mark; 0 where measurements have it taken out
    // A kernel's own instructions between its calls.
    Cycles instruction;   ///< of one cycle where nothing holds it up
    Cycles load;          ///< from L1, to the instruction that uses what it loads
    Cycles store;         ///< to L1, where they follow each other
    Cycles product;       ///< that nothing waits for
    Cycles dividend_bit;  ///< of a division by what is no constant
    Cycles loop_control;  ///< of a loop around one call, which the call's own price has in it
};

/// One NoC of a device. Rates are of payload.
struct NocTiming {
    Cycles hop;               ///< router to router
    Cycles interface;         ///< network interface to router, each way
    Cycles command;           ///< from a command's last register write to its first flit
    Cycles l1_read;           ///< first word out of an L1 for a request that arrived
    Cycles l1_write;          ///< last flit at an L1 to its acknowledgement
    Cycles completion;        ///< last flit or acknowledgement to the counter a barrier reads
    Cycles read_slot;         ///< of the port that answers a read from an L1, at least
    BytesPerCycle read_rate;  ///< one stream, L1 to L1
    BytesPerCycle write_rate;
    BytesPerCycle link_rate;       ///< a link between routers, headers and gaps taken out
    BytesPerCycle injection_rate;  ///< of a worker's interface
    BytesPerCycle ejection_rate;
    BytesPerCycle multicast_rate;
    Cycles multicast_setup;  ///< path reservation, each hop to the furthest receiver
    Cycles packet_overhead;  ///< of a link's time, for each packet
    Cycles atomic;           ///< read-modify-write at the far L1
    Bytes router_buffer;     ///< at one router input, a flit of it each channel's, the rest shared
    Bytes channel_buffer;    ///< of that, what one virtual channel can fill
    std::uint32_t port_requests = 0;       ///< of reads, that an L1 accepts before it answers
    std::uint32_t outstanding_reads = 0;   ///< requests of one interface in flight
    std::uint32_t outstanding_writes = 0;  ///< non-posted writes of one interface in flight
    std::uint32_t queued_writes = 0;       ///< writes of one RISC issued and not yet out of its L1
};

/// Times of DRAM banks, controllers and their NoC ports.
struct DramTiming {
    Cycles read_latency;           ///< request at the controller's port to first data there
    Cycles write_latency;          ///< last data at the port to the acknowledgement
    BytesPerCycle bank_read_rate;  ///< one bank, as the port gives it
    BytesPerCycle bank_write_rate;
    BytesPerCycle channel_rate;     ///< controller shared by its banks
    Cycles turnaround;              ///< of a channel, from reads to writes and back
    Cycles request_overhead;        ///< of a bank's time, for each request
    Cycles read_slot;               ///< of the port that answers a read, at least
    Bytes burst;                    ///< granule of the controller
    BytesPerCycle write_port_rate;  ///< of one packet into the buffer of its bank
    Bytes write_buffer;             ///< in front of each bank, of packets it has not begun with
    /// Of reads, that a bank's port accepts before it answers.
    std::uint32_t port_requests = 0;
};

/// The engines of the compute kernel: unpack, math and pack.
struct ComputeTiming {
    Cycles unpack_tile_16bit;  ///< one operand tile of 16-bit elements to a source register
    Cycles unpack_tile_32bit;
    Cycles unpack_tile_8bit;  ///< fp8, bfp8_b
    Cycles unpack_tile_4bit;
    Cycles unpack_start;  ///< of each tile unpacked
    /// Two operands at once: the longer one's time plus this part of the shorter one's. 1 where
    /// both unpackers share L1's port, 0 where they run side by side.
    double unpack_pair_share = 0;
    /// What a call that unpacks one operand, for a copy, takes at least: its instructions.
    Cycles unpack_call;
    Cycles unpack_block_call;  ///< the same of each tile of a block that one call copies
    Cycles unpack_pair_call;  ///< the same of two operands, for an element-wise operation or reduce
    /// More for a tile of in1 that follows another of the same matmul_block call to SrcA.
    Cycles unpack_next_srca;
    /// Once for matmul_block calls that follow on one another, as those of one subblock do.
    Cycles unpack_run;
    /// Products of single tiles (matmul_tiles) whose operands may be in source registers at once:
    /// with 1, operands are unpacked when math has done with the product before.
    std::uint32_t matmul_tiles_in_source = 0;
    Cycles matmul_phase;       ///< tile product, each fidelity phase
    Cycles matmul_product;     ///< tile product, beside its phases
    Cycles matmul_phases_end;  ///< the same if it has several, behind the last
    Cycles
        matmul_tiles_start;  ///< each call of matmul_tiles, while operands may still be on the way
    Cycles matmul_block_start;  ///< the same of matmul_block
    Cycles eltwise_phase;       ///< element-wise multiply, each of the first two fidelity phases
    Cycles eltwise_late_phase;  ///< the same, each of the third and fourth
    Cycles eltwise_add;         ///< element-wise add or subtract
    Cycles copy_tile;           ///< source register to DST
    Cycles reduce_row_phase;    ///< reduce along rows by sums, each fidelity phase
    Cycles reduce_row_largest;  ///< reduce along rows by largest elements: no phases
    Cycles reduce_scalar;       ///< reduce to a scalar, beside its phases
    Cycles reduce_scalar_phase;
    Cycles transpose;
    Cycles math_start;  ///< each math call beside its work
    Cycles pack_tile_16bit;
    Cycles pack_tile_32bit;
    Cycles pack_tile_8bit;
    std::uint32_t packers = 0;  ///< faces of a tile that are packed side by side
    Cycles pack_start;
    Cycles pack_accumulate;    ///< more for a tile added to what L1 holds
    Cycles pack_dst_32bit;     ///< more for a tile read from 32-bit DST
    Cycles tilize_tile_16bit;  ///< unpack of one tile from rows
    Cycles tilize_tile_32bit;
    Cycles untilize_tile;
    Cycles pack_untilize_tile;
    Cycles dst_call;     ///< semaphore between math and pack
    Cycles cb_call;      ///< CB call of unpack or pack, whose RISCs run ahead of their engines
    Cycles init_unpack;  ///< hardware's configuration at a kernel's start, each thread its own
    Cycles init_math;
    Cycles init_pack;
    Cycles init_operation;
    Cycles init_sfpu;
    Cycles reconfigure;
};

/// Cycles of one tile by function of the vector unit; names as the kernel API's without `_tile`,
/// approximate modes with the suffix "_approx".
struct SfpuTiming {
    std::vector<std::pair<std::string, Cycles>> functions;  ///< sorted by name
    Cycles start;                                           ///< each call beside its work
    Cycles other;                                           ///< functions that are not in the table
};

/// Times of mesh links and of the routers at their ends.
struct LinkTiming {
    BytesPerSecond rate;   ///< one link, one direction
    Seconds hop_latency;   ///< device to device, first byte
    Seconds packet_slot;   ///< of the sending router's time, for each packet
    Seconds receive_slot;  ///< of the receiving router's time, for each packet it passes on
    Seconds deliver_slot;  ///< of the receiving router's time, for each packet it writes to a core
    Seconds command_slot;  ///< more for a second NoC command: an addition behind a payload
    Seconds part_slot;     ///< more for each further part of a payload, written elsewhere
    Seconds flush_slot;    ///< more to wait until a payload has been acknowledged
    Seconds copy_slot;     ///< more where a packet is written to a core and passed on as well
    Seconds ring_slot;     ///< more for each router of a ring, whose receivers acknowledge twice
    Seconds mesh_slot;     ///< more for a packet on routes of a mesh's two dimensions
    Seconds mesh_latency;  ///< of such a packet alone: its router handles others meanwhile
    Seconds acknowledgement;  ///< of the wire's time the other way, for each packet received
    Bytes packet_overhead;    ///< header of each packet
    Bytes frame;              ///< most that one Ethernet frame carries
    Bytes frame_overhead;     ///< preamble, framing and gap of each frame
    Bytes max_payload;
    Cycles worker_issue;  ///< worker's RISC, each packet
    Cycles mux_slot;      ///< of a mux's RISC, each packet: before it goes out and behind it
    Cycles mux_credit;    ///< of the same while the packet goes out
    Seconds open;         ///< worker's handshake with the sender before its first packet
    Seconds close;        ///< and after its last
    std::uint32_t links_per_direction = 0;
    std::uint32_t sender_slots = 0;       ///< packets a sender buffers
    std::uint32_t receiver_slots = 0;     ///< packets a link's receiving router buffers
    std::uint32_t router_processors = 0;  ///< 2: one sends, one receives
};

/// From one program to the next. Two cores hand a program out, one behind the other: one reads it
/// from a trace in DRAM and streams it to the next, which writes it to the workers. A program that
/// depends on what the host reads back first is in no trace: the host waits for the end of the one
/// before, reads all tensors it needs at once, and enqueues it.
struct DispatchTiming {
    Seconds host_read;              ///< the host's round trip for what it reads back, see below
    Cycles program_gap;             ///< a program's last done message to the next one's go signal
    Cycles prefetch_program;        ///< commands of any program read and relayed
    Cycles prefetch_binary;         ///< each RISC's binary of each kernel group
    Cycles prefetch_configuration;  ///< more if it has a CB, a semaphore or an argument; own
                                    ///< arguments are a command to each kernel group
    BytesPerCycle stream_rate;      ///< in by the NoC and out again
    Cycles write_program;           ///< commands of any program, its multicasts on one core
    Cycles write_binary;            ///< each RISC's binary of each kernel group
    Cycles write_multicast;         ///< a multicast that waits for the one before
    Cycles write_group;             ///< the same to each group of cores behind the first
    Cycles write_hop;               ///< each such multicast, each hop across the program's cores
    Cycles write_core;              ///< a core's own arguments, while they are short
    Cycles write_arguments;         ///< such arguments of each kernel group behind the first
    Bytes config_ring;              ///< of an L1: what programs handed out and not done may fill
    std::uint32_t launch_messages = 0;  ///< programs handed out and not done, at most
    Cycles launch_latency;              ///< go signal to the firmware of a core
    Cycles start_spread;                ///< cores start at most this much apart, at random
    Cycles kernel_start;                ///< firmware: to kernel_main
    /// Firmware: a kernel of RISC 1 to its instruction RAM, before those of both data-movement
    /// RISCs begin.
    Cycles kernel_copy;
    Cycles cb_setup;    ///< firmware, each CB
    Cycles kernel_end;  ///< kernel_main's return to the done message
};

/// How far the model itself is off, beside its constants, by the mechanism that decides a time
/// (emu/timing/regime.hpp): 0.2 stands for measured times within a factor of 1.2 of predicted
/// ones, either way, in nine cases of ten.
struct ModelErrorSpec {
    double compute = 0;
    double issue = 0;
    double few_cores = 0;
    double many_reads = 0;
    double many_writes = 0;
    double multicast = 0;
    double dram_fan_out = 0;
    double links = 0;
    double launch = 0;
    double shared = 0;  ///< of the error's variance, what two runs have in common
};

/// All timing constants of a device model (the keys below `timing:` in configs/arch).
struct TimingSpec {
    Hertz clock;
    RiscTiming risc;
    NocTiming noc;
    DramTiming dram;
    ComputeTiming compute;
    SfpuTiming sfpu;
    LinkTiming link;
    DispatchTiming dispatch;
    ModelErrorSpec model_error;
};

/// The same machine three times: each constant at the end of its range that makes runs short, as
/// stated, and at the end that makes them long. A constant without a range is the same in all.
struct TimingBounds {
    TimingSpec low;
    TimingSpec expected;
    TimingSpec high;
};

}  // namespace tessera
