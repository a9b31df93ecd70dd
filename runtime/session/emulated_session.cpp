// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/emulated_session.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "emu/base/seconds_since.hpp"
#include "emu/dram/shared_pages.hpp"
#include "emu/dram/tensor_buffer.hpp"
#include "emu/mesh/mesh.hpp"
#include "emu/tile/format/integer.hpp"
#include "emu/timing/stalled_replay.hpp"
#include "runtime/launch/collect_trace.hpp"
#include "runtime/launch/launch.hpp"
#include "runtime/launch/trace_names.hpp"
#include "runtime/log/log.hpp"
#include "runtime/scheduler/worker_pool.hpp"
#include "runtime/session/device_pages.hpp"
#include "runtime/session/page_codec.hpp"
#include "tessera/errors.hpp"
#include "tessera/huge_pages.hpp"

namespace tessera {
namespace {

/// Returns the number of kernel threads that run; those of alike devices do not.
std::size_t num_kernel_threads(std::span<const LaunchedProgram> programs) {
    std::size_t threads = 0;
    for (const LaunchedProgram& launched : programs) {
        for (const KernelDescription& kernel : launched.program->program.kernels) {
            threads += launched.is_run() ? kernel.cores.num_cores() : 0;
        }
    }
    return threads;
}

std::string alike_text(std::span<const LaunchedProgram> programs) {
    const auto num_run = std::ranges::count_if(programs, &LaunchedProgram::is_run);
    const std::size_t others = programs.size() - static_cast<std::size_t>(num_run);
    return others == 0 ? "" : fmt::format(", {} of them as an identical device", others);
}

BankAllocator& allocator_of(Device& device, BufferType type) {
    return type == BufferType::DRAM ? device.dram_allocator : device.l1_allocator;
}

void check_same(const DeviceTensor& tensor, const HostTensor& values) {
    require(tensor.spec.shape == values.shape && host_format(tensor.spec.format) == values.format,
            "writing a tensor {} of {} into a device tensor {} of {}{}", to_string(values.shape),
            name_of(values.format), to_string(tensor.spec.shape), name_of(tensor.spec.format),
            is_block_format(tensor.spec.format) ? ", whose values are float32 on the host" : "");
}

// Pages are independent; a grain of pages keeps small tensors on one thread.
template <class Visit>
void for_each_page(std::uint32_t num_pages, Visit visit) {
    constexpr std::uint32_t kGrain = 256;
    tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, num_pages, kGrain),
                      [&](const tbb::blocked_range<std::uint32_t>& range) {
                          for (std::uint32_t i = range.begin(); i != range.end(); ++i) {
                              visit(i);
                          }
                      });
}

// Neighbouring pages are in different banks, far apart in host memory, so that the host's
// prefetcher does not predict the next page.
void prefetch(std::span<const std::byte> page) {
    constexpr std::size_t kLine = 64;
    for (std::size_t at = 0; at < page.size(); at += kLine) {
        __builtin_prefetch(page.data() + at);
    }
}

}  // namespace

EmulatedSession::EmulatedSession(const MeshSpec& mesh, const ArchSpec& arch,
                                 const SessionOptions& options)
    : arch_(arch),
      mesh_spec_(mesh),
      options_(options),
      mesh_(std::make_unique<Mesh>(mesh, arch)),
      pool_(std::make_unique<WorkerPool>(options.threads)),
      trace_{.arch = arch.name, .mesh = mesh, .names = {}, .launches = {}},
      names_(std::make_unique<TraceNames>(trace_.names)),
      sink_(options.trace_sink) {
}

EmulatedSession::~EmulatedSession() = default;

std::uint32_t EmulatedSession::num_threads() const noexcept {
    return pool_->num_workers();
}

DeviceTensor EmulatedSession::allocate(std::uint32_t device, const std::string& name,
                                       const TensorSpec& spec, BufferType type) {
    return place(name, spec, interleaved_buffer(arch_, device, spec, type));
}

DeviceTensor EmulatedSession::allocate_sharded(std::uint32_t device, const std::string& name,
                                               const TensorSpec& spec, BufferType type,
                                               TensorMemoryLayout layout, const ShardSpec& shard) {
    return place(name, spec, sharded_buffer(arch_, device, name, spec, type, layout, shard));
}

DeviceTensor EmulatedSession::place(const std::string& name, const TensorSpec& spec,
                                    Buffer buffer) {
    require(buffer.device < mesh_->num_devices(), "tensor {}: device {} of a mesh of {}", name,
            buffer.device, mesh_->num_devices());
    Device& device = mesh_->device(buffer.device);
    const PageMap pages(buffer, device.bank_layout());
    const std::uint64_t bytes = pages.bytes_per_bank();
    buffer.address =
        static_cast<std::uint32_t>(allocator_of(device, buffer.type).allocate(name, bytes));
    if (buffer.type == BufferType::DRAM) {
        device.dram_tensors.add(name, buffer, pages);
        const bool steers = std::ranges::find(options_.steering, name) != options_.steering.end();
        if (options_.bulk_data == BulkData::Integers && !steers &&
            !tile::is_integer_format(spec.format)) {
            device.dram.neglect(buffer.address, bytes);
            return {spec, buffer};
        }
        // Not for neglected bytes: few of them are touched, and each would commit a huge page.
        for (std::uint32_t bank = 0; bank < arch_.dram.num_banks; ++bank) {
            prefer_huge_pages(device.dram.bank(bank) + buffer.address, bytes);
        }
    }
    fill_unwritten({spec, buffer});
    return {spec, buffer};
}

void EmulatedSession::fill_unwritten(const DeviceTensor& tensor) {
    if (options_.unwritten_memory == UnwrittenMemory::Nan) {
        fill(tensor, std::byte{0xFF});
    }
}

void EmulatedSession::deallocate(const DeviceTensor& tensor) {
    Device& device = mesh_->device(tensor.buffer.device);
    const auto shared = shared_.find({device.id(), tensor.buffer.address});
    if (tensor.buffer.type == BufferType::DRAM && shared != shared_.end()) {
        stop_sharing(device.dram, {tensor.buffer.address, shared->second});
        shared_.erase(shared);
    }
    if (tensor.buffer.type == BufferType::DRAM) {
        device.dram.heed(tensor.buffer.address);
        device.dram_tensors.remove(tensor.buffer.address);
    }
    allocator_of(device, tensor.buffer.type).deallocate(tensor.buffer.address);
}

void EmulatedSession::write(const DeviceTensor& tensor, const HostTensor& values) {
    check_same(tensor, values);
    const PageCodec codec(tensor.spec);
    const DevicePages pages(mesh_->device(tensor.buffer.device), tensor.buffer);
    for_each_page(codec.num_pages(),
                  [&](std::uint32_t i) { codec.encode(values.bytes, i, pages.page(i)); });
}

void EmulatedSession::write_replicated(std::span<const DeviceTensor> tensors,
                                       const HostTensor& values) {
    if (!can_share(tensors)) {
        return Session::write_replicated(tensors, values);
    }
    for (const DeviceTensor& tensor : tensors) {
        check_same(tensor, values);
    }
    write(tensors.front(), values);
    const BankRange range = dram_range(tensors.front());
    std::vector<BankMemory*> memories;
    for (const DeviceTensor& tensor : tensors) {
        memories.push_back(&mesh_->device(tensor.buffer.device).dram);
        shared_[{tensor.buffer.device, tensor.buffer.address}] = range.bytes;
    }
    replicate(memories, range);
}

BankRange EmulatedSession::dram_range(const DeviceTensor& tensor) const {
    const Device& device = mesh_->device(tensor.buffer.device);
    return {tensor.buffer.address, PageMap(tensor.buffer, device.bank_layout()).bytes_per_bank()};
}

// Devices that allocate the same tensors in the same order have equal addresses, so this is the
// common case.
bool EmulatedSession::can_share(std::span<const DeviceTensor> tensors) const {
    const auto is_alike = [&](const DeviceTensor& tensor) {
        const Buffer& buffer = tensor.buffer;
        const Buffer& first = tensors.front().buffer;
        return buffer.type == BufferType::DRAM &&
               buffer.layout == TensorMemoryLayout::INTERLEAVED &&
               buffer.address == first.address && buffer.page_size == first.page_size &&
               buffer.num_pages == first.num_pages;
    };
    const std::uint64_t bank_size = arch_.dram.bank_size.value;
    return tensors.size() > 1 && bank_size % SharedPages::page_size() == 0 &&
           std::ranges::all_of(tensors, is_alike) && is_worth_sharing(dram_range(tensors.front()));
}

HostTensor EmulatedSession::read(const DeviceTensor& tensor) const {
    return read_pages(tensor, tensor.spec, 0);
}

HostTensor EmulatedSession::read_matrix(const DeviceTensor& tensor, std::uint32_t index) const {
    const Shape& shape = tensor.spec.shape;
    require(shape.size() == 3 && index < shape[0],
            "reading matrix {} of a device tensor {}: allowed: tensors of three extents, below "
            "the first",
            index, to_string(shape));
    TensorSpec one = tensor.spec;
    one.shape[0] = 1;
    return read_pages(tensor, one, index * one.num_pages());
}

// Reads the pages from `first` on as a tensor of their own.
HostTensor EmulatedSession::read_pages(const DeviceTensor& tensor, const TensorSpec& spec,
                                       std::uint32_t first) const {
    HostTensor values = make_host_tensor(spec.shape, host_format(spec.format));
    const PageCodec codec(spec);
    const DevicePages pages(mesh_->device(tensor.buffer.device), tensor.buffer);
    for_each_page(codec.num_pages(), [&](std::uint32_t i) {
        if (i + 1 < codec.num_pages()) {
            prefetch(pages.page(first + i + 1));
        }
        codec.decode(pages.page(first + i), i, values.bytes);
    });
    return values;
}

void EmulatedSession::fill(const DeviceTensor& tensor, std::byte value) {
    const DevicePages pages(mesh_->device(tensor.buffer.device), tensor.buffer);
    for_each_page(tensor.buffer.num_pages, [&](std::uint32_t i) {
        const auto page = pages.padded_page(i);
        std::memset(page.data(), static_cast<int>(value), page.size());
    });
}

bool EmulatedSession::holds_same(const DeviceTensor& first, const DeviceTensor& second) const {
    const DevicePages pages(mesh_->device(first.buffer.device), first.buffer);
    const DevicePages others(mesh_->device(second.buffer.device), second.buffer);
    bool is_same = first.buffer.num_pages == second.buffer.num_pages;
    for (std::uint32_t i = 0; is_same && i < first.buffer.num_pages; ++i) {
        is_same = std::ranges::equal(pages.padded_page(i), others.padded_page(i));
    }
    return is_same;
}

void EmulatedSession::copy(const DeviceTensor& from, const DeviceTensor& to) {
    const DevicePages pages(mesh_->device(from.buffer.device), from.buffer);
    const DevicePages copies(mesh_->device(to.buffer.device), to.buffer);
    for (std::uint32_t i = 0; i < from.buffer.num_pages; ++i) {
        // Pages that no kernel wrote stay shared among devices.
        if (!std::ranges::equal(pages.padded_page(i), copies.padded_page(i))) {
            std::ranges::copy(pages.padded_page(i), copies.padded_page(i).begin());
        }
    }
}

LaunchResult EmulatedSession::launch(const std::string& name,
                                     std::span<const DeviceProgram> programs) {
    return launch(name, programs, {});
}

LaunchResult EmulatedSession::run_kernels(std::span<const LaunchedProgram> programs) {
    try {
        return tessera::launch(*mesh_, programs,
                               {.delivery = options_.delivery,
                                .seed = options_.seed,
                                .trace = options_.trace,
                                .maths = options_.maths,
                                .bulk_data = options_.bulk_data,
                                .left_in_buffers = options_.left_in_buffers,
                                .rules = options_.rules,
                                .progress_limit = options_.progress_limit},
                               *pool_);
    } catch (...) {
        // An error of the launch before is the first one, at any number of host threads.
        sink_.wait();
        throw;
    }
}

LaunchResult EmulatedSession::launch(const std::string& name,
                                     std::span<const DeviceProgram> programs,
                                     std::span<const std::size_t> alike) {
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<LaunchedProgram> launched = by_device(programs, alike);
    LaunchResult result = run_kernels(launched);
    result.host_seconds = seconds_since(begin);
    log::info(log::Area::Launch,
              "{}: {} cores and {} kernel threads of {} devices{}, {} host threads, {:.3f} s", name,
              result.cores.size(), num_kernel_threads(launched), programs.size(),
              alike_text(launched), pool_->num_workers(), result.host_seconds);
    if (options_.trace == TraceMode::On) {
        pass_on_trace(name, launched);
    }
    return result;
}

void EmulatedSession::pass_on_trace(const std::string& name,
                                    std::span<const LaunchedProgram> programs) {
    LaunchTrace launch = collect_trace(name, *mesh_, programs, *names_);
    if (!options_.trace_sink) {
        trace_.launches.push_back(std::move(launch));
        return;
    }
    // The kernels' state explains a stall of the replay only until the next launch.
    const auto cause = cause_of_stall(*mesh_, programs);
    if (options_.sink_calls == SinkCalls::BesideKernels && num_threads() > 1 && !cause) {
        return sink_.start(trace_, std::move(launch));
    }
    try {
        sink_.call(trace_, std::move(launch));
    } catch (const timing::StalledReplay&) {
        if (cause) {
            throw KernelError(*cause);
        }
        throw;
    }
}

}  // namespace tessera
