// The page around the replay: light and dark, the transport, figures, charts.
"use strict";

carom.shade = {
  dark: () => document.documentElement.dataset.shade === "dark",
  listeners: [],
  set(value) {
    document.documentElement.dataset.shade = value;
    for (const listener of carom.shade.listeners) listener(value === "dark");
  },
};
(() => {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  carom.shade.set(system.matches ? "dark" : "light");
  system.addEventListener("change", () => carom.shade.set(system.matches ? "dark" : "light"));
})();

carom.element = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
};

// Three digits as people write them, with the unit's own prefix for seconds.
carom.digits = (x, digits = 3) => {
  if (x === null || !Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
    const raised = String(Number(exponent)).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
    return (mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa) + "·10" + raised;
  }
  return Number(x.toPrecision(digits)).toLocaleString("en");
};
carom.count = (n) => Math.round(n).toLocaleString("en");
carom.duration = (s) => s >= 3600 ? `${Math.floor(s / 3600)} h ${Math.round((s % 3600) / 60)} min`
  : s >= 60 ? `${Math.floor(s / 60)} min ${Math.round(s % 60)} s` : carom.digits(s) + " s";

// ---- Charts ----

carom.colours = () => carom.shade.dark()
  ? ["#6cb2ee", "#f0907a", "#5fc89a", "#e9b44c", "#b79aef", "#4fc9d8", "#d9a06a", "#e58fcb"]
  : ["#1f6fb2", "#cf4f3f", "#1b8a5a", "#c98a00", "#7b4fb5", "#0093a5", "#8a5a2b", "#c2379a"];

carom.charts = {};
carom.moment = null;  // s: where the charts show a line

carom.chartSettings = (chart, onPick) => {
  const style = getComputedStyle(document.documentElement), ink = style.getPropertyValue("--soft"),
    rule = style.getPropertyValue("--rule");
  const axis = (more) => ({ grid: { color: rule, borderColor: rule }, ticks: { color: ink, maxTicksLimit: 7, font: { size: 11 } }, ...more });
  const logTick = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9 ? carom.digits(value, 1) : "";
  return {
    animation: false, responsive: true, maintainAspectRatio: false, normalized: true, spanGaps: false,
    interaction: { mode: "index", intersect: false, axis: "x" },
    onClick: (event, items, self) => onPick && onPick(self.scales.x.getValueForPixel(event.x)),
    elements: { point: { radius: 0, hitRadius: 4 }, line: { borderWidth: 1.6 } },
    scales: {
      x: axis({ type: "linear", min: chart.low, max: chart.high,
        title: { display: true, text: chart.across || "time [s]", color: ink, font: { size: 11 } } }),
      y: axis({ type: chart.logarithmic ? "logarithmic" : "linear",
        ticks: { color: ink, maxTicksLimit: 6, font: { size: 11 },
          callback: chart.logarithmic ? logTick : (value) => carom.digits(value, 4) } }),
    },
    plugins: {
      legend: { display: chart.curves.length > 1, position: "top", align: "start",
        labels: { color: ink, boxWidth: 14, boxHeight: 2, font: { size: 11 } } },
      tooltip: { callbacks: { label: (item) => `${item.dataset.label}: ${carom.digits(item.parsed.y, 5)}`,
        title: (items) => items.length ? `${carom.digits(items[0].parsed.x, 6)} s` : "" } },
    },
  };
};

carom.momentLine = {
  id: "moment",
  afterDatasetsDraw(chart) {
    if (carom.moment === null) return;
    const x = chart.scales.x.getPixelForValue(carom.moment), { top, bottom, left, right } = chart.chartArea;
    if (x < left - 1 || x > right + 1) return;
    chart.ctx.save();
    chart.ctx.strokeStyle = carom.shade.dark() ? "#ffffff88" : "#00000066";
    chart.ctx.beginPath();
    chart.ctx.moveTo(x, top);
    chart.ctx.lineTo(x, bottom);
    chart.ctx.stroke();
    chart.ctx.restore();
  },
};

carom.makeCharts = (charts, onPick) => {
  const holder = document.getElementById("charts");
  for (const chart of charts) {
    const canvas = carom.element("canvas", { role: "img", "aria-label": `${chart.title}, over time` });
    const caption = carom.element("figcaption", {}, chart.title + " ",
      carom.element("span", { text: chart.unit ? `[${chart.unit}]` : "" }));
    holder.append(carom.element("figure", { id: "chart-" + chart.name }, caption,
      carom.element("div", { class: "plot" }, canvas)));
    const made = new Chart(canvas, {
      type: "line", plugins: [carom.momentLine],
      data: { datasets: chart.curves.map((curve) => ({ label: curve.name,
        data: curve.t.map((t, k) => ({ x: t, y: chart.logarithmic && !(curve.y[k] > 0) ? null : curve.y[k] })) })) },
      options: carom.chartSettings(chart, onPick),
    });
    carom.charts[chart.name] = made;
    const paint = () => {
      const colours = carom.colours();
      made.data.datasets.forEach((set, k) => { set.borderColor = set.backgroundColor = colours[k % colours.length]; });
      made.options = carom.chartSettings(chart, onPick);
      made.update("none");
    };
    paint();
    carom.shade.listeners.push(paint);
  }
};

carom.showMoment = (t) => {
  carom.moment = t;
  for (const chart of Object.values(carom.charts)) chart.draw();
};

// ---- Figures ----

carom.addCard = (label, value, note = "", kind = "") => {
  document.getElementById("cards").append(carom.element("div", { class: "card " + kind },
    carom.element("div", { class: "label", text: label }), carom.element("div", { class: "value", text: value }),
    carom.element("div", { class: "note", text: note })));
};

carom.highlight = (element) => {
  const escaped = element.textContent.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  element.innerHTML = escaped.split("\n").map((line) => {
    const [, body, comment] = line.match(/^((?:"[^"]*"|[^#"])*)(#.*)?$/) || [null, line, ""];
    const code = /^\s*\[/.test(body) ? `<span class="table">${body}</span>`
      : body.replace(/^(\s*)([\w.\-]+)(\s*=)/, '$1<span class="key">$2</span>$3');
    return code + (comment ? `<span class="comment">${comment}</span>` : "");
  }).join("\n");
};
