// SPDX-License-Identifier: Apache-2.0
// Functions of DST tiles that hold integers as 32-bit patterns; results wrap, UInt16 at 16 bits.
// They keep no constants in the vector unit, so their inits only mark the place.
#pragma once

#include "tessera/kernel/compute/sfpu.hpp"

namespace ckernel {

template <DataFormat data_format = DataFormat::Int32>
void add_int_tile_init(CallSite /*site*/ = CallSite::here()) {
}
template <DataFormat data_format = DataFormat::Int32, bool sign_magnitude = false>
void add_int_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                  CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_integer(tessera::kernel::SfpuInteger::Add, data_format, idst0, idst1,
                                  odst, "add_int_tile", site);
}
inline void add_int32_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                           CallSite site = CallSite::here()) {
    add_int_tile<DataFormat::Int32>(idst0, idst1, odst, site);
}
inline void add_int32_tile(std::uint32_t idst0, std::uint32_t idst1,
                           CallSite site = CallSite::here()) {
    add_int_tile<DataFormat::Int32>(idst0, idst1, idst0, site);
}
inline void add_uint32_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                            CallSite site = CallSite::here()) {
    add_int_tile<DataFormat::UInt32>(idst0, idst1, odst, site);
}
inline void add_uint32_tile(std::uint32_t idst0, std::uint32_t idst1,
                            CallSite site = CallSite::here()) {
    add_int_tile<DataFormat::UInt32>(idst0, idst1, idst0, site);
}
inline void add_uint16_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                            CallSite site = CallSite::here()) {
    add_int_tile<DataFormat::UInt16>(idst0, idst1, odst, site);
}
inline void add_uint16_tile(std::uint32_t idst0, std::uint32_t idst1,
                            CallSite site = CallSite::here()) {
    add_int_tile<DataFormat::UInt16>(idst0, idst1, idst0, site);
}
inline void add_int32_tile_init() {
}
inline void add_uint32_tile_init() {
}
inline void add_uint16_tile_init() {
}

template <DataFormat data_format = DataFormat::Int32>
void sub_int_tile_init(CallSite /*site*/ = CallSite::here()) {
}
template <DataFormat data_format = DataFormat::Int32, bool sign_magnitude = false>
void sub_int_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                  CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_integer(tessera::kernel::SfpuInteger::Sub, data_format, idst0, idst1,
                                  odst, "sub_int_tile", site);
}
inline void sub_int32_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                           CallSite site = CallSite::here()) {
    sub_int_tile<DataFormat::Int32>(idst0, idst1, odst, site);
}
inline void sub_int32_tile(std::uint32_t idst0, std::uint32_t idst1,
                           CallSite site = CallSite::here()) {
    sub_int_tile<DataFormat::Int32>(idst0, idst1, idst0, site);
}
inline void sub_uint32_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                            CallSite site = CallSite::here()) {
    sub_int_tile<DataFormat::UInt32>(idst0, idst1, odst, site);
}
inline void sub_uint32_tile(std::uint32_t idst0, std::uint32_t idst1,
                            CallSite site = CallSite::here()) {
    sub_int_tile<DataFormat::UInt32>(idst0, idst1, idst0, site);
}
inline void sub_uint16_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                            CallSite site = CallSite::here()) {
    sub_int_tile<DataFormat::UInt16>(idst0, idst1, odst, site);
}
inline void sub_uint16_tile(std::uint32_t idst0, std::uint32_t idst1,
                            CallSite site = CallSite::here()) {
    sub_int_tile<DataFormat::UInt16>(idst0, idst1, idst0, site);
}
inline void sub_int32_tile_init() {
}
inline void sub_uint32_tile_init() {
}
inline void sub_uint16_tile_init() {
}

template <DataFormat data_format = DataFormat::Int32>
void mul_int_tile_init(CallSite /*site*/ = CallSite::here()) {
}
template <DataFormat data_format = DataFormat::Int32, bool sign_magnitude = false>
void mul_int_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                  CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_integer(tessera::kernel::SfpuInteger::Mul, data_format, idst0, idst1,
                                  odst, "mul_int_tile", site);
}
inline void mul_int32_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                           CallSite site = CallSite::here()) {
    mul_int_tile<DataFormat::Int32>(idst0, idst1, odst, site);
}
inline void mul_int32_tile(std::uint32_t idst0, std::uint32_t idst1,
                           CallSite site = CallSite::here()) {
    mul_int_tile<DataFormat::Int32>(idst0, idst1, idst0, site);
}
inline void mul_uint32_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                            CallSite site = CallSite::here()) {
    mul_int_tile<DataFormat::UInt32>(idst0, idst1, odst, site);
}
inline void mul_uint32_tile(std::uint32_t idst0, std::uint32_t idst1,
                            CallSite site = CallSite::here()) {
    mul_int_tile<DataFormat::UInt32>(idst0, idst1, idst0, site);
}
inline void mul_uint16_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                            CallSite site = CallSite::here()) {
    mul_int_tile<DataFormat::UInt16>(idst0, idst1, odst, site);
}
inline void mul_uint16_tile(std::uint32_t idst0, std::uint32_t idst1,
                            CallSite site = CallSite::here()) {
    mul_int_tile<DataFormat::UInt16>(idst0, idst1, idst0, site);
}
inline void mul_int32_tile_init() {
}
inline void mul_uint32_tile_init() {
}
inline void mul_uint16_tile_init() {
}

inline void binary_bitwise_tile_init() {
}
inline void binary_shift_tile_init() {
}
template <DataFormat data_format = DataFormat::Int32>
void bitwise_and_binary_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                             CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_integer(tessera::kernel::SfpuInteger::And, data_format, idst0, idst1,
                                  odst, "bitwise_and_binary_tile", site);
}
template <DataFormat data_format = DataFormat::Int32>
void bitwise_or_binary_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                            CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_integer(tessera::kernel::SfpuInteger::Or, data_format, idst0, idst1, odst,
                                  "bitwise_or_binary_tile", site);
}
template <DataFormat data_format = DataFormat::Int32>
void bitwise_xor_binary_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                             CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_integer(tessera::kernel::SfpuInteger::Xor, data_format, idst0, idst1,
                                  odst, "bitwise_xor_binary_tile", site);
}
template <DataFormat data_format = DataFormat::Int32>
void binary_left_shift_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                            CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_integer(tessera::kernel::SfpuInteger::ShiftLeft, data_format, idst0,
                                  idst1, odst, "binary_left_shift_tile", site);
}
template <DataFormat data_format = DataFormat::Int32>
void binary_logical_right_shift_tile(std::uint32_t idst0, std::uint32_t idst1, std::uint32_t odst,
                                     CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_integer(tessera::kernel::SfpuInteger::ShiftRight, data_format, idst0,
                                  idst1, odst, "binary_logical_right_shift_tile", site);
}

// With an integer scalar.
inline void bitwise_and_tile_init() {
}
inline void bitwise_and_tile(std::uint32_t idst, std::uint32_t param0,
                             CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_integer_scalar(tessera::kernel::SfpuInteger::And, idst, param0,
                                         "bitwise_and_tile", site);
}
inline void bitwise_or_tile_init() {
}
inline void bitwise_or_tile(std::uint32_t idst, std::uint32_t param0,
                            CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_integer_scalar(tessera::kernel::SfpuInteger::Or, idst, param0,
                                         "bitwise_or_tile", site);
}
inline void bitwise_xor_tile_init() {
}
inline void bitwise_xor_tile(std::uint32_t idst, std::uint32_t param0,
                             CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_integer_scalar(tessera::kernel::SfpuInteger::Xor, idst, param0,
                                         "bitwise_xor_tile", site);
}
inline void left_shift_tile_init() {
}
inline void left_shift_tile(std::uint32_t idst, std::uint32_t param0,
                            CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_integer_scalar(tessera::kernel::SfpuInteger::ShiftLeft, idst, param0,
                                         "left_shift_tile", site);
}
inline void add_unary_tile_int32(std::uint32_t idst, std::uint32_t param1,
                                 CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_integer_scalar(tessera::kernel::SfpuInteger::Add, idst, param1,
                                         "add_unary_tile_int32", site);
}
inline void sub_unary_tile_int32(std::uint32_t idst, std::uint32_t param1,
                                 CallSite site = CallSite::here()) {
    tessera::kernel::sfpu_integer_scalar(tessera::kernel::SfpuInteger::Sub, idst, param1,
                                         "sub_unary_tile_int32", site);
}

inline void bitwise_not_tile_init() {
}
/// Inverts every bit.
void bitwise_not_tile(std::uint32_t idst, CallSite site = CallSite::here());
/// Every element becomes the integer.
void fill_tile_int(std::uint32_t idst, std::uint32_t param0, CallSite site = CallSite::here());

}  // namespace ckernel
