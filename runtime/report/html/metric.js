// SPDX-License-Identifier: Apache-2.0
// Metrics that colour the core grid. `of(core)` returns a number; shares are of the makespan.

function threadBusy(name) {
    return (core) => core.threads[name]
        ? classTime(core.threads[name].totals, "busy") / view.makespan : 0;
}

const waitMetrics = kActivities
    .map((activity, index) => ({activity, index}))
    .filter(({activity}) => activity.class === "wait")
    .map(({activity, index}) => ({
        key: activity.key, name: `Threads: ${activity.name}`, isShare: true,
        of: (core) => core.totals[index] / (view.makespan * Math.max(core.num_threads, 1)),
    }));

const kMetrics = [
    {key: "math", name: "Math utilisation", isShare: true,
        of: (core) => core.busy_math / view.makespan},
    {key: "fpu", name: "FPU utilisation, tile products at full rate", isShare: true,
        of: (core) => core.ideal_math / view.makespan},
    {key: "given", name: "Math utilisation while the core is active", isShare: true,
        of: (core) => (core.given > 0 ? core.busy_math / core.given : 0)},
    ...kThreads.map((name) => ({key: `busy_${name}`, name: `Busy: ${name}`, isShare: true,
        of: threadBusy(name)})),
    {key: "on_path", name: "On the critical path", isShare: true,
        of: (core) => core.on_path / view.makespan},
    ...waitMetrics,
    {key: "finish", name: "End of the last kernel, cycles", of: (core) => core.finish,
        show: cycles},
    {key: "tiles_packed", name: "Tiles packed", of: (core) => core.tiles_packed, show: count},
    {key: "tile_products", name: "Tile products", of: (core) => core.tile_products, show: count},
    {key: "bytes_read", name: "Bytes read", of: (core) => core.bytes_read, show: bytes},
    {key: "bytes_written", name: "Bytes written", of: (core) => core.bytes_written, show: bytes},
    {key: "l1_bytes", name: "L1 taken", of: (core) => core.l1_bytes, show: bytes},
];

function chosenMetric() {
    return kMetrics.find((metric) => metric.key === selection.metric);
}

function showMetric(metric, value) {
    return metric.isShare ? percent(value) : metric.show(value);
}

/// Returns the value at full heat: the largest over all devices, rounded up for shares.
function metricTop(metric) {
    const most = Math.max(0, ...[...view.cores.values()].map(metric.of));
    if (metric.isShare) {
        return [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((top) => most <= top) || 1;
    }
    return Math.max(1, most);
}
