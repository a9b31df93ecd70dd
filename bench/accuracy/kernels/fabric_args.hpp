// SPDX-License-Identifier: Apache-2.0
// Arguments of kernels that send packets over the fabric, which their programs share.
#pragma once

#include "../../../ops/shared/kernels/named_args.hpp"

namespace tessera::score {

NAMED_COMPILE_ARGS(FabricPingArgs, answers, hops, bytes, source, destination,
                   arrived,  // semaphore that counts packets
                   count,
                   device);  // target of a mesh route, or kNoMesh
constexpr std::uint32_t kNoMesh = 0xFFFFFFFF;

NAMED_COMPILE_ARGS(FabricSinkArgs, done);
NAMED_RUNTIME_ARGS(FabricSinkStreams, streams);

// Semaphores: `done` counts streams that have ended, `counter` counts packets.
NAMED_COMPILE_ARGS(FabricStreamArgs, source, destination, bytes, count, message, done, counter);
enum class Message : std::uint32_t { Write, FlushedAdd, Add, TwoParts, FlushedAddAlone, AddAlone };
enum class Route : std::uint32_t { Line, Range, Mesh, Box };
constexpr std::uint32_t kMostRouteArgs = 4;  // after the kind of the route
constexpr std::uint32_t kMostFlows = 31;     // to each other device of 32

// `counter` is a semaphore of the next device, `done` counts finished workers on the first one.
NAMED_COMPILE_ARGS(FabricMuxStreamArgs, mux_x, mux_y, termination_address, packets, source, first_x,
                   first_y, num_others, counter, done);
NAMED_RUNTIME_ARGS(FabricMuxChannel, channel, buffers, buffer_bytes, base_address, payload_bytes);

}  // namespace tessera::score
