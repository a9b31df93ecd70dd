#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Usage: away_from_its_tree.sh SOURCE BUILD LIBDIR CXX [SANITIZER]
# Exit code 77 where this host gives no private mount namespace, without which nothing can be hidden.
set -euo pipefail

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

# expect WHAT WANTED GOT
expect() {
    [[ $2 == "$3" ]] || fail "$1: expected '$2', got '$3'"
    echo "ok: $1"
}

install_and_move() {
    cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log" ||
        fail "$(<"$scratch/install.log")"
    mv "$scratch/first" "$prefix"
    cp -r "$source/tests/architecture/package_consumer/project" "$scratch/consumer"
    cp -r "$prefix"/share/tessera/examples/. "$scratch"
    printf 'extends: wormhole_n150\nname: mine\n' >"$scratch/mine.yaml"
    write_documented_program
}

build_with_cmake() {
    local name=$1
    cmake -G Ninja -S "$scratch/$name" -B "$scratch/$name/build" -D CMAKE_BUILD_TYPE=Release \
        -D CMAKE_CXX_COMPILER="$cxx" -D CMAKE_PREFIX_PATH="$prefix" >"$scratch/$name.log" 2>&1 &&
        cmake --build "$scratch/$name/build" >>"$scratch/$name.log" 2>&1 ||
        fail "$name does not build with find_package: $(tail -n 40 "$scratch/$name.log")"
    # Where a program lies does not matter, nor what lies beside it, such as this plugin, which no
    # compiler could load.
    mkdir -p "$scratch/elsewhere/bin" "$scratch/elsewhere/$libdir/tessera"
    echo planted >"$scratch/elsewhere/$libdir/tessera/tessera_kernel_pass.so"
    mv "$scratch/$name/build/$name" "$scratch/elsewhere/bin/$name"
}

# build_with_pkg_config SOURCE PROGRAM
build_with_pkg_config() {
    local flags
    export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
    flags=$(pkg-config --cflags --libs tessera) || fail "pkg-config does not find tessera"
    # shellcheck disable=SC2086 # the flags are words
    "$cxx" -std=c++20 -O1 ${sanitizer:+-fsanitize=$sanitizer} "$1" -o "$2" $flags \
        >"$scratch/pkg_config.log" 2>&1 ||
        fail "does not build with pkg-config: $(tail -n 40 "$scratch/pkg_config.log")"
}

# The makespan that the command line predicts for the trace that the consumer saved: the first of
# report.json.
retimed() {
    "$prefix/bin/tessera" retime "$scratch/trace" --json "$@" |
        grep -o '"makespan":{[^}]*}' | sed -nE '1s/.*"expected":([0-9]+).*/\1/p'
}

# The program of docs/library.md: each block of C++ begins with the name of its file.
write_documented_program() {
    mkdir -p "$scratch/double/kernels"
    awk -v folder="$scratch/double/" '
        /^```/ { file = "" }
        begins && /^\/\/ / { file = folder $2 }
        { begins = /^```cpp$/ }
        file != "" { print > file }' "$source/docs/library.md"
}

check_consumer() {
    local program=$1 device=$2 output
    output=$("$program" "$device" "$scratch/trace" "$scratch/report") || fail "$program: $output"
    expect "values of its own kernel" "values 1000 1001 1002 1003 1004 1005 1006 1007" \
        "$(grep ^values <<<"$output")"
    expect "its time is the command line's" "time $(retimed --arch "$device")" "$(grep ^time <<<"$output")"
    expect "with a constant replaced too" "slower $(retimed --arch "$device" --set noc.hop='90 cycles')" \
        "$(grep ^slower <<<"$output")"
    [[ -s $scratch/report/report.html ]] || fail "no report.html"
    rm -r "$scratch/report" "$scratch/trace"
}

hidden_part() {
    mount -t tmpfs none "$source"
    [[ ! -e $build ]] || mount -t tmpfs none "$build"  # a build tree outside of the source tree
    [[ ! -e $source/CMakeLists.txt && ! -e $build/build.ninja ]] || fail "the tree is not hidden"
    export TESSERA_CACHE_DIR=$scratch/cache
    cd "$scratch"
    build_with_cmake consumer
    check_consumer "$scratch/elsewhere/bin/consumer" wormhole_n150
    check_consumer "$scratch/elsewhere/bin/consumer" "$scratch/mine.yaml"
    build_with_pkg_config "$scratch/consumer/consumer.cpp" "$scratch/with_pkg_config"
    check_consumer "$scratch/with_pkg_config" wormhole_n150
    build_with_pkg_config "$scratch/double/double.cpp" "$scratch/double/double"
    expect "the program of docs/library.md" PASS "$(cd "$scratch/double" && ./double | head -n 1)"
    build_with_cmake ksplit_matmul
    expect "examples/ksplit_matmul" "PASS PASS PASS" \
        "$("$scratch/elsewhere/bin/ksplit_matmul" | grep -o 'PASS\|FAIL' | xargs)"
    build_with_cmake vector_add
    expect "examples/vector_add, whose CMakeLists.txt names TT::Metalium" \
        "PASS: 0 of 655360 sums are wrong" \
        "$("$prefix/bin/tessera" exec --trace "$scratch/trace" "$scratch/elsewhere/bin/vector_add")"
    [[ -n $(retimed --arch wormhole_n150) ]] || fail "the trace of vector_add has no time"
    "$prefix/bin/tessera" run matmul_640 --quiet >"$scratch/run.log" 2>&1 ||
        fail "tessera run: $(<"$scratch/run.log")"

    # Programs and ops of one's own, from the command line.
    (mkdir "$scratch/new" && cd "$scratch/new" && "$prefix/bin/tessera" new op my_op >/dev/null)
    for run in bias_gelu/bias_gelu own_bmm_in_moe_v2/own_bmm_in_moe_v2 new/my_op; do
        "$prefix/bin/tessera" run "$scratch/$run.yaml" --quiet >"$scratch/run.log" 2>&1 ||
            fail "tessera run $run: $(<"$scratch/run.log")"
        expect "$run" PASS "$(head -c 4 "$scratch/run.log")"
    done

    # Moved once more, a program that is built already needs TESSERA_HOME.
    mv "$prefix" "$scratch/third"
    rm -r "$scratch/cache"
    expect "TESSERA_HOME" "values 1000 1001 1002 1003 1004 1005 1006 1007" \
        "$(TESSERA_HOME=$scratch/third "$scratch/elsewhere/bin/consumer" wormhole_n150 \
            "$scratch/trace" "$scratch/report" | grep ^values)"
    "$scratch/third/bin/tessera" list archs >"$scratch/list.log" || fail "$(<"$scratch/list.log")"
}

if [[ ${1-} == --hidden ]]; then
    hide=1
    shift
fi
source=$1 build=$2 libdir=$3 cxx=$4 sanitizer=${5-}
if [[ -n ${hide-} ]]; then
    scratch=$TESSERA_PACKAGE_SCRATCH prefix=$TESSERA_PACKAGE_SCRATCH/moved
    hidden_part
    exit
fi

namespace=(unshare --mount)
[[ $(id -u) == 0 ]] || namespace=(unshare --user --map-root-user --mount)
"${namespace[@]}" true 2>/dev/null || exit 77
scratch=$(mktemp -d /tmp/tessera-package-XXXXXX) prefix=$scratch/moved
trap 'rm -rf "$scratch"' EXIT
install_and_move
cp "$0" "$scratch/script.sh"
cd "$scratch"
TESSERA_PACKAGE_SCRATCH=$scratch "${namespace[@]}" bash "$scratch/script.sh" --hidden "$@"
