// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/cb_tiles.hpp"

namespace tessera {

CbTiles cb_tiles_of(const Program& program, const KernelDescription& kernel) {
    CbTiles tiles;
    for (const auto& [cores, config] : program.circular_buffers) {
        if (cores.intersects(kernel.cores)) {
            for (const auto& [index, format] : config.formats) {
                tiles.at(index) = {format, config.tile_of(index)};
            }
        }
    }
    return tiles;
}

}  // namespace tessera
