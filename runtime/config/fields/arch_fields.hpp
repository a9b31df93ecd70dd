// SPDX-License-Identifier: Apache-2.0
// The keys of configs/arch/*.yaml.
#pragma once

#include <array>

#include "emu/base/fields/field.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::config {

inline constexpr Limits kSomeUpTo256{1, 256};
/// Addresses have 32 bits; rules add several of these numbers to them.
inline constexpr Limits kAlignmentBytes{1, 65536};
inline constexpr Limits kL1Bytes{0, 1 << 26U};
inline constexpr Limits kDstTiles{2, 16};  // the largest number of any modelled chip
inline constexpr Limits kClock{1e6, 1e11};
inline constexpr Limits kNocCoordinate{0, 63};  // 6 bits of a NoC address

inline constexpr std::array kWorkerFields{
    fact<&WorkerGridSpec::compute>("compute", "logical grid of cores that programs may use",
                                   kSomeUpTo256),
    fact<&WorkerGridSpec::virtual_origin>(
        "virtual_origin", "virtual coordinate of logical core (0,0); further cores follow on",
        kNocCoordinate),
    fact<&WorkerGridSpec::noc_columns>("noc_columns", "physical NoC 0 x of each logical column",
                                       kNocCoordinate),
    fact<&WorkerGridSpec::noc_rows>("noc_rows", "physical NoC 0 y of each logical row",
                                    kNocCoordinate),
    fact<&WorkerGridSpec::harvested_rows>("harvested_rows", "physical y of rows fused off",
                                          kNocCoordinate),
    fact<&WorkerGridSpec::dispatch_rows>(
        "dispatch_rows", "physical y of rows that fast dispatch keeps", kNocCoordinate),
    fact<&WorkerGridSpec::dispatch_columns>(
        "dispatch_columns", "physical x of columns that fast dispatch keeps", kNocCoordinate),
};

inline constexpr std::array kL1Fields{
    fact<&L1Spec::size>("size", "whole L1 of a core"),
    fact<&L1Spec::reserved>("reserved", "first address that a buffer or CB may take", kL1Bytes),
    fact<&L1Spec::alignment>("alignment", "of NoC transfers between L1s and of allocations",
                             kAlignmentBytes),
    fact<&L1Spec::runtime_args>("runtime_args", "address of the runtime argument area", kL1Bytes),
    fact<&L1Spec::semaphores>("semaphores", "address of semaphore 0", kL1Bytes),
    fact<&L1Spec::semaphore_stride>("semaphore_stride", "distance of semaphores", kAlignmentBytes),
    fact<&L1Spec::zeros>("zeros", "address of the area that holds zeros", kL1Bytes),
    fact<&L1Spec::zeros_size>("zeros_size", "bytes of that area", kL1Bytes),
    fact<&L1Spec::num_semaphores>("num_semaphores", "semaphores of a core", kSomeUpTo256),
    fact<&L1Spec::num_circular_buffers>("num_circular_buffers", "circular buffers of a core",
                                        Limits{1, 64}),
    fact<&L1Spec::max_runtime_args>(
        "max_runtime_args", "words of unique and common arguments of one kernel", Limits{1, 4096}),
};

inline constexpr std::array kEndpointFields{
    field<&DramEndpoint::noc>("noc", kRequired, "coordinate put into addresses on NoC 0",
                              kNocCoordinate),
    field<&DramEndpoint::noc1>("noc1", kRequired, "coordinate put into addresses on NoC 1",
                               kNocCoordinate),
    field<&DramEndpoint::physical>("physical", kRequired, "physical NoC 0 node behind noc",
                                   kNocCoordinate),
    field<&DramEndpoint::physical1>("physical1", kRequired, "physical NoC 0 node behind noc1",
                                    kNocCoordinate),
    field<&DramEndpoint::channel>("channel", kRequired, "memory controller of the bank",
                                  Limits{0, 255}),
    field<&DramEndpoint::bank_offset>("bank_offset", kRequired,
                                      "added to each address of the bank"),
};

inline constexpr std::array kDramFields{
    fact<&DramSpec::num_banks>("num_banks", "banks over which pages are interleaved", kSomeUpTo256),
    fact<&DramSpec::bank_size>("bank_size", "bytes of a bank"),
    fact<&DramSpec::reserved>("reserved", "first address of a bank that a buffer may take"),
    fact<&DramSpec::read_alignment>("read_alignment", "of addresses in NoC reads", kAlignmentBytes),
    fact<&DramSpec::write_alignment>("write_alignment", "of addresses in NoC writes",
                                     kAlignmentBytes),
    fact<&DramSpec::alignment>("alignment", "of each page of a buffer", kAlignmentBytes),
    fact_list<&DramSpec::endpoints>("endpoints", kEndpointFields,
                                    "where each bank is reached, in the order of bank ids"),
};

inline constexpr std::array kNocFields{
    fact<&NocSpec::grid>("grid", "nodes of each NoC, a torus", Limits{1, 64}),
    fact<&NocSpec::flit>("flit", "bytes of a flit"),
    fact<&NocSpec::max_packet>("max_packet", "payload of the largest packet"),
    fact<&NocSpec::max_transaction_ids>("max_transaction_ids",
                                        "transaction ids of one NoC interface", kSomeUpTo256),
};

inline constexpr std::array kDstFields{
    fact<&DstSpec::tiles_16bit>("tiles_16bit", "tiles in full sync, half of it in half sync",
                                kDstTiles),
    fact<&DstSpec::tiles_32bit>("tiles_32bit", "the same with 32-bit elements", kDstTiles),
};

inline constexpr std::array kArchFields{
    field<&ArchSpec::name>("name", kRequired, "the file's name without .yaml"),
    field<&ArchSpec::architecture>("architecture", kRequired, "wormhole or blackhole"),
    fact<&ArchSpec::clock>("clock", "of cores and NoCs", kClock),
    section<&ArchSpec::workers>("workers", kWorkerFields, "worker cores and their coordinates"),
    section<&ArchSpec::l1>("l1", kL1Fields, "memory of a core"),
    section<&ArchSpec::dram>("dram", kDramFields, "memory of a device"),
    section<&ArchSpec::noc>("noc", kNocFields, "networks on chip"),
    section<&ArchSpec::dst>("dst", kDstFields, "destination registers of a core"),
};

}  // namespace tessera::config
