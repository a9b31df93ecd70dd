// SPDX-License-Identifier: Apache-2.0
// Reads the upper half of each tile that goes to another device: four halves per packet, one device
// after the other. Runtime args: address of the tensor, bytes of a half, number of devices; for
// each device the range of its tiles, [first, end).

void kernel_main() {
    constexpr uint32_t cb_packets = tt::CBIndex::c_0;
    constexpr uint32_t kHalves = 4;
    const uint32_t half = get_arg_val<uint32_t>(1);
    const uint32_t num_devices = get_arg_val<uint32_t>(2);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0));

    for (uint32_t device = 0; device < num_devices; ++device) {
        const uint32_t end = get_arg_val<uint32_t>(4 + 2 * device);
        for (uint32_t tile = get_arg_val<uint32_t>(3 + 2 * device); tile < end;) {
            cb_reserve_back(cb_packets, 1);
            uint32_t landing = get_write_ptr(cb_packets);
            for (uint32_t i = 0; i < kHalves && tile < end; ++i, ++tile) {
                noc_async_read(tensor.get_noc_addr(tile), landing, half);
                landing += half;
            }
            noc_async_read_barrier();
            cb_push_back(cb_packets, 1);
        }
    }
}
