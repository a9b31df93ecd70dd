// SPDX-License-Identifier: Apache-2.0
// Stages of the run, as defined in its run file.

function drawStageTable() {
    const whole = data.makespan.expected;
    byId("stage-table").replaceChildren(table("Stages", [
        {head: "Stage", cell: (s) => s.name},
        {head: "Cycles", number: true, cell: (s) => cycles(s.time)},
        {head: "Share", number: true, cell: (s) => percent(s.time / whole)},
        {head: "", cell: (s) => meter(s.time / whole)},
        {head: "On links", number: true, cell: (s) => bytes(s.link_bytes)},
        {head: "Launches", number: true, cell: (s) => count(s.launches.length)},
    ], data.stages.stages));
}

function drawStageLinks() {
    const senders = data.launches.filter((launch) => launch.work.link_bytes > 0);
    byId("stage-links").replaceChildren(table("Collectives", [
        {head: "Step", cell: (l) => l.name},
        {head: "On links", number: true, cell: (l) => bytes(l.work.link_bytes)},
        {head: "Cycles", number: true, cell: (l) => cycles(l.device_time.expected)},
    ], senders));
}

function drawStages() {
    byId("stages").hidden = !data.stages;
    byId("nav-stages").hidden = !data.stages;
    if (!data.stages) {
        return;
    }
    const {tokens, tokens_per_second: rate, memory} = data.stages;
    byId("stages-sum").textContent = tokens > 0
        ? `${count(tokens)} tokens, ${count(Math.round(rate))} a second.` : "";
    drawStageTable();
    drawStageLinks();
    byId("stage-memory").replaceChildren(table("Memory", [
        {head: "What", cell: (m) => m.name},
        {head: "Bytes", number: true, cell: (m) => bytes(m.bytes)},
    ], memory));
}
