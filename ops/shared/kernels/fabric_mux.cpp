// SPDX-License-Identifier: Apache-2.0
// A mux of the fabric: keeps a mesh link's connection open for the workers of its channels until
// one of them sends the termination signal. The machine forwards their packets through this core,
// the channels in turn. Runtime args: those of a connection.

namespace {

// Positions of the compile-time args, as the vendor's FabricMuxConfig passes them.
enum MuxArg : std::uint32_t {
    kNumFullSize,
    kBuffersFullSize,
    kBufferBytes,
    kNumHeaderOnly,
    kBuffersHeaderOnly,
    kStatusAddress,
    kTerminationAddress,
    kBaseAddress
};
constexpr std::uint32_t kLinkChannel = 0;  // first runtime arg of a connection

volatile tt_l1_ptr uint32_t* word_at(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}

}  // namespace

void kernel_main() {
    using namespace tt::tt_fabric;
    auto* status = word_at(get_compile_time_arg_val(kStatusAddress));
    auto* termination = word_at(get_compile_time_arg_val(kTerminationAddress));
    const uint32_t link_channel = get_arg_val<uint32_t>(kLinkChannel);
    std::size_t arg_index = 0;
    auto connection =
        WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);

    *status = FabricMuxStatus::STARTED;
    *termination = TerminationSignal::KEEP_RUNNING;
    connection.open();
    *status = FabricMuxStatus::READY_FOR_TRAFFIC;
    tessera::kernel::fabric_mux_begin(
        link_channel, {.num_full_size = get_compile_time_arg_val(kNumFullSize),
                       .num_header_only = get_compile_time_arg_val(kNumHeaderOnly),
                       .buffers_full_size = get_compile_time_arg_val(kBuffersFullSize),
                       .buffers_header_only = get_compile_time_arg_val(kBuffersHeaderOnly),
                       .buffer_size = get_compile_time_arg_val(kBufferBytes),
                       .base_address = get_compile_time_arg_val(kBaseAddress)});
    noc_semaphore_wait_min(termination, TerminationSignal::GRACEFULLY_TERMINATE);
    tessera::kernel::fabric_mux_end();
    connection.close();
    *status = FabricMuxStatus::TERMINATED;
}
