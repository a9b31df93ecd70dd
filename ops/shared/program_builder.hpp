// SPDX-License-Identifier: Apache-2.0
// Parts of a program, by the names of its kernels' args.hpp (ops/shared/kernels/named_args.hpp).
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/shared/kernels/named_args.hpp"
#include "tessera/buffer.hpp"
#include "tessera/errors.hpp"
#include "tessera/program.hpp"

namespace tessera::ops {

/// For kernels without tensors.
struct NoTensors {
    template <class Visit>
    void for_each(Visit /*visit*/) const {}
};

/// Returns the values of a struct of NAMED_COMPILE_ARGS, by name.
template <class Args>
[[nodiscard]] NamedCompileArgs named(const Args& args) {
    NamedCompileArgs values;
    args.for_each([&](const char* name, std::uint32_t value) { values.emplace(name, value); });
    return values;
}

[[nodiscard]] inline NamedCompileArgs named(NamedCompileArgs values) {
    return values;
}

/// Returns the values of several structs, for a kernel that shares some of its arguments with other
/// kernels.
template <class First, class Second, class... Rest>
[[nodiscard]] NamedCompileArgs named(const First& first, const Second& second,
                                     const Rest&... rest) {
    NamedCompileArgs values = named(second, rest...);
    NamedCompileArgs own = named(first);
    values.merge(own);
    ensure(own.empty(), "two structs of a kernel name the argument {}",
           own.empty() ? "" : own.begin()->first);
    return values;
}

/// Returns the words of a struct of NAMED_RUNTIME_ARGS, in the order in which the kernel reads
/// them.
template <class Args>
[[nodiscard]] std::vector<std::uint32_t> words_of(const Args& args) {
    std::vector<std::uint32_t> words;
    args.for_each([&](const char* /*name*/, std::uint32_t value) { words.push_back(value); });
    return words;
}

[[nodiscard]] inline std::vector<std::uint32_t> words_of(std::vector<std::uint32_t> words) {
    return words;
}

/// Returns the words of the accessors of a struct of NAMED_TENSORS. An omitted tensor has the words
/// of an interleaved one, so that the positions of later tensors do not change; a kernel does not
/// access it.
template <class Tensors>
[[nodiscard]] std::vector<std::uint32_t> accessors_of(const Tensors& tensors) {
    constexpr std::size_t kInterleavedWords = 2;
    std::vector<std::uint32_t> words;
    tensors.for_each([&](const char* /*name*/, const Buffer* buffer) {
        if (buffer == nullptr) {
            words.resize(words.size() + kInterleavedWords);
        } else {
            TensorAccessorArgs(*buffer).append_to(words);
        }
    });
    return words;
}

/// Returns the argument of a real number: the bits of its float32, since arguments are 32-bit words.
[[nodiscard]] inline std::uint32_t float_word(double value) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

/// Address of a tensor's buffer, or 0 of one that is left out.
[[nodiscard]] inline std::uint32_t address_of(const Buffer* buffer) {
    return buffer == nullptr ? 0 : buffer->address;
}

/// Addresses of a struct of NAMED_TENSORS, which a kernel reads as its Addresses.
template <class Tensors>
[[nodiscard]] std::vector<std::uint32_t> addresses_of(const Tensors& tensors) {
    std::vector<std::uint32_t> words;
    tensors.for_each(
        [&](const char* /*name*/, const Buffer* buffer) { words.push_back(address_of(buffer)); });
    return words;
}

/// Returns the configuration of a kernel on RISCV_1 and NoC 0.
template <class Args, class Tensors = NoTensors>
[[nodiscard]] DataMovementConfig reader_config(const Args& args, const Tensors& tensors = {}) {
    DataMovementConfig config = ReaderDataMovementConfig(accessors_of(tensors));
    config.named_compile_args = named(args);
    return config;
}

/// Returns the configuration of a kernel on RISCV_0 and NoC 1.
template <class Args, class Tensors = NoTensors>
[[nodiscard]] DataMovementConfig writer_config(const Args& args, const Tensors& tensors = {}) {
    DataMovementConfig config = WriterDataMovementConfig(accessors_of(tensors));
    config.named_compile_args = named(args);
    return config;
}

/// For kernels without their own compile-time arguments.
struct NoArgs : NoTensors {};

/// Returns `config`, which states the units of a compute kernel, with its compile-time arguments.
template <class Args>
[[nodiscard]] ComputeConfig compute_config(const Args& args, ComputeConfig config = {}) {
    config.named_compile_args = named(args);
    return config;
}

/// Unpacks the tiles of `cb` to DST without a detour over the source registers, which hold 19 bits.
inline void unpack_to_fp32(ComputeConfig& config, std::uint32_t index) {
    if (config.unpack_to_dest_mode.size() <= index) {
        config.unpack_to_dest_mode.resize(index + 1, UnpackToDestMode::Default);
    }
    config.unpack_to_dest_mode[index] = UnpackToDestMode::UnpackToDestFp32;
}
template <class Cb>
requires std::is_enum_v<Cb>
void unpack_to_fp32(ComputeConfig& config, Cb cb) {
    unpack_to_fp32(config, index_of(cb));
}

/// Sets the runtime arguments of one core: structs of NAMED_RUNTIME_ARGS and lists of words, in the
/// order in which the kernel reads them.
template <class... Parts>
void set_args(Program& program, KernelHandle kernel, CoreCoord core, const Parts&... parts) {
    std::vector<std::uint32_t> words;
    const auto append = [&](const std::vector<std::uint32_t>& part) {
        words.insert(words.end(), part.begin(), part.end());
    };
    (append(words_of(parts)), ...);
    SetRuntimeArgs(program, kernel, core, words);
}

/// Size of a circular buffer: `pages` pages of `page_bytes`.
struct CbSize {
    std::uint32_t pages = 1;
    std::uint32_t page_bytes = 0;
};

/// Adds a circular buffer by its number.
inline CBHandle add_circular_buffer(Program& program, const CoreRangeSet& cores,
                                    std::uint32_t number, DataFormat format, CbSize size) {
    const auto index = static_cast<std::uint8_t>(number);
    return CreateCircularBuffer(
        program, cores,
        CircularBufferConfig(size.pages * size.page_bytes, {{index, format}})
            .set_page_size(index, size.page_bytes));
}

/// Adds the circular buffer that an enum class of args.hpp names.
template <class Cb>
requires std::is_enum_v<Cb> CBHandle add_circular_buffer(Program& program,
                                                         const CoreRangeSet& cores, Cb cb,
                                                         DataFormat format, CbSize size) {
    return add_circular_buffer(program, cores, index_of(cb), format, size);
}

/// Marks a circular buffer whose numbers a data-movement kernel compares
/// (CircularBufferConfig::steers).
template <class Cb>
requires std::is_enum_v<Cb>
void mark_steering(Program& program, Cb cb) {
    for (CircularBufferDescription& buffer : program.circular_buffers) {
        if (buffer.config.formats.contains(static_cast<std::uint8_t>(index_of(cb)))) {
            buffer.config.steers = true;
        }
    }
}

/// A circular buffer that a program gives each of its cores.
struct CbPlan {
    std::uint32_t index;
    DataFormat format;
    CbSize size;

    template <class Cb>
    CbPlan(Cb cb, DataFormat cb_format, CbSize cb_size)
        : index(index_of(cb)), format(cb_format), size(cb_size) {}
    /// A buffer of `tiles` tiles.
    template <class Cb>
    CbPlan(Cb cb, DataFormat cb_format, std::uint32_t tiles)
        : CbPlan(cb, cb_format, CbSize{tiles, tile_bytes(cb_format)}) {}
};

/// Returns the bytes that the buffers take of each core's L1.
[[nodiscard]] inline std::uint64_t bytes_of(const std::vector<CbPlan>& plans) {
    std::uint64_t bytes = 0;
    for (const CbPlan& plan : plans) {
        bytes += std::uint64_t{plan.size.pages} * plan.size.page_bytes;
    }
    return bytes;
}

inline void add_circular_buffers(Program& program, const CoreRangeSet& cores,
                                 const std::vector<CbPlan>& plans) {
    for (const CbPlan& plan : plans) {
        add_circular_buffer(program, cores, plan.index, plan.format, plan.size);
    }
}

}  // namespace tessera::ops
