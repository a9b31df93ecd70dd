// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/workload_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "emu/base/fields/value.hpp"
#include "tessera/errors.hpp"

namespace tessera::report {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
std::string word(const T& value) {
    return config::Value<T>::show(value);
}

std::string tensor_text(const Shape& shape, DataFormat format) {
    return fmt::format("{} {}", to_string(shape), name_of(format));
}

std::string text_of(const MemoryConfig& memory) {
    if (!memory.is_sharded()) {
        return word(memory.memory);
    }
    const char* order = memory.orientation == ShardOrientation::COL_MAJOR ? " down columns" : "";
    return fmt::format("{} shards on {} × {} cores{}", word(memory.layout), memory.grid.columns,
                       memory.grid.rows, order);
}

std::string moe_text(const WorkloadSpec& layer) {
    return fmt::format("{} tokens × hidden {}, {} experts of {}, top {}", layer.tokens,
                       layer.hidden, layer.experts, layer.intermediate, layer.top_k);
}

std::string matmul_text(const MatmulWorkload& extents, const MatmulSpec& matmul) {
    return fmt::format("{} × {} {} by {} × {} {} to {}", extents.m, extents.k,
                       name_of(matmul.in0.format), extents.k, extents.n, name_of(matmul.in1.format),
                       name_of(matmul.out.format));
}

std::string eltwise_text(const EltwiseWorkload& tensors) {
    return fmt::format("{} of {} in {} to {} in {}", word(tensors.function),
                       tensor_text(tensors.shape, tensors.input_format), word(tensors.input_memory),
                       name_of(tensors.output_format), word(tensors.output_memory));
}

std::string moved_text(const std::string& tensor, const std::string& from, const std::string& to) {
    return fmt::format("{} from {} to {}", tensor, from, to);
}

Json memory_json(const MemoryConfig& memory) {
    return {{"memory", word(memory.memory)},
            {"layout", word(memory.layout)},
            {"grid", {{"columns", memory.grid.columns}, {"rows", memory.grid.rows}}},
            {"orientation", word(memory.orientation)}};
}

Json moe_json(const WorkloadSpec& layer) {
    return {{"tokens", layer.tokens},
            {"hidden", layer.hidden},
            {"intermediate", layer.intermediate},
            {"experts", layer.experts},
            {"top_k", layer.top_k}};
}

Json matmul_json(const MatmulWorkload& extents, const MatmulSpec& matmul) {
    return {{"pipeline", "matmul"},
            {"m", extents.m},
            {"k", extents.k},
            {"n", extents.n},
            {"in0", name_of(matmul.in0.format)},
            {"in1", name_of(matmul.in1.format)},
            {"out", name_of(matmul.out.format)}};
}

Json eltwise_json(const EltwiseWorkload& tensors) {
    return {{"pipeline", "eltwise"},
            {"function", word(tensors.function)},
            {"shape", tensors.shape},
            {"input_format", name_of(tensors.input_format)},
            {"output_format", name_of(tensors.output_format)},
            {"input_memory", word(tensors.input_memory)},
            {"output_memory", word(tensors.output_memory)}};
}

template <class Workload>
Json moved_json(const char* pipeline, const Workload& tensor, Json from, Json to) {
    return {{"pipeline", pipeline},
            {"shape", tensor.shape},
            {"format", name_of(tensor.format)},
            {"layout", word(tensor.layout)},
            {"from", std::move(from)},
            {"to", std::move(to)}};
}

}  // namespace

std::string workload_text(const RunSpec& run) {
    const WorkloadSpec& workload = run.workload;
    switch (workload.pipeline) {
        case Pipeline::MoeV2:
            return moe_text(workload);
        case Pipeline::Matmul:
            return matmul_text(workload.matmul, run.ops.matmul);
        case Pipeline::Eltwise:
            return eltwise_text(workload.eltwise);
        case Pipeline::Reshard:
            return moved_text(tensor_text(workload.reshard.shape, workload.reshard.format),
                              text_of(workload.reshard.from), text_of(workload.reshard.to));
        case Pipeline::Copy:
            return moved_text(tensor_text(workload.copy.shape, workload.copy.format),
                              word(workload.copy.from), word(workload.copy.to));
    }
    throw InternalError("workload_text: a pipeline without words (please report this)");
}

Json workload_json(const RunSpec& run) {
    const WorkloadSpec& workload = run.workload;
    switch (workload.pipeline) {
        case Pipeline::MoeV2:
            return moe_json(workload);
        case Pipeline::Matmul:
            return matmul_json(workload.matmul, run.ops.matmul);
        case Pipeline::Eltwise:
            return eltwise_json(workload.eltwise);
        case Pipeline::Reshard:
            return moved_json("reshard", workload.reshard, memory_json(workload.reshard.from),
                              memory_json(workload.reshard.to));
        case Pipeline::Copy:
            return moved_json("copy", workload.copy, word(workload.copy.from),
                              word(workload.copy.to));
    }
    throw InternalError("workload_json: a pipeline without words (please report this)");
}

}  // namespace tessera::report
