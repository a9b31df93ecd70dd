// SPDX-License-Identifier: Apache-2.0
// Formats numbers for the page. Times are given in millicycles.

function grouped(value) {
    return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function cycles(millicycles) {
    return grouped(millicycles / 1000);
}

function threeDigits(value) {
    return value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : value.toFixed(0);
}

function prefixed(value, step, units) {
    let i = 0;
    for (; i + 1 < units.length && value >= step * 0.9995; ++i) {
        value /= step;
    }
    return `${threeDigits(value)}\u00a0${units[i]}`;
}

function seconds(millicycles) {
    const nanoseconds = (millicycles / 1000 / data.machine.clock_hz) * 1e9;
    return prefixed(nanoseconds, 1000, ["ns", "µs", "ms", "s"]);
}

function bytes(value) {
    return value < 1024 ? `${Math.round(value)}\u00a0B`
                        : prefixed(value / 1024, 1024, ["KiB", "MiB", "GiB", "TiB"]);
}

function rate(perCycle, unit) {
    const perSecond = perCycle * data.machine.clock_hz;
    return prefixed(perSecond, 1000, ["", "k", "M", "G", "T", "P"]) + unit;
}

function percent(share) {
    if (!Number.isFinite(share)) {
        return "–";
    }
    const value = share * 100;
    return value > 0 && value < 0.05 ? "<0.1\u00a0%" : `${value.toFixed(1)}\u00a0%`;
}

function count(value) {
    return grouped(value);
}
