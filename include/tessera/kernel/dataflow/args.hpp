// SPDX-License-Identifier: Apache-2.0
// Arguments and identity of the running kernel.
#pragma once

#include <bit>
#include <string_view>
#include <type_traits>

#include "tessera/kernel/types.hpp"

/// Returns the L1 address of unique runtime argument `index` (4-byte words). Kernels may write to
/// it.
/// Errors   OutOfBounds if `index` is not below the number set for this core.
std::uintptr_t get_arg_addr(int index, tessera::CallSite site = tessera::CallSite::here());
/// Returns the L1 address of common runtime argument `index`, equal for all cores of the kernel.
std::uintptr_t get_common_arg_addr(int index, tessera::CallSite site = tessera::CallSite::here());

namespace tessera::kernel {
std::uint32_t runtime_arg(int index, CallSite site);
std::uint32_t common_runtime_arg(int index, CallSite site);
std::uint32_t compile_time_arg(std::uint32_t index, CallSite site);
std::uint32_t named_compile_time_arg(std::string_view name, CallSite site);

/// Returns a word as T. A pointer type is the L1 address in the word.
template <class T>
T word_as(std::uint32_t word) {
    if constexpr (std::is_pointer_v<T>) {
        return reinterpret_cast<T>(static_cast<std::uintptr_t>(word));
    } else {
        static_assert(sizeof(T) == 4, "runtime arguments are 4-byte words");
        return std::bit_cast<T>(word);
    }
}
}  // namespace tessera::kernel

/// Returns runtime argument `index` of this core as a 4-byte T.
template <class T>
T get_arg_val(int index, tessera::CallSite site = tessera::CallSite::here()) {
    return tessera::kernel::word_as<T>(tessera::kernel::runtime_arg(index, site));
}

template <class T>
T get_common_arg_val(int index, tessera::CallSite site = tessera::CallSite::here()) {
    return tessera::kernel::word_as<T>(tessera::kernel::common_runtime_arg(index, site));
}

// A kernel that is compiled just in time has its compile-time arguments as constants if its source
// needs constants. Each other kernel reads those of its program, so that one object serves all
// programs.
#ifdef KERNEL_COMPILE_TIME_ARGS
namespace tessera::kernel {
template <class... Words>
constexpr std::array<std::uint32_t, sizeof...(Words)> words_of(Words... words) {
    return {static_cast<std::uint32_t>(words)...};
}
}  // namespace tessera::kernel
inline constexpr auto kernel_compile_time_args =
    tessera::kernel::words_of(KERNEL_COMPILE_TIME_ARGS);
/// Returns compile-time argument `index`.
/// Errors   OutOfBounds if the program gives fewer; an error of the compiler if a constant is
///          needed.
constexpr std::uint32_t get_compile_time_arg_val(
    std::uint32_t index, tessera::CallSite site = tessera::CallSite::here()) {
    return index < kernel_compile_time_args.size()
               ? kernel_compile_time_args[index]
               : tessera::kernel::compile_time_arg(index, site);  // no constant
}
constexpr std::uint32_t num_compile_time_args() {
    return kernel_compile_time_args.size();
}
#else
inline std::uint32_t get_compile_time_arg_val(std::uint32_t index,
                                              tessera::CallSite site = tessera::CallSite::here()) {
    return tessera::kernel::compile_time_arg(index, site);
}
#endif

#ifdef TESSERA_KERNEL_CHECK
/// Returns a small number for any name, because `tessera kernel check` compiles kernels without a
/// program.
constexpr std::uint32_t get_named_compile_time_arg_val(std::string_view name) {
#ifdef TESSERA_STAND_IN_ARGUMENT
    return name.empty() ? 0 : TESSERA_STAND_IN_ARGUMENT;
#else
    std::uint32_t sum = 0;
    for (const char letter : name) {
        sum = sum * 31 + static_cast<unsigned char>(letter);
    }
    return 2 + 2 * (sum % 15);
#endif
}
#elif defined(KERNEL_COMPILE_TIME_ARG_MAP)
struct NamedCompileTimeArg {
    std::string_view name;
    std::uint32_t value;
};
constexpr std::uint32_t get_named_compile_time_arg_val(
    std::string_view name, tessera::CallSite site = tessera::CallSite::here()) {
    constexpr NamedCompileTimeArg kArgs[] = {KERNEL_COMPILE_TIME_ARG_MAP};
    for (const auto& arg : kArgs) {
        if (arg.name == name) {
            return arg.value;
        }
    }
    return tessera::kernel::named_compile_time_arg(name, site);  // no constant
}
#else
inline std::uint32_t get_named_compile_time_arg_val(
    std::string_view name, tessera::CallSite site = tessera::CallSite::here()) {
    return tessera::kernel::named_compile_time_arg(name, site);
}
#endif

/// Return the logical coordinates of this core in the device's grid.
std::uint8_t get_absolute_logical_x();
std::uint8_t get_absolute_logical_y();
/// Return the logical coordinates relative to the first core of the kernel's core set.
std::uint8_t get_relative_logical_x();
std::uint8_t get_relative_logical_y();
inline std::uint32_t get_num_threads() {
    return 1;
}
inline std::uint32_t get_my_thread_id() {
    return 0;
}
/// Does nothing; on the chip it waits for the other threads of the kernel, which has only one here.
inline void sync_threads() {
}

namespace tessera::kernel {
std::uint8_t own_noc_x(std::uint32_t noc);
std::uint8_t own_noc_y(std::uint32_t noc);
std::uint8_t default_noc();

/// The array `my_x` of the chip: NoC column of this core, by NoC.
struct OwnX {
    std::uint8_t operator[](std::uint32_t noc) const { return own_noc_x(noc); }
};
/// The array `my_y` of the chip: NoC row of this core, by NoC.
struct OwnY {
    std::uint8_t operator[](std::uint32_t noc) const { return own_noc_y(noc); }
};
/// The variable `noc_index` of the chip: NoC of calls without an argument for it.
struct NocIndex {
    operator std::uint8_t() const { return default_noc(); }  // NOLINT: a variable on the chip
};
}  // namespace tessera::kernel

inline constexpr tessera::kernel::OwnX my_x;
inline constexpr tessera::kernel::OwnY my_y;
// A kernel that needs constants is compiled with the number of its NoC.
#ifdef NOC_INDEX
inline constexpr std::uint8_t noc_index = NOC_INDEX;
#else
inline constexpr tessera::kernel::NocIndex noc_index;
#endif
