// SPDX-License-Identifier: Apache-2.0
// Names that a kernel shares with the host program that starts it. Each op states them once in
// kernels/args.hpp, which both include:
//
//     NAMED_COMPILE_ARGS(ReaderArgs,
//                        tiles_per_push);  // tiles of one push, read with one barrier
//     NAMED_RUNTIME_ARGS(ReaderRange, input_address, first_tile, num_tiles);
//     NAMED_TENSORS(ReaderTensors, input);
//     enum class Cb : std::uint32_t { Input = 0, Output = 16 };
//
// The kernel calls ReaderArgs::read(), ReaderRange::read(), ReaderTensors::input() and
// index_of(Cb::Input). The host fills the structs by name; ops/shared/program_builder.hpp turns
// them into arguments. The macros use calls of the vendor's API only; the kernel includes them, or
// Tessera does for a built-in kernel.
//
// A kernel with several structs of runtime arguments reads each after the one before:
// ReaderRange::read(), then the tensors' addresses by ReaderTensors::input_address(
// ReaderRange::kCount); the host passes set_args(..., range, addresses_of(tensors)). An address is
// read where its accessor is made: at most four loads of a core are in flight, so a struct of many
// addresses that is read at once takes more cycles.
#pragma once

#include <cstdint>

namespace tessera {
struct Buffer;
}

namespace tessera::ops {

/// Returns the index of a circular buffer that an enum class names.
template <class Cb>
constexpr std::uint32_t index_of(Cb cb) {
    return static_cast<std::uint32_t>(cb);
}

}  // namespace tessera::ops

// Applies MACRO to each name. Three levels of four scans expand at most 84 names.
#define NAMES_SCAN(...) NAMES_SCAN3(NAMES_SCAN3(NAMES_SCAN3(NAMES_SCAN3(__VA_ARGS__))))
#define NAMES_SCAN3(...) NAMES_SCAN2(NAMES_SCAN2(NAMES_SCAN2(NAMES_SCAN2(__VA_ARGS__))))
#define NAMES_SCAN2(...) NAMES_SCAN1(NAMES_SCAN1(NAMES_SCAN1(NAMES_SCAN1(__VA_ARGS__))))
#define NAMES_SCAN1(...) __VA_ARGS__
#define NAMES_AGAIN() NAMES_EACH
#define NAMES_PARENTHESES ()
#define NAMES_EACH(MACRO, name, ...) \
    MACRO(name) __VA_OPT__(NAMES_AGAIN NAMES_PARENTHESES(MACRO, __VA_ARGS__))
#define FOR_EACH_NAME(MACRO, ...) NAMES_SCAN(NAMES_EACH(MACRO, __VA_ARGS__))

#define NAMES_WORD(name) std::uint32_t name;
#define NAMES_VISIT(name) visit(#name, name);
#define NAMES_COUNT(name) +1
#define NAMES_LOAD(name)                                             \
    std::uint32_t name() const {                                     \
        return get_arg_val<std::uint32_t>(first_arg + name##_place); \
    }
#define NAMES_READ_COMPILE_ARG(name) args.name = get_named_compile_time_arg_val(#name);
#define NAMES_READ_RUNTIME_ARG(name) args.name = get_arg_val<std::uint32_t>(index++);
#define NAMES_PLACE(name) name##_place,
#define NAMES_ACCESSOR(name)                                \
    static constexpr auto name() {                          \
        return tessera::ops::accessor_args<name##_place>(); \
    }
#define NAMES_ADDRESS(name)                                        \
    static std::uint32_t name##_address(std::uint32_t first = 0) { \
        return get_arg_val<std::uint32_t>(first + name##_place);   \
    }
#define NAMES_BUFFER(name) const tessera::Buffer* name = nullptr;

// Calls `visit(name, value)` for each name in order.
#define NAMES_FOR_EACH(...)                     \
    template <class Visit>                      \
    void for_each(Visit visit) const {          \
        FOR_EACH_NAME(NAMES_VISIT, __VA_ARGS__) \
    }

#ifdef KERNEL_BUILD

namespace tessera::ops {

/// Compile-time arguments of the accessor at `place` among a kernel's tensors. Accessors are the
/// only arguments without their own names; they are consecutive from index 0 on.
template <std::uint32_t place>
constexpr auto accessor_args() {
    if constexpr (place == 0) {
        return TensorAccessorArgs<0>();
    } else {
        return TensorAccessorArgs<accessor_args<place - 1>().next_compile_time_args_offset()>();
    }
}

}  // namespace tessera::ops

#define NAMED_COMPILE_ARGS(Struct, ...)                        \
    struct Struct {                                            \
        FOR_EACH_NAME(NAMES_WORD, __VA_ARGS__)                 \
        static Struct read() {                                 \
            Struct args;                                       \
            FOR_EACH_NAME(NAMES_READ_COMPILE_ARG, __VA_ARGS__) \
            return args;                                       \
        }                                                      \
    }
// `Each` loads an argument at each use: for constructors that alternate loads and calls, because a
// value that is used at once waits for its load.
#define NAMED_RUNTIME_ARGS(Struct, ...)                                                  \
    struct Struct {                                                                      \
        FOR_EACH_NAME(NAMES_WORD, __VA_ARGS__)                                           \
        static constexpr std::uint32_t kCount = FOR_EACH_NAME(NAMES_COUNT, __VA_ARGS__); \
        enum Place : std::uint32_t { FOR_EACH_NAME(NAMES_PLACE, __VA_ARGS__) };          \
        struct Each {                                                                    \
            std::uint32_t first_arg = 0;                                                 \
            FOR_EACH_NAME(NAMES_LOAD, __VA_ARGS__)                                       \
        };                                                                               \
        /* `first`: index of the struct's first word, behind those of other structs. */  \
        static Struct read(std::uint32_t first = 0) {                                    \
            Struct args;                                                                 \
            int index = static_cast<int>(first);                                         \
            FOR_EACH_NAME(NAMES_READ_RUNTIME_ARG, __VA_ARGS__)                           \
            return args;                                                                 \
        }                                                                                \
    }
#define NAMED_TENSORS(Struct, ...)                                              \
    struct Struct {                                                             \
        enum Place : std::uint32_t { FOR_EACH_NAME(NAMES_PLACE, __VA_ARGS__) }; \
        FOR_EACH_NAME(NAMES_ACCESSOR, __VA_ARGS__)                              \
        FOR_EACH_NAME(NAMES_ADDRESS, __VA_ARGS__)                               \
        NAMED_RUNTIME_ARGS(Addresses, __VA_ARGS__);                             \
    }

#else

#define NAMED_COMPILE_ARGS(Struct, ...)        \
    struct Struct {                            \
        FOR_EACH_NAME(NAMES_WORD, __VA_ARGS__) \
        NAMES_FOR_EACH(__VA_ARGS__)            \
    }
#define NAMED_RUNTIME_ARGS(Struct, ...) NAMED_COMPILE_ARGS(Struct, __VA_ARGS__)
#define NAMED_TENSORS(Struct, ...)               \
    struct Struct {                              \
        FOR_EACH_NAME(NAMES_BUFFER, __VA_ARGS__) \
        NAMES_FOR_EACH(__VA_ARGS__)              \
    }

#endif
