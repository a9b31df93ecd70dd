// SPDX-License-Identifier: Apache-2.0
// Compile-time arguments of a kernel's TensorAccessor.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tensor_accessor {

/// Parts of the arguments that the vendor can pass at run time. Here all are compile-time
/// arguments, which kernels read by the same calls.
enum class ArgConfig : std::uint8_t {
    None = 0,
    Sharded = 1,
    IsDram = 2,
    RuntimeNumBanks = 4,
    RuntimeTensorShape = 8,
    RuntimeShardShape = 16,
    RuntimeBankCoords = 32,
    Runtime = 60
};
using ArgsConfig = ArgConfig;

}  // namespace tensor_accessor

namespace tt::tt_metal {

class Buffer;
namespace distributed {
class MeshBuffer;
}

/// Words that a kernel's `TensorAccessorArgs<OFFSET>` reads.
class TensorAccessorArgs {
public:
    TensorAccessorArgs() = default;
    explicit TensorAccessorArgs(const Buffer& buffer,
                                tensor_accessor::ArgsConfig = tensor_accessor::ArgConfig::None);
    explicit TensorAccessorArgs(const Buffer* buffer,
                                tensor_accessor::ArgsConfig = tensor_accessor::ArgConfig::None);
    explicit TensorAccessorArgs(const std::shared_ptr<Buffer>& buffer,
                                tensor_accessor::ArgsConfig = tensor_accessor::ArgConfig::None);
    explicit TensorAccessorArgs(const distributed::MeshBuffer& buffer,
                                tensor_accessor::ArgsConfig = tensor_accessor::ArgConfig::None);
    explicit TensorAccessorArgs(const distributed::MeshBuffer* buffer,
                                tensor_accessor::ArgsConfig = tensor_accessor::ArgConfig::None);
    explicit TensorAccessorArgs(const std::shared_ptr<distributed::MeshBuffer>& buffer,
                                tensor_accessor::ArgsConfig = tensor_accessor::ArgConfig::None);

    void append_to(std::vector<std::uint32_t>& compile_time_args) const;
    void append_to(std::vector<std::uint32_t>& compile_time_args,
                   std::vector<std::uint32_t>& /*common_runtime_args*/) const {
        append_to(compile_time_args);
    }
    [[nodiscard]] std::vector<std::uint32_t> get_compile_time_args() const { return words_; }
    [[nodiscard]] std::vector<std::uint32_t> get_common_runtime_args() const { return {}; }

private:
    std::vector<std::uint32_t> words_;
};

}  // namespace tt::tt_metal
