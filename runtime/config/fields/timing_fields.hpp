// SPDX-License-Identifier: Apache-2.0
// The keys of `timing:` in configs/arch/*.yaml: a constant is one row here, one member of
// TimingSpec and one line in each file.
#pragma once

#include <array>

#include "emu/base/fields/field.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::config {

inline constexpr Limits kNotNegative{0, 1e15};
inline constexpr Limits kRate{1e-3, 1e15};
inline constexpr Limits kSome{1, 1e9};

/// A cost of the machine.
template <auto Member>
[[nodiscard]] constexpr Field cost(std::string_view key, std::string_view prose) {
    return fact<Member>(key, prose, kNotNegative);
}
/// A rate, or a number of things that may be under way: the more, the shorter the run.
template <auto Member>
[[nodiscard]] constexpr Field supply(std::string_view key, std::string_view prose, Limits limits) {
    Field row = fact<Member>(key, prose, limits);
    row.shortens = Shortens::More;
    return row;
}
template <auto Member>
[[nodiscard]] constexpr Field rate(std::string_view key, std::string_view prose) {
    return supply<Member>(key, prose, kRate);
}
template <auto Member>
[[nodiscard]] constexpr Field amount(std::string_view key, std::string_view prose) {
    return supply<Member>(key, prose, kSome);
}

inline constexpr std::array kRiscTimingFields{
    cost<&RiscTiming::read_issue>("read_issue",
                                  "noc_async_read of L1: its instructions, each packet"),
    cost<&RiscTiming::read_issue_dram>("read_issue_dram", "noc_async_read of DRAM, each packet"),
    cost<&RiscTiming::read_issue_with_state>("read_issue_with_state",
                                             "read with latched coordinates and size"),
    cost<&RiscTiming::write_issue>("write_issue", "noc_async_write, each packet"),
    cost<&RiscTiming::write_issue_with_state>("write_issue_with_state",
                                              "write with latched coordinates and size"),
    cost<&RiscTiming::set_state>("set_state", "latching a command for later transfers"),
    cost<&RiscTiming::page_address>("page_address", "bank and place of a page, each transfer"),
    cost<&RiscTiming::multicast_issue>("multicast_issue", "noc_async_write_multicast, each packet"),
    cost<&RiscTiming::semaphore_issue>("semaphore_issue", "word or atomic over the NoC"),
    cost<&RiscTiming::barrier_poll>("barrier_poll", "a barrier's last look at the counters"),
    cost<&RiscTiming::semaphore_poll>("semaphore_poll", "a semaphore wait's last look at L1"),
    cost<&RiscTiming::local_word>("local_word", "store to a semaphore in own L1"),
    cost<&RiscTiming::cb_reserve>("cb_reserve", "cb_reserve_back that finds space"),
    cost<&RiscTiming::cb_push>("cb_push", "cb_push_back"),
    cost<&RiscTiming::cb_wait>("cb_wait", "cb_wait_front that finds its pages"),
    cost<&RiscTiming::cb_pop>("cb_pop", "cb_pop_front"),
    cost<&RiscTiming::zone_mark>("zone_mark", "begin or end of a profiler zone"),
    cost<&RiscTiming::instruction>("instruction", "a kernel's own instruction between calls"),
    cost<&RiscTiming::load>(
        "load", "a kernel's own load from L1, argument reads too, to the instruction that uses it"),
    cost<&RiscTiming::store>("store", "a kernel's own store to L1, where they follow each other"),
    cost<&RiscTiming::product>("product", "a kernel's own product that nothing waits for"),
    cost<&RiscTiming::dividend_bit>(
        "dividend_bit", "a kernel's own division by what is no constant, a bit of its dividend"),
    cost<&RiscTiming::loop_control>(
        "loop_control", "of a loop around one call: in the call's measured price, and not added"),
};

inline constexpr std::array kNocTimingFields{
    cost<&NocTiming::hop>("hop", "router to router"),
    cost<&NocTiming::interface>("interface", "network interface to router, each way"),
    cost<&NocTiming::command>("command", "last register write of a command to its first flit"),
    cost<&NocTiming::l1_read>("l1_read", "first word out of an L1 for a request that arrived"),
    cost<&NocTiming::l1_write>("l1_write", "last flit at an L1 to its acknowledgement"),
    cost<&NocTiming::completion>("completion", "last flit to the counter that a barrier reads"),
    cost<&NocTiming::read_slot>("read_slot",
                                "of the port that answers a read from an L1, however small"),
    rate<&NocTiming::read_rate>("read_rate", "one stream of reads, L1 to L1"),
    rate<&NocTiming::write_rate>("write_rate", "one stream of writes, L1 to L1"),
    rate<&NocTiming::link_rate>("link_rate", "payload over a link between routers"),
    rate<&NocTiming::injection_rate>("injection_rate", "payload from a worker into the network"),
    rate<&NocTiming::ejection_rate>("ejection_rate", "payload from the network into a worker"),
    rate<&NocTiming::multicast_rate>("multicast_rate", "payload of a multicast"),
    cost<&NocTiming::multicast_setup>("multicast_setup",
                                      "path reservation of a multicast, each hop"),
    cost<&NocTiming::packet_overhead>("packet_overhead", "of a link's time, for each packet"),
    cost<&NocTiming::atomic>("atomic", "read-modify-write at the far L1"),
    amount<&NocTiming::router_buffer>("router_buffer",
                                      "buffer at a router's input, for all channels"),
    amount<&NocTiming::channel_buffer>("channel_buffer", "what one virtual channel can fill of it"),
    amount<&NocTiming::port_requests>("port_requests",
                                      "read requests that an L1 accepts before it answers"),
    amount<&NocTiming::outstanding_reads>("outstanding_reads",
                                          "read packets of one interface in flight"),
    amount<&NocTiming::outstanding_writes>("outstanding_writes",
                                           "non-posted writes of one interface in flight"),
    amount<&NocTiming::queued_writes>("queued_writes",
                                      "writes of one RISC issued and not yet out of its L1"),
};

inline constexpr std::array kDramTimingFields{
    cost<&DramTiming::read_latency>("read_latency", "request at the port to first data there"),
    cost<&DramTiming::write_latency>("write_latency", "last data at the port to acknowledgement"),
    rate<&DramTiming::bank_read_rate>("bank_read_rate", "reads of one bank"),
    rate<&DramTiming::bank_write_rate>("bank_write_rate", "writes of one bank"),
    rate<&DramTiming::channel_rate>("channel_rate", "controller shared by its banks"),
    cost<&DramTiming::turnaround>("turnaround", "of a channel, from reads to writes and back"),
    cost<&DramTiming::request_overhead>("request_overhead", "of a bank's time, each request"),
    cost<&DramTiming::read_slot>("read_slot", "of the port that answers a read, however small"),
    amount<&DramTiming::burst>("burst", "granule of the controller"),
    rate<&DramTiming::write_port_rate>("write_port_rate", "a packet into its bank's buffer"),
    amount<&DramTiming::write_buffer>("write_buffer", "packets that a bank has not begun with"),
    amount<&DramTiming::port_requests>(
        "port_requests", "read requests that a bank's port accepts before it answers"),
};

inline constexpr std::array kComputeTimingFields{
    cost<&ComputeTiming::unpack_tile_16bit>("unpack_tile_16bit",
                                            "operand tile of 16-bit elements to a source register"),
    cost<&ComputeTiming::unpack_tile_32bit>("unpack_tile_32bit", "32-bit elements"),
    cost<&ComputeTiming::unpack_tile_8bit>("unpack_tile_8bit", "fp8, bfp8_b, 8-bit integers"),
    cost<&ComputeTiming::unpack_tile_4bit>("unpack_tile_4bit", "bfp4_b"),
    cost<&ComputeTiming::unpack_start>("unpack_start", "each tile unpacked, beside its bytes"),
    fact<&ComputeTiming::unpack_pair_share>(
        "unpack_pair_share", "part of the shorter of two operands that adds to the longer",
        Limits{0, 1}),
    cost<&ComputeTiming::unpack_call>("unpack_call", "call with one operand, at least"),
    cost<&ComputeTiming::unpack_block_call>("unpack_block_call",
                                            "tile of a call that copies a block, at least"),
    cost<&ComputeTiming::unpack_pair_call>("unpack_pair_call",
                                           "element-wise call or reduce, at least"),
    cost<&ComputeTiming::unpack_next_srca>("unpack_next_srca",
                                           "more for a further tile of in1 of a matmul_block call"),
    cost<&ComputeTiming::unpack_run>("unpack_run", "matmul_block calls of one subblock, once"),
    amount<&ComputeTiming::matmul_tiles_in_source>(
        "matmul_tiles_in_source",
        "matmul_tiles calls whose operands source registers hold at once"),
    cost<&ComputeTiming::matmul_phase>("matmul_phase", "tile product, each fidelity phase"),
    cost<&ComputeTiming::matmul_product>("matmul_product", "tile product, beside its phases"),
    cost<&ComputeTiming::matmul_phases_end>("matmul_phases_end",
                                            "tile product of more than one phase"),
    cost<&ComputeTiming::matmul_tiles_start>("matmul_tiles_start", "each call of matmul_tiles"),
    cost<&ComputeTiming::matmul_block_start>("matmul_block_start", "each call of matmul_block"),
    cost<&ComputeTiming::eltwise_phase>("eltwise_phase",
                                        "multiplied tile, each of the first two phases"),
    cost<&ComputeTiming::eltwise_late_phase>("eltwise_late_phase",
                                             "multiplied tile, third and fourth phase"),
    cost<&ComputeTiming::eltwise_add>("eltwise_add", "tile added or subtracted"),
    cost<&ComputeTiming::copy_tile>("copy_tile", "tile from source register to DST"),
    cost<&ComputeTiming::reduce_row_phase>("reduce_row_phase",
                                           "tile's rows summed up, each fidelity phase"),
    cost<&ComputeTiming::reduce_row_largest>("reduce_row_largest", "largest of a tile's rows"),
    cost<&ComputeTiming::reduce_scalar>("reduce_scalar", "tile to a scalar, beside its phases"),
    cost<&ComputeTiming::reduce_scalar_phase>("reduce_scalar_phase",
                                              "tile to a scalar, each fidelity phase"),
    cost<&ComputeTiming::transpose>("transpose", "tile transposed"),
    cost<&ComputeTiming::math_start>("math_start", "each math call beside its work"),
    cost<&ComputeTiming::pack_tile_16bit>("pack_tile_16bit", "tile of 16-bit elements to L1"),
    cost<&ComputeTiming::pack_tile_32bit>("pack_tile_32bit", "32-bit elements"),
    cost<&ComputeTiming::pack_tile_8bit>("pack_tile_8bit", "fp8, bfp8_b, bfp4_b, 8-bit integers"),
    amount<&ComputeTiming::packers>("packers", "faces of a tile that are packed side by side"),
    cost<&ComputeTiming::pack_start>("pack_start", "each tile packed, beside its bytes"),
    cost<&ComputeTiming::pack_accumulate>("pack_accumulate", "more for a tile added to L1"),
    cost<&ComputeTiming::pack_dst_32bit>("pack_dst_32bit", "more for a tile of 32-bit DST"),
    cost<&ComputeTiming::tilize_tile_16bit>("tilize_tile_16bit", "tile unpacked from rows"),
    cost<&ComputeTiming::tilize_tile_32bit>("tilize_tile_32bit", "the same with 32-bit elements"),
    cost<&ComputeTiming::untilize_tile>("untilize_tile", "tile unpacked to rows"),
    cost<&ComputeTiming::pack_untilize_tile>("pack_untilize_tile", "tile packed to rows"),
    cost<&ComputeTiming::dst_call>("dst_call", "semaphore between math and pack, each call"),
    cost<&ComputeTiming::cb_call>("cb_call", "CB call of unpack or pack"),
    cost<&ComputeTiming::init_unpack>("init_unpack", "unpack's configuration for a kernel"),
    cost<&ComputeTiming::init_math>("init_math", "math's"),
    cost<&ComputeTiming::init_pack>("init_pack", "pack's"),
    cost<&ComputeTiming::init_operation>("init_operation", "init of an operation"),
    cost<&ComputeTiming::init_sfpu>("init_sfpu", "init of a vector function"),
    cost<&ComputeTiming::reconfigure>("reconfigure", "change of a data format"),
};

using SfpuFunction = std::pair<std::string, Cycles>;

inline constexpr std::array kSfpuFunctionFields{
    cost<&SfpuFunction::second>(
        "<function>",
        "tile by function; of approximate modes with _approx, of a DST of 32 bits with _fp32"),
};

inline constexpr std::array kSfpuTimingFields{
    cost<&SfpuTiming::start>("start", "each call beside its work"),
    cost<&SfpuTiming::other>("other", "tile, by functions that are not listed"),
    fact_map<&SfpuTiming::functions>(
        "functions", kSfpuFunctionFields,
        "tile by function; of approximate modes with _approx, of a DST of 32 bits with _fp32"),
};

inline constexpr std::array kInstructionTimingFields{
    cost<&InstructionTiming::issue>("issue", "one thread, each instruction"),
    cost<&InstructionTiming::scalar_unit>("scalar_unit",
                                          "arithmetic on the scalar unit's registers"),
    cost<&InstructionTiming::configuration_read>("configuration_read", "one register"),
    cost<&InstructionTiming::math_handover>(
        "math_handover", "instruction of the matrix unit, each thread that takes turns"),
};

inline constexpr std::array kLinkTimingFields{
    rate<&LinkTiming::rate>("rate", "one link, one direction"),
    cost<&LinkTiming::hop_latency>("hop_latency", "device to device, first byte"),
    cost<&LinkTiming::core_latency>("core_latency", "Ethernet core to core without routers"),
    cost<&LinkTiming::core_send>("core_send", "Ethernet core without a router, each packet sent"),
    cost<&LinkTiming::core_receive>("core_receive", "the same, each packet acknowledged"),
    cost<&LinkTiming::core_deliver>("core_deliver", "the same, each packet written to a worker"),
    cost<&LinkTiming::core_track>("core_track", "the same, that write told by transaction id"),
    cost<&LinkTiming::core_poll>("core_poll", "the same, each look for what has come"),
    cost<&LinkTiming::core_loads_until_flush>("core_loads_until_flush",
                                              "the same, of a line in its data cache; 0: no cache"),
    cost<&LinkTiming::packet_slot>("packet_slot", "sending router, each packet"),
    cost<&LinkTiming::receive_slot>("receive_slot", "receiving router, each packet passed on"),
    cost<&LinkTiming::deliver_slot>("deliver_slot", "receiving router, each packet for a core"),
    cost<&LinkTiming::command_slot>("command_slot", "the same, an addition behind a payload"),
    cost<&LinkTiming::part_slot>("part_slot", "the same, each further part of a payload"),
    cost<&LinkTiming::flush_slot>("flush_slot", "the same, payload acknowledged before it"),
    cost<&LinkTiming::copy_slot>("copy_slot", "the same, and passed on as well"),
    cost<&LinkTiming::ring_slot>("ring_slot", "each router of a ring, each packet"),
    cost<&LinkTiming::mesh_slot>("mesh_slot", "receiving router, a mesh's routes"),
    cost<&LinkTiming::mesh_latency>("mesh_latency", "each hop on a mesh's routes, first byte"),
    cost<&LinkTiming::acknowledgement>("acknowledgement", "wire the other way, each packet"),
    cost<&LinkTiming::packet_overhead>("packet_overhead", "header of each packet"),
    amount<&LinkTiming::frame>("frame", "most that one Ethernet frame carries"),
    cost<&LinkTiming::frame_overhead>("frame_overhead", "around each Ethernet frame"),
    amount<&LinkTiming::max_payload>("max_payload", "of a packet"),
    cost<&LinkTiming::worker_issue>("worker_issue", "worker's RISC, each packet"),
    cost<&LinkTiming::mux_slot>("mux_slot", "mux's RISC, each packet"),
    cost<&LinkTiming::mux_credit>("mux_credit", "the same, while the packet goes out"),
    cost<&LinkTiming::open>("open", "worker's handshake with the sender, first"),
    cost<&LinkTiming::close>("close", "worker's handshake with the sender, last"),
    amount<&LinkTiming::links_per_direction>("links_per_direction", "to one neighbour"),
    amount<&LinkTiming::sender_slots>("sender_slots", "packets that a sender buffers"),
    // A packet that enters a ring leaves one free.
    supply<&LinkTiming::receiver_slots>("receiver_slots", "packets that a receiving router buffers",
                                        Limits{2, 1024}),
    supply<&LinkTiming::router_processors>("router_processors",
                                           "1 sends and receives, 2 share that", Limits{1, 2}),
};

inline constexpr std::array kDispatchTimingFields{
    cost<&DispatchTiming::host_read>(
        "host_read", "end of a program to the host's next one, built from what it reads back"),
    cost<&DispatchTiming::program_gap>("program_gap", "last done message to the next go signal"),
    cost<&DispatchTiming::prefetch_program>("prefetch_program", "prefetch, any program"),
    cost<&DispatchTiming::prefetch_binary>("prefetch_binary",
                                           "prefetch, each RISC's binary of a kernel group"),
    cost<&DispatchTiming::prefetch_configuration>("prefetch_configuration",
                                                  "prefetch, any CB, semaphore or argument at all"),
    rate<&DispatchTiming::stream_rate>("stream_rate", "prefetch, bytes in and out again"),
    cost<&DispatchTiming::write_program>("write_program", "dispatch, any program"),
    cost<&DispatchTiming::write_binary>("write_binary",
                                        "dispatch, each RISC's binary of a kernel group"),
    cost<&DispatchTiming::write_multicast>("write_multicast",
                                           "dispatch, multicast that waits for the one before"),
    cost<&DispatchTiming::write_group>("write_group",
                                       "dispatch, each group of cores behind the first"),
    cost<&DispatchTiming::write_hop>("write_hop", "dispatch, each hop of a multicast"),
    cost<&DispatchTiming::write_core>("write_core", "dispatch, arguments of each core"),
    cost<&DispatchTiming::write_arguments>("write_arguments",
                                           "dispatch, the same of each further kernel group"),
    amount<&DispatchTiming::config_ring>("config_ring", "L1 for programs' configurations"),
    amount<&DispatchTiming::launch_messages>("launch_messages", "programs handed out at a time"),
    cost<&DispatchTiming::launch_latency>("launch_latency", "go signal to a core's firmware"),
    cost<&DispatchTiming::start_spread>("start_spread", "cores start so much apart at most"),
    cost<&DispatchTiming::kernel_start>("kernel_start", "firmware up to kernel_main"),
    cost<&DispatchTiming::kernel_copy>("kernel_copy", "RISC 1's kernel to its instruction RAM"),
    cost<&DispatchTiming::cb_setup>("cb_setup", "firmware, each CB"),
    cost<&DispatchTiming::kernel_end>("kernel_end", "return of kernel_main to the done message"),
};

inline constexpr Limits kShare{0, 1};

/// A factor less 1 that nine of ten measured times lie within, either way.
template <auto Member>
[[nodiscard]] constexpr Field model_error(std::string_view key, std::string_view prose) {
    return fact<Member>(key, prose, kNotNegative);
}

inline constexpr std::array kModelErrorFields{
    model_error<&ModelErrorSpec::compute>("compute", "unpack, math and pack"),
    model_error<&ModelErrorSpec::issue>("issue", "instructions of data-movement RISCs"),
    model_error<&ModelErrorSpec::few_cores>("few_cores", "NoC and DRAM of up to four cores"),
    model_error<&ModelErrorSpec::many_reads>("many_reads", "reads over a NoC that cores share"),
    model_error<&ModelErrorSpec::many_writes>("many_writes", "writes of the same"),
    model_error<&ModelErrorSpec::multicast>("multicast", "multicasts on their way"),
    model_error<&ModelErrorSpec::dram_fan_out>("dram_fan_out", "DRAM that cores share"),
    model_error<&ModelErrorSpec::links>("links", "links between devices"),
    model_error<&ModelErrorSpec::launch>("launch", "dispatch and firmware"),
    fact<&ModelErrorSpec::shared>("shared", "of its variance: what two runs have in common",
                                  kShare),
};

inline constexpr std::array kTimingFields{
    section<&TimingSpec::risc>("risc", kRiscTimingFields, "data-movement RISCs"),
    section<&TimingSpec::noc>("noc", kNocTimingFields, "networks on chip"),
    section<&TimingSpec::dram>("dram", kDramTimingFields, "memory of a device"),
    section<&TimingSpec::compute>("compute", kComputeTimingFields, "unpack, math and pack"),
    section<&TimingSpec::sfpu>("sfpu", kSfpuTimingFields, "the vector unit"),
    section<&TimingSpec::instruction>("instruction", kInstructionTimingFields,
                                      "instructions of the coprocessor"),
    section<&TimingSpec::link>("link", kLinkTimingFields, "links between devices"),
    section<&TimingSpec::dispatch>("dispatch", kDispatchTimingFields, "start of programs"),
    section<&TimingSpec::model_error>("model_error", kModelErrorFields,
                                      "how far predictions are off, by mechanism"),
};

}  // namespace tessera::config
