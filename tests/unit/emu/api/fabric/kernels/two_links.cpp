// SPDX-License-Identifier: Apache-2.0
// Opens and closes two connections: both at once, or one after the other.
void kernel_main() {
    using tt::tt_fabric::WorkerToFabricEdmSender;
    const bool at_once = get_arg_val<uint32_t>(0) != 0;
    std::size_t arg_index = 1;
    auto first = WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
    auto second = WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
    if (at_once) {
        first.open_start();
        second.open_start();
        first.open_finish();
        second.open_finish();
        first.close_start();
        second.close_start();
        first.close_finish();
        second.close_finish();
    } else {
        first.open_start();
        first.open_finish();
        second.open_start();
        second.open_finish();
        first.close();
        second.close();
    }
}
