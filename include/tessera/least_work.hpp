// SPDX-License-Identifier: Apache-2.0
// Work that no schedule of a step can avoid, by the unit that does it.
#pragma once

namespace tessera {

/// Least work of a step on one device. Numbers count valid elements, without padding.
struct LeastWork {
    double dram_bytes = 0;  ///< read from and written to this device's DRAM
    double link_bytes = 0;  ///< received from other devices
    double products = 0;    ///< pairs of numbers that the matrix units multiply and add
    double vector_ops = 0;  ///< elements that the vector units change, at least once each

    LeastWork& operator+=(const LeastWork& other) noexcept {
        dram_bytes += other.dram_bytes;
        link_bytes += other.link_bytes;
        products += other.products;
        vector_ops += other.vector_ops;
        return *this;
    }
};

}  // namespace tessera
