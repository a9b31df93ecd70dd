#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints a table of models × devices × tokens in Markdown: predicted cycles of one MoE layer, or the
# reason why it does not run. A row takes 10 s to 5 min of processor time.
#   bench/model_table.sh [--plan] [--tessera=BIN] [--meshes="1x1 1x8 4x8"] [--tokens="1 32 128 1024"] [MODEL…]
# --plan only plans each layer (shapes, rules of ops, DRAM): "plans" in place of cycles.
set -euo pipefail
tessera=tessera meshes="1x1 1x8 4x8" tokens="1 32 128 1024" options=(--timing-only --draws 2) models=()
for word; do
    case $word in
        --plan) options+=(--write-only) ;;
        --tessera=*) tessera=${word#*=} ;;
        --meshes=*) meshes=${word#*=} ;;
        --tokens=*) tokens=${word#*=} ;;
        -*) echo "$word: unknown; allowed: --plan, --tessera=BIN, --meshes=…, --tokens=…" >&2; exit 2 ;;
        *) models+=("$word") ;;
    esac
done
((${#models[@]})) || mapfile -t models < <("$tessera" list models | awk 'NR > 1 {print $1}')
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# cell MODEL MESH TOKENS: cycles, "plans", or the bytes of one device and the number of devices that
# hold the layer.
cell() {
    local text
    if text=$("$tessera" model "$1" --mesh "$2" --tokens "$3" "${options[@]}" --force \
        --out "$folder/run.yaml" 2>&1); then
        text=$(sed -n 's/^  makespan  \([0-9 ]*\) cycles.*/\1/p' <<<"$text")
        echo "${text:-plans}"
    elif [[ $text =~ take\ ([0-9.]+\ [KMGT]iB).*\(([0-9]+)\ B\),.*allowed:\ (.*) ]]; then
        echo "${BASH_REMATCH[2]} B; ${BASH_REMATCH[3]}"
    else
        tail -n 1 <<<"$text"
    fi
}

printf '| model | devices |'
for count in $tokens; do printf ' %s token%s |' "$count" "$([[ $count == 1 ]] || echo s)"; done
printf '\n|---|---|'
for count in $tokens; do printf -- '--:|'; done
echo
for model in "${models[@]}"; do
    for mesh in $meshes; do
        printf '| %s | %s |' "$model" "${mesh/x/ × }"
        for count in $tokens; do printf ' %s |' "$(cell "$model" "$mesh" "$count")"; done
        echo
    done
done
