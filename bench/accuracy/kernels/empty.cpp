// SPDX-License-Identifier: Apache-2.0

void kernel_main() {
}
