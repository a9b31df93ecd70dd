// SPDX-License-Identifier: Apache-2.0
// Runs one kernel, compiled just in time, on an emulated device and looks at what it wrote.
#include <cstdint>
#include <cstdio>
#include <span>

#include "runtime/config/load.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tessera/program.hpp"

namespace {

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

tessera::Program store_numbers_to(const tessera::DeviceTensor& tensor) {
    using namespace tessera;
    Program program = CreateProgram();
    const CoreCoord core{0, 0};
    CircularBufferConfig buffer(32, {{0, DataFormat::UInt32}});
    CreateCircularBuffer(program, core, buffer.set_page_size(0, 32));
    const KernelHandle kernel = CreateKernelFromString(
        program, kKernel, core, WriterDataMovementConfig({1000}), "store.cpp");
    SetRuntimeArgs(program, kernel, core, {tensor.buffer.address});
    return program;
}

}  // namespace

int main(int, char** argv) {
    using namespace tessera;
    const auto arch = config::load_arch(argv[1]).arch;
    EmulatedSession session({.shape = {1, 1}}, arch, {.threads = 1});
    const DeviceTensor tensor = session.allocate(
        0, "numbers", {.shape = {1, 8}, .format = DataFormat::UInt32}, BufferType::DRAM);
    const DeviceProgram program{.device = 0, .program = store_numbers_to(tensor)};
    session.launch("store", std::span(&program, 1));
    const HostTensor values = session.read(tensor);
    for (const std::uint32_t value : values.as<std::uint32_t>()) {
        std::printf("%u ", value);
    }
    std::printf("\n");
}
