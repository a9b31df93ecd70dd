// SPDX-License-Identifier: Apache-2.0
// Use of a core's L1: the reserved part, CBs, sharded buffers and free space.

const kL1Colours = {reserved: "#8a93a3", cbs: "#1f6fd6", buffers: "#2a9d8f", free: "idle"};

/// Returns the core's launch with the most used L1.
function l1Of(device, x, y) {
    let best = null;
    for (const launch of view.launches) {
        const core = launch.cores.find((c) => c.device === device && c.x === x && c.y === y);
        if (core && (!best || core.l1_bytes > best.core.l1_bytes)) {
            best = {launch, core};
        }
    }
    return best;
}

function l1Parts(core) {
    const {l1_bytes: size, l1_reserved_bytes: reserved} = data.machine;
    const cbs = core.cbs.reduce((sum, cb) => sum + cb.pages * cb.page_bytes, 0);
    const buffers = Math.max(0, core.l1_bytes - cbs);
    return {reserved, cbs: Math.min(cbs, core.l1_bytes), buffers,
        free: Math.max(0, size - reserved - core.l1_bytes)};
}

const kL1Names = {reserved: "reserved", cbs: "circular buffers", buffers: "sharded buffers",
    free: "free"};

function l1Colour(part) {
    return kL1Colours[part] === "idle" ? themeColour("empty") : kL1Colours[part];
}

function l1Bar(label, core) {
    const parts = l1Parts(core);
    return stackBar(`${label}: ${Object.entries(parts).map(([part, size]) =>
        `${kL1Names[part]} ${bytes(size)}`).join(", ")}`, Object.entries(parts).map(
        ([part, size]) => ({name: `${label}: ${kL1Names[part]} ${bytes(size)}`,
            colour: l1Colour(part), share: size / data.machine.l1_bytes})));
}

/// Cores with the same budget share a row.
function l1Groups() {
    const groups = new Map();
    for (const core of view.cores.values()) {
        if (core.device !== selection.device) {
            continue;
        }
        const {core: full} = l1Of(core.device, core.x, core.y);
        const key = `${full.l1_bytes}/${full.cbs.map((c) => c.pages * c.page_bytes).join()}`;
        const group = groups.get(key) || {full, cores: []};
        group.cores.push(core);
        groups.set(key, group);
    }
    return [...groups.values()].sort((a, b) => b.full.l1_bytes - a.full.l1_bytes);
}

function groupName(group) {
    const names = group.cores.map((c) => `(${c.x},${c.y})`);
    return names.length <= 3 ? names.join(" ") : `${names.length} cores`;
}

function drawL1() {
    const groups = l1Groups();
    byId("l1-bars").replaceChildren(
        ...groups.slice(0, 12).map((group) => make("div", {class: "thread-row"},
            make("span", {title: group.cores.map((c) => `(${c.x},${c.y})`).join(" ")},
                groupName(group)), l1Bar(groupName(group), group.full),
            make("span", {class: "n"}, `${bytes(group.full.l1_bytes)} of ` +
                bytes(data.machine.l1_bytes - data.machine.l1_reserved_bytes)))),
        legend(Object.keys(kL1Names).map((part) => [l1Colour(part), kL1Names[part]])));
    const own = l1Of(selection.device, selection.x, selection.y);
    byId("l1-core").textContent = `Core ${coreName(selection)}` +
        (own ? `, ${own.launch.name}: ${bytes(own.core.l1_bytes)} taken` : ": no kernel");
    byId("l1-table").replaceChildren(table("Circular buffers of the core", [
        {head: "CB", number: true, cell: (cb) => cb.index},
        {head: "Format", cell: (cb) => cb.format},
        {head: "Pages", number: true, cell: (cb) => count(cb.pages)},
        {head: "Page", number: true, cell: (cb) => bytes(cb.page_bytes)},
        {head: "Size", number: true, cell: (cb) => bytes(cb.pages * cb.page_bytes)},
        {head: "Of L1", number: true, cell: (cb) =>
            percent((cb.pages * cb.page_bytes) / data.machine.l1_bytes)},
    ], own ? own.core.cbs : []));
}
