// SPDX-License-Identifier: Apache-2.0
// Gate and up projection of Llama-3.3-70B's prefill on a Galaxy, by 2-D multicast: hidden 8192 over
// 4 devices, 28672 over 8. Rows name 8192 to 131072 tokens, but their figures are those of 4096
// tokens:
// - four other ops of the same files have the times of prefill_4096.json to the nanosecond (there
//   the projection took 866 us, before its program changed);
// - no test runs the files for 8192 and 131072 tokens.
// Source   tt-metal models/demos/llama3_subdevices/tests/perf_targets/prefill_4096.json;
//          models/demos/llama3_70b_galaxy/tests/test_prefill_device_perf.py; tt/llama_mlp.py,
//          forward_prefill (BFP4 weights, BFP8 out, all in DRAM, LoFi); tt/llama_decoder.py (BFP8
//          in prefill); tt/model_config.py, w1_w3_prg_config (blocks) and
//          compute_kernel_config_lofi. Later versions run minimal_matmul there, which is not the
//          rows' index Matmul_2.
#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/matmul/matmul.hpp"

namespace tessera::score {
namespace {

constexpr ops::matmul::MatmulShape kProjection{4096, 8192 / 4, 28672 / 8};

ops::MatmulSpec projection_spec() {
    return {.schedule = ops::MatmulSchedule::Multicast2D,
            .grid = {7, 7},
            .in0_block_w = 4,
            .per_core_m = 20,
            .per_core_n = 16,
            .out_block_h = 10,
            .out_block_w = 16,
            .out_subblock = {1, 8},
            .packer_l1_acc = true,
            .math_fidelity = MathFidelity::LoFi,
            .in0 = {.format = DataFormat::Bfp8_b},
            .in1 = {.format = DataFormat::Bfp4_b},
            .out = {.format = DataFormat::Bfp8_b}};
}

}  // namespace

Prediction predict_model_prefill_matmul(const Row& row, const Parameters& parameters,
                                        const Model& model) {
    const std::uint32_t stated = parameters.count_or("seq", kProjection.m);
    expressible(stated >= kProjection.m, "blocks of {} tokens are not known", stated);
    const ops::MatmulSpec spec = projection_spec();
    const auto layouts = ops::matmul::operand_layouts(model.arch, kProjection, spec);
    Bench bench(model);
    const auto allocate = [&](const char* name, const ops::TensorPlan& layout) {
        return bench.session().allocate(0, name, layout.spec, layout.memory);
    };
    const DeviceTensor in0 = allocate("in0", layouts.in0);
    const DeviceTensor in1 = allocate("in1", layouts.in1);
    const DeviceTensor out = allocate("out", layouts.out);
    const Replays replays =
        bench.run(ops::call_program(ops::matmul::op(), model.arch, &spec, {in0, in1}, {out}));
    return as_time(row, replays.kernel_span_cycles(), model);
}

}  // namespace tessera::score
