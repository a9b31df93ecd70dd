// SPDX-License-Identifier: Apache-2.0
// The whole kernel API, which is included before the source of every kernel, as on the device. Not
// here: names that a kernel may define itself, such as numeric helpers, and Noc, CircularBuffer and
// Semaphore outside of `experimental`. The vendor's headers declare them
// (cmake/MetaliumHeaders.cmake).
#pragma once

#include "tessera/kernel/chip.hpp"
#include "tessera/kernel/compute/compute.hpp"
#include "tessera/kernel/dataflow/address_generator.hpp"
#include "tessera/kernel/dataflow/args.hpp"
#include "tessera/kernel/dataflow/circular_buffer.hpp"
#include "tessera/kernel/dataflow/multicast.hpp"
#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/dataflow/noc_address.hpp"
#include "tessera/kernel/dataflow/noc_registers.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tessera/kernel/dataflow/tensor_accessor.hpp"
#include "tessera/kernel/debug.hpp"
#include "tessera/kernel/fabric.hpp"
#include "tessera/kernel/fabric_mux.hpp"
#include "tessera/kernel/objects/circular_buffer.hpp"
#include "tessera/kernel/objects/core_local_mem.hpp"
#include "tessera/kernel/objects/endpoints.hpp"
#include "tessera/kernel/objects/noc.hpp"
#include "tessera/kernel/objects/semaphore.hpp"
#include "tessera/kernel/profiler.hpp"
