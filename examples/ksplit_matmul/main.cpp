// SPDX-License-Identifier: Apache-2.0
// C = A · B with K split over cores: each core sums its part of K, and one core gathers the sums of
// a column of tiles. Prints cycles for 1, 2 and 4 parts, and whether the values are correct.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tessera/tessera.hpp"

namespace {

using namespace tessera;

constexpr std::uint32_t kM = 32;
constexpr std::uint32_t kK = 2048;
constexpr std::uint32_t kN = 512;
constexpr std::uint32_t kTilesK = kK / 32;
constexpr std::uint32_t kTilesN = kN / 32;
constexpr std::uint32_t kBlock = 8;  // K tiles per read

constexpr std::uint8_t kCbA = 0;
constexpr std::uint8_t kCbB = 1;
constexpr std::uint8_t kCbArrived = 2;
constexpr std::uint8_t kCbPart = 3;
constexpr std::uint8_t kCbOut = 16;

struct Tensors {
    DeviceTensor a;
    DeviceTensor b;
    DeviceTensor out;
};

HostTensor random_matrix(std::uint32_t rows, std::uint32_t columns, std::uint32_t seed) {
    std::mt19937 engine(seed);
    std::vector<float> values(std::size_t{rows} * columns);
    for (float& value : values) {
        value = static_cast<float>(engine()) * 0x1p-31F - 1.0F;  // [-1, 1)
    }
    return make_host_tensor({rows, columns}, DataFormat::Float16_b, values);
}

std::vector<double> numbers_of(const HostTensor& tensor) {
    const NumberView view(tensor);
    std::vector<double> numbers(view.size());
    view.load(0, numbers);
    return numbers;
}

std::vector<double> product(const HostTensor& a, const HostTensor& b) {
    const std::vector<double> x = numbers_of(a);
    const std::vector<double> y = numbers_of(b);
    std::vector<double> sums(std::size_t{kM} * kN);
    for (std::size_t m = 0; m < kM; ++m) {
        for (std::size_t k = 0; k < kK; ++k) {
            for (std::size_t n = 0; n < kN; ++n) {
                sums[m * kN + n] += x[m * kK + k] * y[k * kN + n];
            }
        }
    }
    return sums;
}

void add_buffer(Program& program, const CoreRangeSet& cores, std::uint8_t index, DataFormat format,
                std::uint32_t tiles) {
    CircularBufferConfig config(tiles * tile_bytes(format), {{index, format}});
    CreateCircularBuffer(program, cores, config.set_page_size(index, tile_bytes(format)));
}

/// Cores by column of tiles and part; part 0 of a column gathers.
class Cores {
public:
    Cores(const ArchSpec& arch, std::uint32_t parts) : arch_(arch), parts_(parts) {}

    [[nodiscard]] CoreCoord at(std::uint32_t column, std::uint32_t part) const {
        const std::uint32_t index = column * parts_ + part;
        return {index % arch_.workers.compute.columns, index / arch_.workers.compute.columns};
    }
    [[nodiscard]] CoreRangeSet of_part(std::uint32_t part) const {
        std::vector<CoreRange> cores;
        for (std::uint32_t column = 0; column < kTilesN; ++column) {
            cores.emplace_back(at(column, part));
        }
        return CoreRangeSet(cores);
    }
    /// Coordinates that kernels use in NoC addresses.
    [[nodiscard]] CoreCoord on_noc(CoreCoord core) const {
        const CoreCoord origin = arch_.workers.virtual_origin;
        return {origin.x + core.x, origin.y + core.y};
    }

private:
    const ArchSpec& arch_;
    std::uint32_t parts_;
};

/// The kernels of all cores that have part `part`.
void add_part(Program& program, const Tensors& tensors, const Cores& cores, std::uint32_t part,
              std::uint32_t parts, std::uint32_t semaphore) {
    const CoreRangeSet here = cores.of_part(part);
    const bool gathers = part == 0;
    const std::uint32_t num_k = kTilesK / parts;
    const std::uint32_t num_arriving = gathers ? parts - 1 : 0;
    const std::uint8_t out = gathers ? kCbOut : kCbPart;

    std::vector<std::uint32_t> reader_args{kBlock, kTilesN};
    TensorAccessorArgs(tensors.a.buffer).append_to(reader_args);
    TensorAccessorArgs(tensors.b.buffer).append_to(reader_args);
    const KernelHandle reader =
        CreateKernel(program, KERNELS "reader.cpp", here, ReaderDataMovementConfig(reader_args));

    ComputeConfig config{.fp32_dest_acc_en = true, .compile_args = {kBlock, out}};
    config.unpack_to_dest_mode.resize(kCbArrived + 1U, UnpackToDestMode::Default);
    config.unpack_to_dest_mode[kCbArrived] = UnpackToDestMode::UnpackToDestFp32;
    const KernelHandle compute = CreateKernel(program, KERNELS "compute.cpp", here, config);
    SetRuntimeArgs(program, compute, here, {num_k, num_arriving});

    std::vector<std::uint32_t> out_args;
    TensorAccessorArgs(tensors.out.buffer).append_to(out_args);
    const KernelHandle writer =
        CreateKernel(program, gathers ? KERNELS "gather.cpp" : KERNELS "send_part.cpp", here,
                     WriterDataMovementConfig(gathers ? out_args : std::vector<std::uint32_t>()));

    for (std::uint32_t column = 0; column < kTilesN; ++column) {
        const CoreCoord core = cores.at(column, part);
        SetRuntimeArgs(
            program, reader, core,
            {tensors.a.buffer.address, tensors.b.buffer.address, part * num_k, num_k, column});
        const CoreCoord target = cores.on_noc(cores.at(column, 0));
        if (gathers) {
            SetRuntimeArgs(program, writer, core,
                           {tensors.out.buffer.address, column, num_arriving, semaphore});
        } else {
            SetRuntimeArgs(program, writer, core, {target.x, target.y, part - 1, semaphore});
        }
    }
}

Program ksplit_program(const ArchSpec& arch, const Tensors& tensors, std::uint32_t parts) {
    Program program = CreateProgram();
    const Cores cores(arch, parts);
    const CoreRangeSet all = num_cores_to_corerangeset(
        kTilesN * parts, {arch.workers.compute.columns, arch.workers.compute.rows}, RowWise::Yes);
    add_buffer(program, all, kCbA, DataFormat::Float16_b, 2 * kBlock);
    add_buffer(program, all, kCbB, DataFormat::Float16_b, 2 * kBlock);
    add_buffer(program, all, kCbArrived, DataFormat::Float32, parts);
    add_buffer(program, all, kCbPart, DataFormat::Float32, 1);
    add_buffer(program, all, kCbOut, DataFormat::Float16_b, 1);
    const std::uint32_t semaphore = CreateSemaphore(program, all, 0);
    for (std::uint32_t part = 0; part < parts; ++part) {
        add_part(program, tensors, cores, part, parts, semaphore);
    }
    return program;
}

Tensors allocate_tensors(Session& session) {
    const auto matrix = [&](const char* name, std::uint32_t rows, std::uint32_t columns) {
        return session.allocate(0, name, {{rows, columns}, DataFormat::Float16_b, Layout::TILE});
    };
    return {matrix("A", kM, kK), matrix("B", kK, kN), matrix("C", kM, kN)};
}

/// Runs with K in `parts` parts; returns whether C is right to one ulp of bfloat16.
bool run(const Machine& machine, std::uint32_t parts, const std::string& report) {
    const std::unique_ptr<Session> session = open_session(machine, {.trace = TraceMode::On});
    const Tensors tensors = allocate_tensors(*session);
    const HostTensor a = random_matrix(kM, kK, 1);
    const HostTensor b = random_matrix(kK, kN, 2);
    session->write(tensors.a, a);
    session->write(tensors.b, b);

    const DeviceProgram program{0, ksplit_program(machine.arch(), tensors, parts)};
    session->launch("ksplit_matmul", {&program, 1});

    const std::vector<double> expected = product(a, b);
    const CloseTolerance tolerance{.pcc_min = 0.9999, .max_rel_err = 0x1p-8};
    const bool is_right =
        compare_close(session->read(tensors.out), std::span(expected), tolerance).passes(tolerance);
    const RunTimeline timeline = replay(session->trace(), machine);
    std::printf(
        "%2u cores, %u part%s %6lld cycles  %s\n", kTilesN * parts, parts,
        parts == 1 ? ": " : "s:", static_cast<long long>(timeline.makespan / kMillicyclesPerCycle),
        is_right ? "PASS" : "FAIL");
    if (!report.empty()) {
        Report(session->trace(), machine, "ksplit_matmul").write(report);
    }
    return is_right;
}

}  // namespace

// Arguments: the device, and a folder for the report of the run with 4 parts; both may be omitted.
int main(int argc, char** argv) try {
    const Machine machine(argc > 1 ? argv[1] : "wormhole_n150");
    const std::string report = argc > 2 ? argv[2] : "";
    bool is_right = run(machine, 1, "");
    is_right = run(machine, 2, "") && is_right;
    is_right = run(machine, 4, report) && is_right;
    return is_right ? 0 : 1;
} catch (const tessera::Error& error) {
    std::fprintf(stderr, "ksplit_matmul: %s\n", error.what());
    return error.exit_code();
}
