// SPDX-License-Identifier: Apache-2.0
// The keys of `timing:` in configs/arch/*.yaml: a constant is one row here, one member of
// TimingSpec and one line in each file. A row ends with the advisor's bound that the constant
// belongs to.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "emu/base/fields/field.hpp"
#include "runtime/config/field_table.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::config {

inline constexpr Limits kNotNegative{0, 1e15};
inline constexpr Limits kRate{1e-3, 1e15};
inline constexpr Limits kSome{1, 1e9};

/// A timing constant: its key and member, and the advisor's bound that it belongs to. No row can be
/// written without one.
struct TimingRow {
    Field field;
    Bound bound{};
};

template <auto Member>
[[nodiscard]] constexpr TimingRow constant(std::string_view key, std::string_view prose,
                                           Bound bound, Limits limits) {
    return {fact<Member>(key, prose, limits), bound};
}
/// A cost of the machine.
template <auto Member>
[[nodiscard]] constexpr TimingRow cost(std::string_view key, std::string_view prose, Bound bound) {
    return constant<Member>(key, prose, bound, kNotNegative);
}
/// A rate, or a number of things that may be under way: the more, the shorter the run.
template <auto Member>
[[nodiscard]] constexpr TimingRow supply(std::string_view key, std::string_view prose, Bound bound,
                                         Limits limits) {
    TimingRow row = constant<Member>(key, prose, bound, limits);
    row.field.shortens = Shortens::More;
    return row;
}
template <auto Member>
[[nodiscard]] constexpr TimingRow rate(std::string_view key, std::string_view prose, Bound bound) {
    return supply<Member>(key, prose, bound, kRate);
}
template <auto Member>
[[nodiscard]] constexpr TimingRow amount(std::string_view key, std::string_view prose,
                                         Bound bound) {
    return supply<Member>(key, prose, bound, kSome);
}

/// The fields of a table, as binding and documentation take them.
template <std::size_t kSize>
[[nodiscard]] constexpr std::array<Field, kSize> fields_of(
    const std::array<TimingRow, kSize>& rows) {
    std::array<Field, kSize> fields{};
    for (std::size_t i = 0; i < kSize; ++i) {
        fields[i] = rows[i].field;
    }
    return fields;
}

inline constexpr std::array kRiscTimingRows{
    cost<&RiscTiming::read_issue>(
        "read_issue", "noc_async_read of L1: its instructions, each packet", Bound::TransferIssue),
    cost<&RiscTiming::read_issue_dram>("read_issue_dram", "noc_async_read of DRAM, each packet",
                                       Bound::TransferIssue),
    cost<&RiscTiming::read_issue_with_state>(
        "read_issue_with_state", "read with latched coordinates and size", Bound::TransferIssue),
    cost<&RiscTiming::write_issue>("write_issue", "noc_async_write, each packet",
                                   Bound::TransferIssue),
    cost<&RiscTiming::write_issue_with_state>(
        "write_issue_with_state", "write with latched coordinates and size", Bound::TransferIssue),
    cost<&RiscTiming::set_state>("set_state", "latching a command for later transfers",
                                 Bound::TransferIssue),
    cost<&RiscTiming::page_address>("page_address", "bank and place of a page, each transfer",
                                    Bound::TransferIssue),
    cost<&RiscTiming::multicast_issue>("multicast_issue", "noc_async_write_multicast, each packet",
                                       Bound::TransferIssue),
    cost<&RiscTiming::semaphore_issue>("semaphore_issue", "word or atomic over the NoC",
                                       Bound::HandOver),
    cost<&RiscTiming::barrier_poll>("barrier_poll", "a barrier's last look at the counters",
                                    Bound::HandOver),
    cost<&RiscTiming::semaphore_poll>("semaphore_poll", "a semaphore wait's last look at L1",
                                      Bound::HandOver),
    cost<&RiscTiming::local_word>("local_word", "store to a semaphore in own L1", Bound::HandOver),
    cost<&RiscTiming::cb_reserve>("cb_reserve", "cb_reserve_back that finds space",
                                  Bound::HandOver),
    cost<&RiscTiming::cb_push>("cb_push", "cb_push_back", Bound::HandOver),
    cost<&RiscTiming::cb_wait>("cb_wait", "cb_wait_front that finds its pages", Bound::HandOver),
    cost<&RiscTiming::cb_pop>("cb_pop", "cb_pop_front", Bound::HandOver),
    cost<&RiscTiming::zone_mark>("zone_mark", "begin or end of a profiler zone", Bound::None),
    cost<&RiscTiming::instruction>("instruction", "a kernel's own instruction between calls",
                                   Bound::Instructions),
    cost<&RiscTiming::load>(
        "load", "a kernel's own load from L1, argument reads too, to the instruction that uses it",
        Bound::Instructions),
    cost<&RiscTiming::store>("store", "a kernel's own store to L1, where they follow each other",
                             Bound::Instructions),
    cost<&RiscTiming::product>("product", "a kernel's own product that nothing waits for",
                               Bound::Instructions),
    cost<&RiscTiming::dividend_bit>(
        "dividend_bit", "a kernel's own division by what is no constant, a bit of its dividend",
        Bound::Instructions),
    cost<&RiscTiming::loop_control>(
        "loop_control", "of a loop around one call: in the call's measured price, and not added",
        Bound::Instructions),
};
inline constexpr auto kRiscTimingFields = fields_of(kRiscTimingRows);

inline constexpr std::array kNocTimingRows{
    cost<&NocTiming::hop>("hop", "router to router", Bound::NocLatency),
    cost<&NocTiming::interface>("interface", "network interface to router, each way",
                                Bound::NocLatency),
    cost<&NocTiming::command>("command", "last register write of a command to its first flit",
                              Bound::NocLatency),
    cost<&NocTiming::l1_read>("l1_read", "first word out of an L1 for a request that arrived",
                              Bound::NocLatency),
    cost<&NocTiming::l1_write>("l1_write", "last flit at an L1 to its acknowledgement",
                               Bound::NocLatency),
    cost<&NocTiming::completion>("completion", "last flit to the counter that a barrier reads",
                                 Bound::NocLatency),
    cost<&NocTiming::read_slot>(
        "read_slot", "of the port that answers a read from an L1, however small", Bound::NocPorts),
    rate<&NocTiming::read_rate>("read_rate", "one stream of reads, L1 to L1", Bound::NocPorts),
    rate<&NocTiming::write_rate>("write_rate", "one stream of writes, L1 to L1", Bound::NocPorts),
    rate<&NocTiming::link_rate>("link_rate", "payload over a link between routers",
                                Bound::NocLinks),
    rate<&NocTiming::injection_rate>("injection_rate", "payload from a worker into the network",
                                     Bound::NocPorts),
    rate<&NocTiming::ejection_rate>("ejection_rate", "payload from the network into a worker",
                                    Bound::NocPorts),
    rate<&NocTiming::multicast_rate>("multicast_rate", "payload of a multicast", Bound::NocPorts),
    cost<&NocTiming::multicast_setup>(
        "multicast_setup", "path reservation of a multicast, each hop", Bound::NocLatency),
    cost<&NocTiming::packet_overhead>("packet_overhead", "of a link's time, for each packet",
                                      Bound::NocLinks),
    cost<&NocTiming::atomic>("atomic", "read-modify-write at the far L1", Bound::NocLatency),
    amount<&NocTiming::router_buffer>(
        "router_buffer", "buffer at a router's input, for all channels", Bound::NocLinks),
    amount<&NocTiming::channel_buffer>("channel_buffer", "what one virtual channel can fill of it",
                                       Bound::NocLinks),
    amount<&NocTiming::port_requests>(
        "port_requests", "read requests that an L1 accepts before it answers", Bound::NocPorts),
    amount<&NocTiming::outstanding_reads>(
        "outstanding_reads", "read packets of one interface in flight", Bound::NocInFlight),
    amount<&NocTiming::outstanding_writes>(
        "outstanding_writes", "non-posted writes of one interface in flight", Bound::NocInFlight),
    amount<&NocTiming::queued_writes>(
        "queued_writes", "writes of one RISC issued and not yet out of its L1", Bound::NocInFlight),
};
inline constexpr auto kNocTimingFields = fields_of(kNocTimingRows);

inline constexpr std::array kDramTimingRows{
    cost<&DramTiming::read_latency>("read_latency", "request at the port to first data there",
                                    Bound::Dram),
    cost<&DramTiming::write_latency>("write_latency", "last data at the port to acknowledgement",
                                     Bound::Dram),
    rate<&DramTiming::bank_read_rate>("bank_read_rate", "reads of one bank", Bound::Dram),
    rate<&DramTiming::bank_write_rate>("bank_write_rate", "writes of one bank", Bound::Dram),
    rate<&DramTiming::channel_rate>("channel_rate", "controller shared by its banks", Bound::Dram),
    cost<&DramTiming::turnaround>("turnaround", "of a channel, from reads to writes and back",
                                  Bound::Dram),
    cost<&DramTiming::request_overhead>("request_overhead", "of a bank's time, each request",
                                        Bound::Dram),
    cost<&DramTiming::read_slot>("read_slot", "of the port that answers a read, however small",
                                 Bound::Dram),
    amount<&DramTiming::burst>("burst", "granule of the controller", Bound::Dram),
    rate<&DramTiming::write_port_rate>("write_port_rate", "a packet into its bank's buffer",
                                       Bound::Dram),
    amount<&DramTiming::write_buffer>("write_buffer", "packets that a bank has not begun with",
                                      Bound::Dram),
    amount<&DramTiming::port_requests>(
        "port_requests", "read requests that a bank's port accepts before it answers", Bound::Dram),
};
inline constexpr auto kDramTimingFields = fields_of(kDramTimingRows);

inline constexpr std::array kComputeTimingRows{
    cost<&ComputeTiming::unpack_tile_16bit>("unpack_tile_16bit",
                                            "operand tile of 16-bit elements to a source register",
                                            Bound::Engines),
    cost<&ComputeTiming::unpack_tile_32bit>("unpack_tile_32bit", "32-bit elements", Bound::Engines),
    cost<&ComputeTiming::unpack_tile_8bit>("unpack_tile_8bit", "fp8, bfp8_b, 8-bit integers",
                                           Bound::Engines),
    cost<&ComputeTiming::unpack_tile_4bit>("unpack_tile_4bit", "bfp4_b", Bound::Engines),
    cost<&ComputeTiming::unpack_start>("unpack_start", "each tile unpacked, beside its bytes",
                                       Bound::CallStarts),
    constant<&ComputeTiming::unpack_pair_share>(
        "unpack_pair_share", "part of the shorter of two operands that adds to the longer",
        Bound::Engines, Limits{0, 1}),
    cost<&ComputeTiming::unpack_call>("unpack_call", "call with one operand, at least",
                                      Bound::CallStarts),
    cost<&ComputeTiming::unpack_block_call>(
        "unpack_block_call", "tile of a call that copies a block, at least", Bound::CallStarts),
    cost<&ComputeTiming::unpack_pair_call>(
        "unpack_pair_call", "element-wise call or reduce, at least", Bound::CallStarts),
    cost<&ComputeTiming::unpack_next_srca>("unpack_next_srca",
                                           "more for a further tile of in1 of a matmul_block call",
                                           Bound::CallStarts),
    cost<&ComputeTiming::unpack_run>("unpack_run", "matmul_block calls of one subblock, once",
                                     Bound::CallStarts),
    amount<&ComputeTiming::matmul_tiles_in_source>(
        "matmul_tiles_in_source", "matmul_tiles calls whose operands source registers hold at once",
        Bound::Engines),
    cost<&ComputeTiming::matmul_phase>("matmul_phase", "tile product, each fidelity phase",
                                       Bound::Engines),
    cost<&ComputeTiming::matmul_product>("matmul_product", "tile product, beside its phases",
                                         Bound::Engines),
    cost<&ComputeTiming::matmul_phases_end>("matmul_phases_end",
                                            "tile product of more than one phase", Bound::Engines),
    cost<&ComputeTiming::matmul_tiles_start>("matmul_tiles_start", "each call of matmul_tiles",
                                             Bound::CallStarts),
    cost<&ComputeTiming::matmul_block_start>("matmul_block_start", "each call of matmul_block",
                                             Bound::CallStarts),
    cost<&ComputeTiming::eltwise_phase>(
        "eltwise_phase", "multiplied tile, each of the first two phases", Bound::Engines),
    cost<&ComputeTiming::eltwise_late_phase>(
        "eltwise_late_phase", "multiplied tile, third and fourth phase", Bound::Engines),
    cost<&ComputeTiming::eltwise_add>("eltwise_add", "tile added or subtracted", Bound::Engines),
    cost<&ComputeTiming::copy_tile>("copy_tile", "tile from source register to DST",
                                    Bound::Engines),
    cost<&ComputeTiming::reduce_row_phase>(
        "reduce_row_phase", "tile's rows summed up, each fidelity phase", Bound::Engines),
    cost<&ComputeTiming::reduce_row_largest>("reduce_row_largest", "largest of a tile's rows",
                                             Bound::Engines),
    cost<&ComputeTiming::reduce_scalar>("reduce_scalar", "tile to a scalar, beside its phases",
                                        Bound::Engines),
    cost<&ComputeTiming::reduce_scalar_phase>(
        "reduce_scalar_phase", "tile to a scalar, each fidelity phase", Bound::Engines),
    cost<&ComputeTiming::transpose>("transpose", "tile transposed", Bound::Engines),
    cost<&ComputeTiming::math_start>("math_start", "each math call beside its work",
                                     Bound::CallStarts),
    cost<&ComputeTiming::pack_tile_16bit>("pack_tile_16bit", "tile of 16-bit elements to L1",
                                          Bound::Engines),
    cost<&ComputeTiming::pack_tile_32bit>("pack_tile_32bit", "32-bit elements", Bound::Engines),
    cost<&ComputeTiming::pack_tile_8bit>("pack_tile_8bit", "fp8, bfp8_b, bfp4_b, 8-bit integers",
                                         Bound::Engines),
    amount<&ComputeTiming::packers>("packers", "faces of a tile that are packed side by side",
                                    Bound::Engines),
    cost<&ComputeTiming::pack_start>("pack_start", "each tile packed, beside its bytes",
                                     Bound::CallStarts),
    cost<&ComputeTiming::pack_accumulate>("pack_accumulate", "more for a tile added to L1",
                                          Bound::Engines),
    cost<&ComputeTiming::pack_dst_32bit>("pack_dst_32bit", "more for a tile of 32-bit DST",
                                         Bound::Engines),
    cost<&ComputeTiming::tilize_tile_16bit>("tilize_tile_16bit", "tile unpacked from rows",
                                            Bound::Engines),
    cost<&ComputeTiming::tilize_tile_32bit>("tilize_tile_32bit", "the same with 32-bit elements",
                                            Bound::Engines),
    cost<&ComputeTiming::untilize_tile>("untilize_tile", "tile unpacked to rows", Bound::Engines),
    cost<&ComputeTiming::pack_untilize_tile>("pack_untilize_tile", "tile packed to rows",
                                             Bound::Engines),
    cost<&ComputeTiming::dst_call>("dst_call", "semaphore between math and pack, each call",
                                   Bound::HandOver),
    cost<&ComputeTiming::cb_call>("cb_call", "CB call of unpack or pack", Bound::HandOver),
    cost<&ComputeTiming::init_unpack>("init_unpack", "unpack's configuration for a kernel",
                                      Bound::CallStarts),
    cost<&ComputeTiming::init_math>("init_math", "math's", Bound::CallStarts),
    cost<&ComputeTiming::init_pack>("init_pack", "pack's", Bound::CallStarts),
    cost<&ComputeTiming::init_operation>("init_operation", "init of an operation",
                                         Bound::CallStarts),
    cost<&ComputeTiming::init_sfpu>("init_sfpu", "init of a vector function", Bound::CallStarts),
    cost<&ComputeTiming::reconfigure>("reconfigure", "change of a data format", Bound::CallStarts),
};
inline constexpr auto kComputeTimingFields = fields_of(kComputeTimingRows);

using SfpuFunction = std::pair<std::string, Cycles>;

inline constexpr std::array kSfpuFunctionRows{
    cost<&SfpuFunction::second>(
        "<function>",
        "tile by function; of approximate modes with _approx, of a DST of 32 bits with _fp32",
        Bound::Engines),
};
inline constexpr auto kSfpuFunctionFields = fields_of(kSfpuFunctionRows);

inline constexpr std::array kSfpuTimingRows{
    cost<&SfpuTiming::start>("start", "each call beside its work", Bound::CallStarts),
    cost<&SfpuTiming::other>("other", "tile, by functions that are not listed", Bound::Engines),
    TimingRow{
        fact_map<&SfpuTiming::functions>(
            "functions", kSfpuFunctionFields,
            "tile by function; of approximate modes with _approx, of a DST of 32 bits with _fp32"),
        Bound::Engines},
};
inline constexpr auto kSfpuTimingFields = fields_of(kSfpuTimingRows);

// A trace fixes the size of its packets and the link of each, so no bound changes these two.
inline constexpr std::array kLinkTimingRows{
    rate<&LinkTiming::rate>("rate", "one link, one direction", Bound::MeshLinks),
    cost<&LinkTiming::hop_latency>("hop_latency", "device to device, first byte", Bound::MeshLinks),
    cost<&LinkTiming::packet_slot>("packet_slot", "sending router, each packet", Bound::MeshLinks),
    cost<&LinkTiming::receive_slot>("receive_slot", "receiving router, each packet passed on",
                                    Bound::MeshLinks),
    cost<&LinkTiming::deliver_slot>("deliver_slot", "receiving router, each packet for a core",
                                    Bound::MeshLinks),
    cost<&LinkTiming::command_slot>("command_slot", "the same, an addition behind a payload",
                                    Bound::MeshLinks),
    cost<&LinkTiming::part_slot>("part_slot", "the same, each further part of a payload",
                                 Bound::MeshLinks),
    cost<&LinkTiming::flush_slot>("flush_slot", "the same, payload acknowledged before it",
                                  Bound::MeshLinks),
    cost<&LinkTiming::copy_slot>("copy_slot", "the same, and passed on as well", Bound::MeshLinks),
    cost<&LinkTiming::ring_slot>("ring_slot", "each router of a ring, each packet",
                                 Bound::MeshLinks),
    cost<&LinkTiming::mesh_slot>("mesh_slot", "receiving router, a mesh's routes",
                                 Bound::MeshLinks),
    cost<&LinkTiming::mesh_latency>("mesh_latency", "each hop on a mesh's routes, first byte",
                                    Bound::MeshLinks),
    cost<&LinkTiming::acknowledgement>("acknowledgement", "wire the other way, each packet",
                                       Bound::MeshLinks),
    cost<&LinkTiming::packet_overhead>("packet_overhead", "header of each packet",
                                       Bound::MeshLinks),
    amount<&LinkTiming::frame>("frame", "most that one Ethernet frame carries", Bound::MeshLinks),
    cost<&LinkTiming::frame_overhead>("frame_overhead", "around each Ethernet frame",
                                      Bound::MeshLinks),
    amount<&LinkTiming::max_payload>("max_payload", "of a packet", Bound::None),
    cost<&LinkTiming::worker_issue>("worker_issue", "worker's RISC, each packet",
                                    Bound::TransferIssue),
    cost<&LinkTiming::mux_slot>("mux_slot", "mux's RISC, each packet", Bound::MeshLinks),
    cost<&LinkTiming::mux_credit>("mux_credit", "the same, while the packet goes out",
                                  Bound::MeshLinks),
    cost<&LinkTiming::open>("open", "worker's handshake with the sender, first", Bound::MeshLinks),
    cost<&LinkTiming::close>("close", "worker's handshake with the sender, last", Bound::MeshLinks),
    amount<&LinkTiming::links_per_direction>("links_per_direction", "to one neighbour",
                                             Bound::None),
    amount<&LinkTiming::sender_slots>("sender_slots", "packets that a sender buffers",
                                      Bound::MeshLinks),
    // A packet that enters a ring leaves one free.
    supply<&LinkTiming::receiver_slots>("receiver_slots", "packets that a receiving router buffers",
                                        Bound::MeshLinks, Limits{2, 1024}),
    supply<&LinkTiming::router_processors>(
        "router_processors", "1 sends and receives, 2 share that", Bound::MeshLinks, Limits{1, 2}),
};
inline constexpr auto kLinkTimingFields = fields_of(kLinkTimingRows);

inline constexpr std::array kDispatchTimingRows{
    cost<&DispatchTiming::host_read>(
        "host_read", "end of a program to the host's next one, built from what it reads back",
        Bound::Launch),
    cost<&DispatchTiming::program_gap>("program_gap", "last done message to the next go signal",
                                       Bound::Launch),
    cost<&DispatchTiming::prefetch_program>("prefetch_program", "prefetch, any program",
                                            Bound::Launch),
    cost<&DispatchTiming::prefetch_binary>(
        "prefetch_binary", "prefetch, each RISC's binary of a kernel group", Bound::Launch),
    cost<&DispatchTiming::prefetch_configuration>(
        "prefetch_configuration", "prefetch, any CB, semaphore or argument at all", Bound::Launch),
    rate<&DispatchTiming::stream_rate>("stream_rate", "prefetch, bytes in and out again",
                                       Bound::Launch),
    cost<&DispatchTiming::write_program>("write_program", "dispatch, any program", Bound::Launch),
    cost<&DispatchTiming::write_binary>(
        "write_binary", "dispatch, each RISC's binary of a kernel group", Bound::Launch),
    cost<&DispatchTiming::write_multicast>(
        "write_multicast", "dispatch, multicast that waits for the one before", Bound::Launch),
    cost<&DispatchTiming::write_group>(
        "write_group", "dispatch, each group of cores behind the first", Bound::Launch),
    cost<&DispatchTiming::write_hop>("write_hop", "dispatch, each hop of a multicast",
                                     Bound::Launch),
    cost<&DispatchTiming::write_core>("write_core", "dispatch, arguments of each core",
                                      Bound::Launch),
    cost<&DispatchTiming::write_arguments>(
        "write_arguments", "dispatch, the same of each further kernel group", Bound::Launch),
    amount<&DispatchTiming::config_ring>("config_ring", "L1 for programs' configurations",
                                         Bound::Launch),
    amount<&DispatchTiming::launch_messages>("launch_messages", "programs handed out at a time",
                                             Bound::Launch),
    cost<&DispatchTiming::launch_latency>("launch_latency", "go signal to a core's firmware",
                                          Bound::Launch),
    cost<&DispatchTiming::start_spread>("start_spread", "cores start so much apart at most",
                                        Bound::Launch),
    cost<&DispatchTiming::kernel_start>("kernel_start", "firmware up to kernel_main",
                                        Bound::Launch),
    cost<&DispatchTiming::kernel_copy>("kernel_copy", "RISC 1's kernel to its instruction RAM",
                                       Bound::Launch),
    cost<&DispatchTiming::cb_setup>("cb_setup", "firmware, each CB", Bound::Launch),
    cost<&DispatchTiming::kernel_end>("kernel_end", "return of kernel_main to the done message",
                                      Bound::Launch),
};
inline constexpr auto kDispatchTimingFields = fields_of(kDispatchTimingRows);

inline constexpr Limits kShare{0, 1};

/// A factor less 1 that nine of ten measured times lie within, either way.
template <auto Member>
[[nodiscard]] constexpr TimingRow model_error(std::string_view key, std::string_view prose) {
    return constant<Member>(key, prose, Bound::None, kNotNegative);
}

inline constexpr std::array kModelErrorRows{
    model_error<&ModelErrorSpec::compute>("compute", "unpack, math and pack"),
    model_error<&ModelErrorSpec::issue>("issue", "instructions of data-movement RISCs"),
    model_error<&ModelErrorSpec::few_cores>("few_cores", "NoC and DRAM of up to four cores"),
    model_error<&ModelErrorSpec::many_reads>("many_reads", "reads over a NoC that cores share"),
    model_error<&ModelErrorSpec::many_writes>("many_writes", "writes of the same"),
    model_error<&ModelErrorSpec::multicast>("multicast", "multicasts on their way"),
    model_error<&ModelErrorSpec::dram_fan_out>("dram_fan_out", "DRAM that cores share"),
    model_error<&ModelErrorSpec::links>("links", "links between devices"),
    model_error<&ModelErrorSpec::launch>("launch", "dispatch and firmware"),
    constant<&ModelErrorSpec::shared>("shared", "of its variance: what two runs have in common",
                                      Bound::None, kShare),
};
inline constexpr auto kModelErrorFields = fields_of(kModelErrorRows);

inline constexpr std::array kTimingFields{
    section<&TimingSpec::risc>("risc", kRiscTimingFields, "data-movement RISCs"),
    section<&TimingSpec::noc>("noc", kNocTimingFields, "networks on chip"),
    section<&TimingSpec::dram>("dram", kDramTimingFields, "memory of a device"),
    section<&TimingSpec::compute>("compute", kComputeTimingFields, "unpack, math and pack"),
    section<&TimingSpec::sfpu>("sfpu", kSfpuTimingFields, "the vector unit"),
    section<&TimingSpec::link>("link", kLinkTimingFields, "links between devices"),
    section<&TimingSpec::dispatch>("dispatch", kDispatchTimingFields, "start of programs"),
    section<&TimingSpec::model_error>("model_error", kModelErrorFields,
                                      "how far predictions are off, by mechanism"),
};

/// The rows below each key of kTimingFields.
struct TimingTable {
    std::string_view key;
    std::span<const TimingRow> rows;
};
inline constexpr std::array kTimingTables{
    TimingTable{"risc", kRiscTimingRows},         TimingTable{"noc", kNocTimingRows},
    TimingTable{"dram", kDramTimingRows},         TimingTable{"compute", kComputeTimingRows},
    TimingTable{"sfpu", kSfpuTimingRows},         TimingTable{"link", kLinkTimingRows},
    TimingTable{"dispatch", kDispatchTimingRows}, TimingTable{"model_error", kModelErrorRows},
};
static_assert(kTimingTables.size() == kTimingFields.size());

}  // namespace tessera::config
