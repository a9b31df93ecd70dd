// SPDX-License-Identifier: Apache-2.0
// Waits until the output CB, which is allocated on a shard, is full.
// Runtime args: tiles.

void kernel_main() {
    cb_wait_front(tt::CBIndex::c_2, get_arg_val<uint32_t>(0));
}
