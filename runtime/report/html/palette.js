// SPDX-License-Identifier: Apache-2.0
// One colour per activity and resource: blues and greens for work, warm colours for waits, greys
// for neither. Heat ranges from the panel's own colour to a deep one.

const kActivityColours = {
    not_started: "idle", finished: "idle",
    start: "#8a93a3", unit_init: "#a3968a", dst_call: "#7f8a6a", zone: "#b0b0b0",
    read_issue: "#5c7fb8", write_issue: "#7b95c4", multicast_issue: "#44699f",
    semaphore_issue: "#93a5c9", barrier_poll: "#aebad3", cb_call: "#6f8fa8",
    fabric_issue: "#4f5f8f", instructions: "#3d7a8c",
    unpack: "#2a9d8f", matmul: "#1f6fd6", eltwise: "#3fa7d6", sfpu: "#5a4fcf", pack: "#4caf50",
    wait_cb_data: "#f28e2b", wait_cb_space: "#e9c46a", wait_noc_read: "#d1495b",
    wait_noc_write: "#e5989b", wait_noc_slot: "#9d2f45", wait_semaphore: "#9b5de5",
    wait_dst: "#a0693b", wait_source: "#d4a373", wait_fabric: "#c2418f",
};

const kResourceColours = {
    noc_injection: "#e07a5f", noc_link: "#c8553d", noc_ejection: "#f2a385", noc_latency: "#8c6d62",
    dram: "#b5179e", mesh_link: "#7209b7", mesh_latency: "#a56cc1",
};

function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function themeColour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function activityColour(key) {
    const colour = kActivityColours[key] || "#888888";
    return colour === "idle" ? themeColour("idle") : colour;
}

/// Returns the colour of a part of the path: by resource, else by activity.
function partColour(name) {
    const resource = data.words.resources.find((r) => r.name === name);
    if (resource) {
        return kResourceColours[resource.key] || "#888888";
    }
    const activity = data.words.activities.find((a) => a.name === name);
    return activity ? activityColour(activity.key) : "#9aa3b0";
}

const kHeatLight = [[238, 241, 245], [176, 203, 236], [92, 147, 212], [28, 84, 164], [10, 42, 94]];
const kHeatDark = [[34, 42, 53], [33, 66, 110], [44, 105, 176], [104, 163, 232], [203, 226, 252]];

function heatParts(share) {
    const ramp = isDark() ? kHeatDark : kHeatLight;
    const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
    const low = Math.min(Math.floor(at), ramp.length - 2);
    return ramp[low].map((part, i) => Math.round(part + (ramp[low + 1][i] - part) * (at - low)));
}

function heat(share) {
    return `rgb(${heatParts(share).join(",")})`;
}

function inkOn(share) {
    const [r, g, b] = heatParts(share);
    return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#14202e" : "#ffffff";
}

function heatLegend(element, low, high) {
    const steps = [0, 0.25, 0.5, 0.75, 1].map((s) => heat(s)).join(",");
    element.replaceChildren(make("span", {}, low),
        make("i", {style: `background:linear-gradient(90deg,${steps})`, "aria-hidden": "true"}),
        make("span", {}, high));
}
