// SPDX-License-Identifier: Apache-2.0
#include "bench/openblas.hpp"

#include <dlfcn.h>
#include <hwy/targets.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace tessera::bench {
namespace {

constexpr int kRowMajor = 101;  // CBLAS_ORDER and CBLAS_TRANSPOSE of the CBLAS interface
constexpr int kNoTranspose = 111;

using Sgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                       float alpha, const float* a, int lda, const float* b, int ldb, float beta,
                       float* c, int ldc);
using SetNumThreads = void (*)(int);

struct OpenBlas {
    Sgemm sgemm = nullptr;
    SetNumThreads set_num_threads = nullptr;
};

void choose_kernels() {
    const auto targets = hwy::SupportedTargets();
    constexpr int kKeep = 0;  // what the user has set
    if ((targets & HWY_AVX3) != 0) {
        setenv("OPENBLAS_CORETYPE", "SkylakeX", kKeep);
    } else if ((targets & HWY_AVX2) != 0) {
        setenv("OPENBLAS_CORETYPE", "Haswell", kKeep);
    }
}

OpenBlas load() {
    choose_kernels();
    void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return {};
    }
    return {reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm")),
            reinterpret_cast<SetNumThreads>(dlsym(library, "openblas_set_num_threads"))};
}

const OpenBlas& open_blas() {
    static const OpenBlas loaded = load();
    return loaded;
}

}  // namespace

bool has_openblas() {
    return open_blas().sgemm != nullptr && open_blas().set_num_threads != nullptr;
}

Work sgemm(std::int32_t m, std::int32_t k, std::int32_t n, std::int32_t num_threads) {
    const auto matrix = [](std::int32_t rows, std::int32_t columns, float value) {
        return std::make_shared<std::vector<float>>(
            static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), value);
    };
    const auto a = matrix(m, k, 0.0078125F);
    const auto b = matrix(k, n, 0.0027F);
    const auto c = matrix(m, n, 0.0F);
    return {[=] {
                open_blas().set_num_threads(num_threads);
                open_blas().sgemm(kRowMajor, kNoTranspose, kNoTranspose, m, n, k, 1.0F, a->data(),
                                  k, b->data(), n, 0.0F, c->data(), n);
            },
            2.0 * m * k * n};
}

}  // namespace tessera::bench
