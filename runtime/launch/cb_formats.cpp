// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/cb_formats.hpp"

namespace tessera {

CbFormats cb_formats_of(const Program& program, const KernelDescription& kernel) {
    CbFormats formats = no_cb_formats();
    for (const auto& [cores, config] : program.circular_buffers) {
        if (cores.intersects(kernel.cores)) {
            for (const auto& [index, format] : config.formats) {
                formats.at(index) = format;
            }
        }
    }
    return formats;
}

}  // namespace tessera
