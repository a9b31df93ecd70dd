// SPDX-License-Identifier: Apache-2.0
// A device tensor's pages as stored in memory, including padding.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/ops/device_fixture.hpp"

namespace tessera::testing {

/// Returns the tiles of a tensor in TILE layout, in face order. T has the size of an element.
template <class T>
std::vector<T> raw_tiles(const OneDevice& device, const DeviceTensor& tensor) {
    const DeviceTensor rows{
        {{tensor.spec.num_pages(), kTileElements}, tensor.spec.format, Layout::ROW_MAJOR},
        tensor.buffer};
    return values_of<T>(device.get(rows));
}

}  // namespace tessera::testing
