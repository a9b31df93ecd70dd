// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of all_gather's kernels that write straight into memory.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::all_gather {

enum class Cb : std::uint32_t { Pages = 0 };

NAMED_TENSORS(ReaderTensors, input, output);
NAMED_TENSORS(WriterTensors, output);

// Algorithm::Pages: one core handles some pages of each slice in one direction.

NAMED_RUNTIME_ARGS(ReaderCore,
                   arrived_semaphore,  // counts pages of the previous device, once per `sync` pages
                   is_copier);         // 1: the own pages are also copied to the output
NAMED_RUNTIME_ARGS(WriterCore, page_bytes, arrived_semaphore, is_copier,
                   started_semaphore,  // counts devices that run
                   num_targets,        // devices that this core's pages reach in the end
                   packing);           // pages of a packet, or bytes of a piece of a page
NAMED_RUNTIME_ARGS(SliceArgs,
                   slice_pages,  // pages of a device's input
                   first,        // this core's share of each slice
                   count, num_devices, position, is_backward, num_sent, num_received,
                   is_last_halved,  // 1: the last slice travels half in each direction
                   batch,           // pages that go through the circular buffer together
                   sync);           // pages per notification of the receiver

// Algorithm::Multicast: one core for each link.

NAMED_RUNTIME_ARGS(MulticastReaderCore, page_bytes, packing,
                   told_semaphore,  // counts each other device's start, then its end
                   num_others,      // devices
                   reads_ahead);    // 1: reads a batch while the previous one is sent
NAMED_RUNTIME_ARGS(MulticastWriterCore, page_bytes, packing, told_semaphore);
NAMED_RUNTIME_ARGS(OwnPagesArgs,
                   first,   // first page of the device's input
                   count,   // this core's share
                   placed,  // output page of the device's first page
                   batch);  // pages that go through the circular buffer together
/// Words of a connection follow if there are devices on that side.
NAMED_RUNTIME_ARGS(SideArgs, reach);

}  // namespace tessera::ops::all_gather
