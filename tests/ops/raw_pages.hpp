// SPDX-License-Identifier: Apache-2.0
// A device tensor's pages as they lie in memory, padding included.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/ops/device_fixture.hpp"

namespace tessera::testing {

/// The tiles of a tensor in TILE layout, one after another in face order. T is as wide as an
/// element.
template <class T>
std::vector<T> raw_tiles(const OneDevice& device, const DeviceTensor& tensor) {
    const DeviceTensor rows{
        {{tensor.spec.num_pages(), kTileElements}, tensor.spec.format, Layout::ROW_MAJOR},
        tensor.buffer};
    return values_of<T>(device.get(rows));
}

}  // namespace tessera::testing
