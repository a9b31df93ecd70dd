#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints predicted cycles of a model's MoE layer with three dispatches that pf: auto chooses from for
# bfloat16, to check ops/fused_moe/dispatch_estimate.cpp. A row takes 1 to 30 s.
#   bench/dispatch_rule.sh [--tessera=BIN] MODEL ROWSxCOLUMNS TOKENS…
set -euo pipefail
tessera=tessera
[[ ${1-} == --tessera=* ]] && tessera=${1#*=} && shift
(($# >= 3)) || { echo "usage: bench/dispatch_rule.sh [--tessera=BIN] MODEL ROWSxCOLUMNS TOKENS…" >&2; exit 2; }
model=$1 mesh=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# cycles TOKENS DISPATCH EXPERTS
cycles() {
    "$tessera" model "$model" --mesh "$mesh" --tokens "$1" --timing-only --draws 2 --force \
        --out "$folder/run.yaml" --set params.quantisation=none --set params.pf="$2" \
        --set params.experts_by="$3" | sed -n 's/^  makespan  \([0-9 ]*\) cycles.*/\1/p'
}

printf '| model | devices | tokens | all-to-all | all-to-all, batches | all-gather |\n|---|---|--:|--:|--:|--:|\n'
for tokens; do
    printf '| %s | %s | %s | %s | %s | %s |\n' "$model" "${mesh/x/ × }" "$tokens" \
        "$(cycles "$tokens" all_to_all_contiguous grouped_permuted)" \
        "$(cycles "$tokens" all_to_all_batched batched_by_shape)" \
        "$(cycles "$tokens" all_gather_reduce_scatter grouped)"
done
