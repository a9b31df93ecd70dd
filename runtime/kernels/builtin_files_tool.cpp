// SPDX-License-Identifier: Apache-2.0
// Usage: tessera_builtin_files OUT FILE …
// Writes a row {"FILE", "hash"} for each file, in the order given: the rows of builtin_files().
// Files are named relative to the working directory.
#include <cstdio>
#include <fstream>

#include "runtime/kernels/content_hash.hpp"

int main(int argc, char** argv) {
    std::ofstream out(argv[1]);
    for (int i = 2; i < argc; ++i) {
        const auto hash = tessera::file_hash(argv[i]);
        if (!hash) {
            std::fprintf(stderr, "%s cannot be read\n", argv[i]);
            return 1;
        }
        out << "{\"" << argv[i] << "\", \"" << *hash << "\"},\n";
    }
    return out.flush() ? 0 : 1;
}
