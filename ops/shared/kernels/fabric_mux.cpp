// SPDX-License-Identifier: Apache-2.0
// A mux of the fabric: keeps a mesh link's connection open for the workers of its channels until
// one of them sends the termination signal. The machine forwards their packets through this core,
// the channels in turn. Compile-time args: full-size channels, buffers of each, bytes of a buffer;
// header-only channels, buffers of each; status address, termination address, base of the channels.
// Runtime args: those of a connection. Both are positional, as the vendor's FabricMuxConfig passes
// them.

void kernel_main() {
    using namespace tt::tt_fabric;
    auto* status = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_compile_time_arg_val(5));
    auto* termination = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_compile_time_arg_val(6));
    const uint32_t link_channel = get_arg_val<uint32_t>(0);
    std::size_t arg_index = 0;
    auto connection =
        WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);

    *status = FabricMuxStatus::STARTED;
    *termination = TerminationSignal::KEEP_RUNNING;
    connection.open();
    *status = FabricMuxStatus::READY_FOR_TRAFFIC;
    tessera::kernel::fabric_mux_begin(link_channel,
                                      {.num_full_size = get_compile_time_arg_val(0),
                                       .num_header_only = get_compile_time_arg_val(3),
                                       .buffers_full_size = get_compile_time_arg_val(1),
                                       .buffers_header_only = get_compile_time_arg_val(4),
                                       .buffer_size = get_compile_time_arg_val(2),
                                       .base_address = get_compile_time_arg_val(7)});
    noc_semaphore_wait_min(termination, TerminationSignal::GRACEFULLY_TERMINATE);
    tessera::kernel::fabric_mux_end();
    connection.close();
    *status = FabricMuxStatus::TERMINATED;
}
