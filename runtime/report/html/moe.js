// SPDX-License-Identifier: Apache-2.0
// Mixture of experts: tokens against time.

function expertRow(expert, most) {
    const share = most > 0 ? expert.tokens / most : 0;
    return make("div", {class: "expert"},
        make("span", {}, `expert ${expert.expert}${numDevices() > 1 ? ` · d${expert.device}` : ""}`),
        make("span", {class: "track", "aria-hidden": "true"},
            make("span", {style: `width:${share * 100}%`})),
        make("span", {class: "n"}, count(expert.tokens)));
}

function spread(values) {
    const sum = values.reduce((a, b) => a + b, 0);
    const mean = sum / Math.max(values.length, 1);
    const most = Math.max(0, ...values);
    return {sum, mean, most, factor: mean > 0 ? most / mean : 1};
}

function drawExperts() {
    const experts = data.moe.experts.filter((e) => numDevices() === 1 ||
        e.device === selection.device);
    const all = spread(data.moe.experts.map((e) => e.tokens));
    const idle = data.moe.experts.filter((e) => e.tokens === 0).length;
    byId("experts").replaceChildren(
        make("p", {class: "hint"}, `${count(all.sum)} token slots over ` +
            `${data.moe.experts.length} experts: mean ${all.mean.toFixed(1)}, most ` +
            `${count(all.most)} (${all.factor.toFixed(2)} times the mean), ${idle} without tokens` +
            (numDevices() > 1 ? `; shown: device ${selection.device}` : "")),
        make("div", {class: "tall-list"},
            ...[...experts].sort((a, b) => b.tokens - a.tokens)
                .map((e) => expertRow(e, all.most))));
}

function moeLaunches() {
    return data.launches.filter((launch) => data.moe.launches.includes(launch.name));
}

function deviceTokens() {
    const tokens = new Array(numDevices()).fill(0);
    data.moe.experts.forEach((e) => { tokens[e.device] += e.tokens; });
    return tokens;
}

function drawMoeTable() {
    const devices = spread(deviceTokens());
    byId("moe-table").replaceChildren(
        make("p", {class: "hint"}, numDevices() > 1
            ? `Tokens by device: mean ${devices.mean.toFixed(1)}, most ${count(devices.most)}, ` +
              `${devices.factor.toFixed(2)} times the mean.` : ""),
        table("Steps of the experts", [
            {head: "Step", cell: (l) => l.name},
            {head: "Cycles", number: true, cell: (l) => cycles(l.device_time.expected)},
            {head: "Cores given", number: true, cell: (l) => count(l.work.cores_given)},
            {head: "Their math busy", number: true, cell: (l) => percent(l.given_utilisation)},
            {head: "Their FPU", number: true, cell: (l) => percent(l.achieved.fpu_share)},
            {head: "Longest / mean core", number: true, cell: (l) => l.imbalance.factor.toFixed(2)},
            {head: "Straggler", cell: (l) => coreName(l.imbalance.straggler)},
        ], moeLaunches()));
}

/// Returns a core's share of its device's tokens: by the tiles that it computed in the step, or by
/// the bytes that it wrote in a step without computation.
function drawMoeCores() {
    const computes = (launch) => launch.cores.some((core) => core.tiles_packed > 0);
    const chosen = moeLaunches().filter((launch) => view.launches.includes(launch));
    const launch = chosen.find(computes) || chosen[0] || moeLaunches().find(computes) ||
        moeLaunches()[0];
    if (!launch) {
        byId("moe-cores").replaceChildren();
        return;
    }
    const cores = launch.cores.filter((c) => c.device === selection.device);
    const [unit, work] = computes(launch) ? ["tiles packed", (c) => c.tiles_packed]
        : ["bytes written", (c) => c.bytes_written];
    const all = spread(cores.map(work));
    const tokens = deviceTokens()[selection.device];
    const {columns, rows} = data.machine.grid;
    const grid = make("div", {class: "core-grid", role: "img",
        "aria-label": `Tokens by core in ${launch.name}`,
        style: `grid-template-columns:repeat(${columns},minmax(30px,1fr))`});
    for (let at = 0; at < columns * rows; ++at) {
        const core = cores.find((c) => c.x === at % columns && c.y === Math.floor(at / columns));
        const own = core && all.sum > 0 ? (work(core) / all.sum) * tokens : 0;
        const share = core && all.most > 0 ? work(core) / all.most : 0;
        const cell = make("span", {style: `background:${heat(share)};color:${inkOn(share)};` +
            "text-align:center;padding:5px 0;font-size:11px;border-radius:3px"},
            core ? own.toFixed(1) : "·");
        withTip(cell, () => core ? `${coreName(core)}: ${count(work(core))} of ` +
            `${count(all.sum)} ${unit}, ends at ${cycles(core.finish)}` : "no kernel");
        grid.append(cell);
    }
    byId("moe-cores").replaceChildren(make("p", {class: "hint"},
        `${launch.name}, device ${selection.device}: its tokens, distributed by the ` +
        `${unit} of each core; most ${all.factor.toFixed(2)} times the mean.`), grid);
}

function drawMoe() {
    byId("moe").hidden = !data.moe;
    byId("nav-moe").hidden = !data.moe;
    if (data.moe) {
        drawExperts();
        drawMoeTable();
        drawMoeCores();
    }
}
