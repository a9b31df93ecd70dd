// SPDX-License-Identifier: Apache-2.0
#include "tt-metalium/tensor_accessor_args.hpp"

#include "runtime/metalium/buffer_state.hpp"
#include "tessera/buffer.hpp"
#include "tt-metalium/mesh_buffer.hpp"

namespace tt::tt_metal {

TensorAccessorArgs::TensorAccessorArgs(const Buffer& buffer, tensor_accessor::ArgsConfig /*part*/) {
    tessera::TensorAccessorArgs(buffer.state().tensors.front().buffer).append_to(words_);
}
TensorAccessorArgs::TensorAccessorArgs(const Buffer* buffer, tensor_accessor::ArgsConfig part) {
    // Kernels with optional tensors read the arguments of an absent one as those of DRAM.
    if (buffer == nullptr) {
        words_ = {static_cast<std::uint32_t>(tensor_accessor::ArgConfig::IsDram), 0};
        return;
    }
    *this = TensorAccessorArgs(*buffer, part);
}
TensorAccessorArgs::TensorAccessorArgs(const std::shared_ptr<Buffer>& buffer,
                                       tensor_accessor::ArgsConfig part)
    : TensorAccessorArgs(buffer.get(), part) {
}
TensorAccessorArgs::TensorAccessorArgs(const distributed::MeshBuffer& buffer,
                                       tensor_accessor::ArgsConfig part)
    : TensorAccessorArgs(*buffer.get_reference_buffer(), part) {
}
TensorAccessorArgs::TensorAccessorArgs(const distributed::MeshBuffer* buffer,
                                       tensor_accessor::ArgsConfig part)
    : TensorAccessorArgs(*buffer, part) {
}
TensorAccessorArgs::TensorAccessorArgs(const std::shared_ptr<distributed::MeshBuffer>& buffer,
                                       tensor_accessor::ArgsConfig part)
    : TensorAccessorArgs(*buffer, part) {
}

void TensorAccessorArgs::append_to(std::vector<std::uint32_t>& compile_time_args) const {
    compile_time_args.insert(compile_time_args.end(), words_.begin(), words_.end());
}

}  // namespace tt::tt_metal
