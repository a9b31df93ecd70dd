// SPDX-License-Identifier: Apache-2.0
// One run, as frozen from configs/runs/*.yaml: mesh, workload and the schedule of each op.
// Defaults stand in the tables of runtime/config, not here.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/arch_spec.hpp"
#include "tessera/data_format.hpp"
#include "tessera/eltwise_spec.hpp"
#include "tessera/matmul_spec.hpp"
#include "tessera/memory_config.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/noc_delivery.hpp"
#include "tessera/reshard_spec.hpp"
#include "tessera/subblock.hpp"
#include "tessera/tensor.hpp"

namespace tessera {

/// What a run does: the ops of one MoE layer, or one op on tensors drawn from the seed. The latter
/// runs on every device of the mesh, each with tensors of its own, in one launch.
enum class Pipeline : std::uint8_t { MoeV2, Matmul, Eltwise, Reshard, Copy };

/// Which experts the tokens of a generated workload select.
/// Uniform: any `top_k` with equal chance. Zipf: expert r with weight 1/(r+1)^exponent, r being a
/// rank drawn from the seed. OneExpert: every token selects expert 0, further choices are uniform.
/// HotAndEmpty: a few experts take most tokens, some take none.
enum class RoutingKind : std::uint8_t { Uniform, Zipf, OneExpert, HotAndEmpty };
/// How a token's weights follow from its scores.
enum class RoutingWeights : std::uint8_t { Softmax, Sigmoid };
/// Which experts a device holds: d·E/D…, every D-th, or a permutation drawn from the seed.
enum class ExpertMapping : std::uint8_t { Contiguous, RoundRobin, Permuted };

struct RoutingSpec {
    RoutingKind kind = RoutingKind::Uniform;
    double zipf_exponent = 0;
    RoutingWeights weights = RoutingWeights::Softmax;
};

/// C = A·B of an m × k and a k × n matrix; formats and placements are the schedule's.
struct MatmulWorkload {
    std::uint32_t m = 0;
    std::uint32_t k = 0;
    std::uint32_t n = 0;
};

struct EltwiseWorkload {
    EltwiseFunction function = EltwiseFunction::Add;
    Shape shape;
    DataFormat input_format = DataFormat::Float16_b;
    DataFormat output_format = DataFormat::Float16_b;
    BufferType input_memory = BufferType::DRAM;
    BufferType output_memory = BufferType::DRAM;
};

struct ReshardWorkload {
    Shape shape;
    DataFormat format = DataFormat::Float16_b;
    Layout layout = Layout::TILE;
    MemoryConfig from;
    MemoryConfig to;
};

struct CopyWorkload {
    Shape shape;
    DataFormat format = DataFormat::Float16_b;
    Layout layout = Layout::TILE;
    BufferType from = BufferType::DRAM;
    BufferType to = BufferType::DRAM;
};

/// Shapes and contents of a workload: those of a generated MoE layer, or of the one op to run.
struct WorkloadSpec {
    Pipeline pipeline = Pipeline::MoeV2;
    MatmulWorkload matmul;
    EltwiseWorkload eltwise;
    ReshardWorkload reshard;
    CopyWorkload copy;
    std::uint32_t tokens = 0;        ///< T
    std::uint32_t hidden = 0;        ///< H
    std::uint32_t intermediate = 0;  ///< H'
    std::uint32_t experts = 0;       ///< E, over all devices
    std::uint32_t top_k = 0;         ///< K, experts a token
    RoutingSpec routing;
    ExpertMapping device_expert_mapping = ExpertMapping::Contiguous;
    std::uint64_t seed = 0;
};

enum class BmmSchedule : std::uint8_t { SingleCore, MultiCore };
enum class TileDistribution : std::uint8_t { Block, RoundRobin };

struct MoeBmmSpec {
    BmmSchedule schedule = BmmSchedule::MultiCore;
    TileDistribution distribution = TileDistribution::Block;
    GridSize grid;              ///< cores to spread over; 0×0: all the device offers
    std::uint32_t k_block = 0;  ///< K tiles of one CB push
    Subblock subblock;
    std::uint32_t cb_depth = 0;  ///< blocks each input CB holds
    bool fp32_dest_acc = true;
    MathFidelity math_fidelity = MathFidelity::HiFi4;
};

enum class ActivationSchedule : std::uint8_t { Separate, Fused };

struct ActivationSpec {
    ActivationSchedule schedule = ActivationSchedule::Separate;
    GridSize grid;
    std::uint32_t cb_depth = 0;  ///< tiles each CB holds
    bool fp32_dest_acc = true;
};

/// How local_reduce holds the running sum of a token.
enum class ReduceAccumulator : std::uint8_t { Fp32, Bf16Rne, Bf16Truncate };

struct LocalReduceSpec {
    ReduceAccumulator accumulator = ReduceAccumulator::Fp32;
    GridSize grid;
    std::uint32_t cb_depth = 0;  ///< token rows each CB holds
};

enum class AllReduceAlgorithm : std::uint8_t { Ring };
/// Format in which partial sums travel over the links.
enum class PartialSums : std::uint8_t { Fp32, Bf16 };

struct AllReduceSpec {
    AllReduceAlgorithm algorithm = AllReduceAlgorithm::Ring;
    PartialSums partial_sums = PartialSums::Fp32;
    std::uint32_t cb_depth = 0;  ///< pages each CB holds
};

/// Ops that move data only: copy, scatter_moe_input and to_layout.
struct CopySpec {
    GridSize grid;
    std::uint32_t cb_depth = 0;  ///< pages (rows, tiles or tile blocks) each CB holds
};

/// The schedule of each op.
struct OpsSpec {
    CopySpec scatter;
    CopySpec to_layout;
    MoeBmmSpec moe_bmm;
    ActivationSpec activation;
    LocalReduceSpec local_reduce;
    AllReduceSpec all_reduce;
    MatmulSpec matmul;
    EltwiseSpec eltwise;
    ReshardSpec reshard;
    CopySpec copy;
};

struct MachineSpec {
    NocDelivery noc_delivery = NocDelivery::AtBarrier;
    std::uint64_t delivery_seed = 0;  ///< of NocDelivery::Random
};

struct HostSpec {
    std::uint32_t threads = 0;  ///< workers of the host; 0: one for each host core
};

enum class VerifyLevel : std::uint8_t { EveryStep, FinalOnly, Off };

/// What a run's results must meet; the error's denominator is max(|reference|, rms).
struct VerifySpec {
    VerifyLevel level = VerifyLevel::EveryStep;
    double min_pcc = 0;
    double max_relative_error = 0;
};

struct RunSpec {
    std::string name;  ///< stem of the file
    MeshSpec mesh;
    WorkloadSpec workload;
    OpsSpec ops;
    MachineSpec machine;
    HostSpec host;
    VerifySpec verify;
};

}  // namespace tessera
