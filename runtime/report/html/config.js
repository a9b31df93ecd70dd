// SPDX-License-Identifier: Apache-2.0
// The resolved configuration.

function isAssumed(row) {
    return (row.source || "").startsWith("assumed");
}

function drawConfig() {
    const wanted = byId("config-filter").value.toLowerCase();
    const rows = data.config.filter((row) =>
        (!byId("config-assumed").checked || isAssumed(row)) &&
        JSON.stringify(row).toLowerCase().includes(wanted));
    byId("config-count").textContent = `${rows.length} of ${data.config.length} keys`;
    const shown = (value) => typeof value === "string" ? value : JSON.stringify(value);
    byId("config-table").replaceChildren(table("Configuration", [
        {head: "Key", code: true, cell: (row) => row.key},
        {head: "Value", code: true, cell: (row) =>
            `${shown(row.value)}${row.unit ? ` ${row.unit}` : ""}`},
        {head: "Range", code: true, cell: (row) => row.range ? shown(row.range) : ""},
        {head: "From", cell: (row) => shown(row.origin || "")},
        {head: "Source", cell: (row) => row.source || ""},
    ], rows));
}
