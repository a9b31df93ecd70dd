// SPDX-License-Identifier: Apache-2.0
// Occupation of NoC links and ports on the physical grid.

const kNodeStep = 44;
const kNodeSize = 18;
const kNocMargin = 30;

function usesOf(kind) {
    return view.resources.filter((use) => use.kind === kind && use.device === selection.device);
}

function nodeKind(x, y) {
    const bank = data.machine.dram_banks.findIndex((b) => b.x === x && b.y === y);
    if (bank >= 0) {
        return {text: `D${data.machine.dram_banks[bank].channel}`, name: "DRAM"};
    }
    const column = data.machine.noc_columns.indexOf(x);
    const row = data.machine.noc_rows.indexOf(y);
    if (column >= 0 && row >= 0) {
        return {text: `${column},${row}`, name: `core (${column},${row})`};
    }
    return {text: "", name: "no worker"};
}

function centre(at) {
    return at * kNodeStep + kNodeStep / 2 + kNocMargin;
}

function linkEnds(use) {
    const sign = use.noc === 0 ? 1 : -1;
    const reach = kNodeStep - kNodeSize / 2;
    const [x, y] = [centre(use.x), centre(use.y)];
    return use.direction === 0
        ? {x1: x + sign * kNodeSize / 2, x2: x + sign * reach, y1: y, y2: y}
        : {x1: x, x2: x, y1: y + sign * kNodeSize / 2, y2: y + sign * reach};
}

function useText(what, use) {
    const perCycle = use.busy > 0 ? use.bytes / (view.makespan / 1000) : 0;
    return `${what}: occupied ${percent(use.busy / view.makespan)}, ${bytes(use.bytes)}, ` +
        `${perCycle.toFixed(2)} B/cycle`;
}

function linkName(use) {
    const way = use.direction === 0 ? (use.noc === 0 ? "right" : "left")
                                    : (use.noc === 0 ? "down" : "up");
    return `NoC ${use.noc} (${use.x},${use.y}) ${way}`;
}

function portName(use) {
    return {noc_injection: "injection", noc_ejection: "ejection"}[use.kind] ||
        `DRAM bank ${use.x}`;
}

function drawNode(svg, noc, x, y, ports) {
    const kind = nodeKind(x, y);
    const own = ports.filter((use) => use.noc === noc && use.x === x && use.y === y)
        .concat(usesOf("dram").filter((use) => {
            const bank = data.machine.dram_banks[use.x];
            return bank && bank.x === x && bank.y === y;
        }));
    const most = Math.max(0, ...own.map((use) => use.busy / view.makespan));
    const half = kNodeSize / 2;
    const box = makeSvg("rect", {x: centre(x) - half, y: centre(y) - half, width: kNodeSize,
        height: kNodeSize, rx: 2, fill: kind.text ? heat(most) : "none",
        stroke: themeColour("line")});
    const label = makeSvg("text", {x: centre(x), y: centre(y) + 3, "text-anchor": "middle",
        "font-size": 8, style: `fill:${inkOn(most)};font-size:8px;pointer-events:none`},
        kind.text);
    withTip(box, () => [`node (${x},${y}), ${kind.name}`,
        ...own.map((use) => useText(portName(use), use))]
        .join("\n"));
    svg.append(box, label);
}

function drawLink(svg, use) {
    const share = use.busy / view.makespan;
    const line = makeSvg("line", {...linkEnds(use), stroke: heat(share),
        "stroke-width": 3 + 3 * share, "stroke-linecap": "butt"});
    withTip(line, () => useText(linkName(use), use));
    svg.append(line);
}

function drawNocAxes(svg, columns, rows) {
    for (let x = 0; x < columns; ++x) {
        svg.append(makeSvg("text", {x: centre(x), y: 10, "text-anchor": "middle"}, x));
    }
    for (let y = 0; y < rows; ++y) {
        svg.append(makeSvg("text", {x: 0, y: centre(y) + 3}, y));
    }
}

function nocMap(noc) {
    const {columns, rows} = data.machine.noc_grid;
    const [width, height] = [columns, rows].map((n) => n * kNodeStep + 2 * kNocMargin);
    const svg = makeSvg("svg", {viewBox: `0 0 ${width} ${height}`, width, role: "img",
        "aria-label": `Links of NoC ${noc} of device ${selection.device}; the busiest are in the ` +
            "table below"});
    usesOf("noc_link").filter((use) => use.noc === noc).forEach((use) => drawLink(svg, use));
    const ports = [...usesOf("noc_injection"), ...usesOf("noc_ejection")];
    for (let y = 0; y < rows; ++y) {
        for (let x = 0; x < columns; ++x) {
            drawNode(svg, noc, x, y, ports);
        }
    }
    drawNocAxes(svg, columns, rows);
    return make("div", {}, make("h3", {}, `NoC ${noc}`), svg);
}

function drawNoc() {
    byId("noc-maps").replaceChildren(nocMap(0), nocMap(1));
    heatLegend(byId("noc-legend"), "0 %", "100 % occupied");
    const links = usesOf("noc_link").sort((a, b) => b.busy - a.busy).slice(0, 10);
    byId("noc-table").replaceChildren(table("Busiest links", [
        {head: "Link", cell: linkName},
        {head: "Occupied", number: true, cell: (use) => percent(use.busy / view.makespan)},
        {head: "", cell: (use) => meter(use.busy / view.makespan)},
        {head: "Bytes", number: true, cell: (use) => bytes(use.bytes)},
        {head: "B/cycle", number: true, cell: (use) =>
            (use.bytes / (view.makespan / 1000)).toFixed(2)},
        {head: "Of the link's rate", number: true, cell: (use) =>
            percent(use.bytes / (view.makespan / 1000) / data.peak.noc_link_rate)},
    ], links));
}
