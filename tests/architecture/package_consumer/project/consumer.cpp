// SPDX-License-Identifier: Apache-2.0
// Compiles one kernel just in time, runs it on an emulated device, checks its output and reads its
// predicted time. Includes only headers of tessera/.
#include <cstdint>
#include <cstdio>
#include <span>

#include "tessera/tessera.hpp"

namespace {

using namespace tessera;

constexpr const char* kKernel = R"(
void kernel_main() {
    cb_reserve_back(0, 1);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t i = 0; i < 8; ++i) {
        words[i] = get_compile_time_arg_val(0) + i;
    }
    const InterleavedAddrGen<true> pages{get_arg_val<uint32_t>(0), 32};
    noc_async_write_page(0, pages, get_write_ptr(0));
    noc_async_write_barrier();
})";

Program store_numbers_to(const DeviceTensor& tensor) {
    Program program = CreateProgram();
    const CoreCoord core{0, 0};
    CircularBufferConfig buffer(32, {{0, DataFormat::UInt32}});
    CreateCircularBuffer(program, core, buffer.set_page_size(0, 32));
    const KernelHandle kernel = CreateKernelFromString(
        program, kKernel, core, WriterDataMovementConfig({1000}), "store.cpp");
    SetRuntimeArgs(program, kernel, core, {tensor.buffer.address});
    return program;
}

void print_time(const char* name, const Trace& trace, const Machine& machine) {
    std::printf("%s %lld\n", name, static_cast<long long>(replay(trace, machine).makespan));
}

void run(const char* device, const char* trace_file, const char* report_folder) {
    const Machine machine(device);
    const auto session = open_session(machine, {.threads = 1, .trace = TraceMode::On});
    const DeviceTensor tensor =
        session->allocate(0, "numbers", {.shape = {1, 8}, .format = DataFormat::UInt32});
    const DeviceProgram program{.device = 0, .program = store_numbers_to(tensor)};
    session->launch("store", std::span(&program, 1));

    const HostTensor values = session->read(tensor);
    std::printf("values");
    for (const std::uint32_t value : values.as<std::uint32_t>()) {
        std::printf(" %u", value);
    }
    std::printf("\n");
    write_trace(trace_file, session->trace());
    const Trace trace = read_trace(trace_file);
    print_time("time", trace, machine);
    print_time("slower", trace, Machine(device, {.sets = {"noc.hop=90 cycles"}}));
    Report(trace, machine, "consumer").write(report_folder);
}

}  // namespace

// Arguments: a device, a file for the trace, a folder for the report.
int main(int argc, char** argv) try {
    if (argc != 4) {
        return 2;
    }
    run(argv[1], argv[2], argv[3]);
} catch (const tessera::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
}
