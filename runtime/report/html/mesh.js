// SPDX-License-Identifier: Apache-2.0
// Links between devices.

const kWays = [["east", 1, 0], ["west", -1, 0], ["north", 0, -1], ["south", 0, 1]];

function devicePlace(device) {
    const {columns} = data.machine.mesh;
    return {column: device % columns, row: Math.floor(device / columns)};
}

/// Returns the busy share of the steps that use the link.
function linkShare(use) {
    return use.within > 0 ? use.busy / use.within : 0;
}

/// Returns the sum over a device's links in one direction.
function meshUses() {
    const sums = new Map();
    for (const use of view.resources.filter((u) => u.kind === "mesh_link")) {
        const key = `${use.device}/${use.direction}`;
        const sum = sums.get(key) ||
            {device: use.device, direction: use.direction, busy: 0, bytes: 0, links: 0, within: 0};
        sum.busy = Math.max(sum.busy, use.busy);
        sum.within = Math.max(sum.within, use.within);
        sum.bytes += use.bytes;
        sum.links += 1;
        sums.set(key, sum);
    }
    return [...sums.values()];
}

function meshArrow(svg, use) {
    const {column, row} = devicePlace(use.device);
    const [name, dx, dy] = kWays[use.direction];
    const share = linkShare(use);
    const [x, y] = [column * 110 + 60, row * 90 + 45];
    const side = dx !== 0 ? [0, dx > 0 ? -8 : 8] : [dy > 0 ? 8 : -8, 0];
    const line = makeSvg("line", {x1: x + dx * 34 + side[0], y1: y + dy * 24 + side[1],
        x2: x + dx * 74 + side[0], y2: y + dy * 64 + side[1], stroke: heat(share),
        "stroke-width": 5});
    const tip = [x + dx * 74 + side[0], y + dy * 64 + side[1]];
    const head = makeSvg("path", {fill: heat(share), d: `M ${tip[0]} ${tip[1]} l ` +
        `${-dx * 9 - dy * 6} ${-dy * 9 - dx * 6} l ${dy * 12} ${dx * 12} z`});
    svg.append(head);
    withTip(line, () => useText(`device ${use.device} ${name}, ${use.links} links`, use));
    svg.append(line);
}

function meshDevice(svg, device) {
    const {column, row} = devicePlace(device);
    const [x, y] = [column * 110 + 60, row * 90 + 45];
    const isChosen = device === selection.device;
    const box = makeSvg("rect", {x: x - 34, y: y - 24, width: 68, height: 48, rx: 4,
        fill: themeColour("empty"), stroke: themeColour(isChosen ? "focus" : "line"),
        "stroke-width": isChosen ? 2 : 1});
    const ends = view.launches.map((launch) => launch.device_end[device] || 0);
    const end = ends.length === 1 ? `ends ${cycles(ends[0])}` : "";
    svg.append(box, makeSvg("text", {x, y: y + (end ? -3 : 4), "text-anchor": "middle"},
        `device ${device}`));
    if (end) {
        svg.append(makeSvg("text", {x, y: y + 11, "text-anchor": "middle"}, end));
    }
}

/// Returns the load of each link: the bytes that it carried, its busy time, and its rate while
/// busy.
function linkTable() {
    const links = view.resources.filter((u) => u.kind === "mesh_link" && u.bytes > 0)
        .sort((a, b) => b.busy - a.busy || a.device - b.device || a.direction - b.direction ||
            a.x - b.x);
    return table("Load of each mesh link", [
        {head: "From device", number: true, cell: (use) => use.device},
        {head: "Direction", cell: (use) => kWays[use.direction][0]},
        {head: "Link", number: true, cell: (use) => use.x},
        {head: "Busy", number: true, cell: (use) => percent(linkShare(use))},
        {head: "", cell: (use) => meter(linkShare(use))},
        {head: "Bytes", number: true, cell: (use) => bytes(use.bytes)},
        {head: "B/cycle", number: true, cell: (use) =>
            (use.bytes / (use.within / 1000)).toFixed(2)},
        {head: "B/cycle at its peak", number: true, cell: (use) =>
            (use.bytes / (use.busy / 1000)).toFixed(2)},
    ], links);
}

function drawMesh() {
    const isMesh = numDevices() > 1;
    byId("mesh").hidden = !isMesh;
    byId("nav-mesh").hidden = !isMesh;
    if (!isMesh) {
        return;
    }
    const {rows, columns} = data.machine.mesh;
    const uses = meshUses();
    const svg = makeSvg("svg", {viewBox: `0 0 ${columns * 110 + 10} ${rows * 90}`,
        width: columns * 110 + 10, role: "img",
        "aria-label": "Devices and the links between them; figures are in the table below"});
    uses.forEach((use) => meshArrow(svg, use));
    for (let device = 0; device < rows * columns; ++device) {
        meshDevice(svg, device);
    }
    byId("mesh-map").replaceChildren(svg);
    byId("mesh-table").replaceChildren(uses.length === 0
        ? make("p", {class: "hint"}, "Nothing was sent over mesh links.")
        : table("Mesh links", [
            {head: "From device", number: true, cell: (use) => use.device},
            {head: "Direction", cell: (use) => kWays[use.direction][0]},
            {head: "Links used", number: true, cell: (use) => use.links},
            {head: "Busiest link", number: true, cell: (use) => percent(linkShare(use))},
            {head: "", cell: (use) => meter(linkShare(use))},
            {head: "Bytes", number: true, cell: (use) => bytes(use.bytes)},
            {head: "B/cycle", number: true, cell: (use) =>
                (use.bytes / (use.within / 1000)).toFixed(2)},
        ], uses.sort((a, b) => b.busy - a.busy)));
    byId("mesh-links").replaceChildren(...uses.length === 0 ? [] : [linkTable()]);
}
