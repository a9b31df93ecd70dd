// SPDX-License-Identifier: Apache-2.0
// SFPU functions on a tile in DST, on the math thread alone; and the tile operations published with
// them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/kernels/loop_args.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::score {
namespace {

constexpr std::uint32_t kTiles = 128;
constexpr const char* kLoopZone = "loop";

std::string replaced(std::string text, char from, char to) {
    std::ranges::replace(text, from, to);
    return text;
}

/// Converts "SFPU gelu approx" to "gelu_approx", "SFPU tanh accurate, later" to "tanh".
std::string function_name(const std::string& workload) {
    constexpr std::string_view kPrefix = "SFPU ";
    constexpr std::array<std::string_view, 3> kDropped{" accurate", " form", " in Dst"};
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKernelNames{
        {{"identity copy", "identity"},
         {"divide", "div_binary"},
         {"add int32 scalar", "add_unary_int32"},
         {"add int32 elementwise", "add_int32"}}};
    std::string name = workload.substr(kPrefix.size());
    name = name.substr(0, name.find(','));
    for (const std::string_view word : kDropped) {
        const std::size_t at = name.find(word);
        name = at == std::string::npos ? name : name.substr(0, at);
    }
    for (const auto& [theirs, ours] : kKernelNames) {
        name = name == theirs ? ours : name;
    }
    return replaced(name, ' ', '_');
}

bool is_listed(const SfpuTiming& timing, const std::string& name) {
    return std::ranges::any_of(timing.functions,
                               [&](const auto& function) { return function.first == name; });
}

/// Returns the table row of a function's version, named by the word after the workload's comma:
/// "SFPU abs, fast path" is "abs_fast" if there is such a row.
std::string version_of(const std::string& name, const std::string& workload,
                       const SfpuTiming& timing) {
    const std::size_t comma = workload.find(',');
    std::istringstream words(comma == std::string::npos ? "" : workload.substr(comma + 1));
    for (std::string word; words >> word;) {
        std::ranges::transform(word, word.begin(), [](unsigned char character) {
            return static_cast<char>(std::tolower(character));
        });
        if (is_listed(timing, fmt::format("{}_{}", name, word))) {
            return fmt::format("{}_{}", name, word);
        }
    }
    return name;
}

/// Returns a trace that contains the function only; not all functions are in the kernel API.
Trace trace_of(const std::string& function, const ArchSpec& arch) {
    const auto event = [](EventKind kind, std::uint32_t count, std::uint64_t argument) {
        return TraceEvent{.kind = kind, .count = count, .argument = argument};
    };
    constexpr std::uint64_t kFunction = 2;
    constexpr std::uint64_t kZone = 3;
    ThreadTrace thread{.processor = Processor::Compute, .kernel = 1, .sites = {{}}};
    thread.events = {
        event(EventKind::DstAcquire, 1, 0),        event(EventKind::ZoneBegin, 0, kZone),
        event(EventKind::Sfpu, kTiles, kFunction), event(EventKind::ZoneEnd, 0, kZone),
        event(EventKind::DstCommit, 1, 0),         event(EventKind::DstWait, 1, 0),
        event(EventKind::DstRelease, 1, 0)};
    Trace trace{.arch = arch.name, .names = {"", "loop of one function", function, kLoopZone}};
    LaunchTrace launch{.name = "row"};
    launch.dispatch = {{.kernels = 1, .cores = 1, .threads = 1}};
    launch.cores = {CoreTrace{.threads = {std::move(thread)}}};
    trace.launches.push_back(std::move(launch));
    return trace;
}

Prediction function_cycles(const Row& row, const Parameters& parameters, const Model& model) {
    const SfpuTiming& timing = model.timing.expected.sfpu;
    std::string name = version_of(function_name(row.workload), row.workload, timing);
    const std::string with_fp32 = name + "_fp32";
    if (parameters.flag_or("fp32_dest", false) && is_listed(timing, with_fp32)) {
        name = with_fp32;
    }
    expressible(is_listed(timing, name), "no figure for SFPU functions is known of {}", name);
    const Trace trace = trace_of(name, model.arch);
    const Replays replays =
        replay_all(trace, trace.launches.front(), model, one_device(model.arch));
    return replays.zone_cycles(kLoopZone, Among::Longest).as([](double cycles) {
        return cycles / kTiles;
    });
}

template <class Args>
Program tile_loop(const char* kernel, const Parameters& parameters, const Args& args) {
    constexpr std::uint32_t kBlock = 8;  // half of DST
    const DataFormat format =
        parameters.has("dtype") ? parameters.format("dtype") : DataFormat::Float16_b;
    Program program = CreateProgram();
    for (const std::uint8_t cb : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{16}}) {
        add_tiles(program, cb, kBlock, format);
    }
    (void)CreateKernel(
        program, "bench/accuracy/kernels/feeder.cpp", kOnlyCore,
        ops::reader_config(FeederArgs{.count = 1, .in0_pages = kBlock, .in1_pages = kBlock}));
    (void)CreateKernel(
        program, fmt::format("bench/accuracy/kernels/{}.cpp", kernel), kOnlyCore,
        ops::compute_config(
            args, {.math_fidelity = parameters.has("fidelity") ? parameters.fidelity("fidelity")
                                                               : MathFidelity::HiFi4}));
    return program;
}

Prediction per_tile(Prediction cycles) {
    return cycles.as([](double count) { return count / kTiles; });
}

Prediction multiply_cycles(const Parameters& parameters, const Model& model) {
    constexpr std::uint32_t kBlock = 8;  // half of DST
    Bench bench(model);
    return per_tile(bench
                        .run(tile_loop("multiply_loop", parameters,
                                       MultiplyLoopArgs{.count = kTiles, .block = kBlock}))
                        .zone_cycles(kLoopZone, Among::Longest));
}

/// Returns the busy time of one thread of an untilize, without its waits.
Prediction untilize_cycles(const Row& row, const Parameters& parameters, const Model& model) {
    const bool by_packer = row.workload.starts_with("pack-untilize");
    const bool unpack_side = row.workload.ends_with("unpack side");
    expressible(unpack_side || row.workload.ends_with("pack side"),
                "workload {}: neither unpack side nor pack side", row.workload);
    Bench bench(model);
    const Replays replays =
        bench.run(tile_loop("untilize_loop", parameters,
                            UntilizeLoopArgs{.count = kTiles, .by_packer = by_packer ? 1U : 0U}));
    return per_tile(unpack_side ? replays.busy_cycles(TimelineThread::Unpack, Activity::Unpack)
                                : replays.busy_cycles(TimelineThread::Pack, Activity::Pack));
}

Prediction tile_cycles(const Row& row, const Parameters& parameters, const Model& model) {
    if (row.workload.starts_with("SFPU ")) {
        return function_cycles(row, parameters, model);
    }
    if (row.workload.starts_with("eltwise multiply")) {
        return multiply_cycles(parameters, model);
    }
    expressible(row.workload.find("untilize") != std::string::npos,
                "workload {}: not a function of a tile", row.workload);
    return untilize_cycles(row, parameters, model);
}

}  // namespace

Prediction predict_sfpu(const Row& row, const Parameters& parameters, const Model& model) {
    const Prediction one = tile_cycles(row, parameters, model);
    if (row.metric == "cycles_per_tile") {
        return as_time(row, one, model);
    }
    const double tiles = parameters.count("tiles");
    return as_time(row, one.as([&](double cycles) { return cycles * tiles; }), model);
}

}  // namespace tessera::score
