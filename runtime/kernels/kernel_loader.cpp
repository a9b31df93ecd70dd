// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/kernel_loader.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <memory>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

std::string demangled(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 ? name.get() : symbol;
}

[[noreturn]] void refuse(const std::string& path, const std::string& message) {
    const std::string marker = "undefined symbol: ";
    const std::size_t place = message.find(marker);
    ensure(place != std::string::npos, "kernel {} does not load: {}", path, message);
    throw UsageError(
        fmt::format("kernel {} uses {}, which is declared but which this program does not define",
                    path, demangled(message.substr(place + marker.size()))));
}

}  // namespace

CompiledKernel load_kernel(const std::filesystem::path& shared_object, const std::string& path) {
    void* library = dlopen(shared_object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        refuse(path, dlerror());
    }
    const void* kernel = dlsym(library, "tessera_kernel");
    ensure(kernel != nullptr, "{} holds no kernel", shared_object.string());
    return *static_cast<const CompiledKernel*>(kernel);
}

}  // namespace tessera
