// SPDX-License-Identifier: Apache-2.0
// Load of DRAM banks and of the channels that they share.

function drawDram() {
    const channels = new Map();
    for (const use of usesOf("dram")) {
        const bank = data.machine.dram_banks[use.x];
        const channel = bank ? bank.channel : use.x;
        channels.set(channel, (channels.get(channel) || 0) + use.bytes);
    }
    const rows = usesOf("dram").sort((a, b) => a.x - b.x);
    const perCycle = (amount) => amount / (view.makespan / 1000);
    const ofPeak = (use) => {
        const bank = data.machine.dram_banks[use.x];
        return perCycle(channels.get(bank ? bank.channel : use.x)) / data.peak.dram_channel_rate;
    };
    byId("dram-table").replaceChildren(rows.length === 0
        ? make("p", {class: "hint"}, "No traffic to DRAM on this device.")
        : table("DRAM banks", [
            {head: "Bank", number: true, cell: (use) => use.x},
            {head: "Channel", number: true, cell: (use) =>
                (data.machine.dram_banks[use.x] || {channel: "–"}).channel},
            {head: "Node", cell: (use) => {
                const bank = data.machine.dram_banks[use.x];
                return bank ? `(${bank.x},${bank.y})` : "–";
            }},
            {head: "Occupied", number: true, cell: (use) => percent(use.busy / view.makespan)},
            {head: "", cell: (use) => heatCell(use.busy / view.makespan)},
            {head: "Bytes", number: true, cell: (use) => bytes(use.bytes)},
            {head: "B/cycle", number: true, cell: (use) => perCycle(use.bytes).toFixed(2)},
            {head: "Channel, of its rate", number: true, cell: (use) => percent(ofPeak(use))},
            {head: "", cell: (use) => heatCell(ofPeak(use))},
        ], rows));
}

function heatCell(share) {
    return make("span", {class: "meter", "aria-hidden": "true"},
        make("span", {style: `width:${Math.min(share, 1) * 100}%;background:${heat(
            0.35 + 0.65 * Math.min(share, 1))}`}));
}
