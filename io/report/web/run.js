// The page of a run: brings replay, transport, figures and charts together.
"use strict";

carom.player = (replay, times) => {
  const find = (id) => document.getElementById(id), last = times.length - 1;
  const play = find("play"), slider = find("slider"), clock = find("clock"), speed = find("speed");
  const whole = times[last] - times[0] || 1;
  let now = times[0], playing = false, before = 0, slow = 0;
  slider.max = last;
  slider.setAttribute("aria-valuetext", "");

  // As real time where that makes a watchable length, else so that the whole takes ten seconds.
  const natural = whole >= 2 && whole <= 30 ? 1 : whole / 10;
  const rates = [0.1, 0.25, 0.5, 1, 2, 4].map((k) => k * natural);
  for (const rate of rates)
    speed.append(carom.element("option", { value: rate,
      text: rate === 1 ? "real time" : rate < 1 ? `1/${carom.digits(1 / rate, 2)} real time` : `${carom.digits(rate, 2)} × real time` }));
  speed.value = String(natural);

  const frameAt = (t) => {
    let low = 0, high = last;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= t + 1e-12 * whole) low = middle; else high = middle - 1;
    }
    return low;
  };
  const show = (t, quietly) => {
    now = Math.min(Math.max(t, times[0]), times[last]);
    const k = frameAt(now), length = k < last ? times[k + 1] - times[k] : 1;
    replay.show(k, k < last && length > 0 ? (now - times[k]) / length : 0);
    slider.value = k;
    clock.textContent = `${now.toFixed(Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(whole)))))} s`;
    slider.setAttribute("aria-valuetext", clock.textContent);
    if (!quietly) carom.showMoment(now);
  };
  const toggle = (on) => {
    playing = on;
    play.textContent = on ? "❚❚" : "▶";
    play.setAttribute("aria-label", on ? "pause" : "play");
    if (on && now >= times[last]) show(times[0]);
    before = 0;
  };
  const step = (by) => { toggle(false); show(times[Math.min(Math.max(frameAt(now) + by, 0), last)]); };
  const seek = (t) => { show(t); };

  let ticks = 0;
  const tick = (stamp) => {
    if (playing) {
      if (before > 0) {
        const passed = stamp - before;
        show(now + (passed / 1000) * Number(speed.value), ++ticks % 6 !== 0);
        // A machine that cannot keep up gets an easier picture.
        slow = passed > 40 ? slow + 1 : Math.max(0, slow - 1);
        if (slow > 12) { replay.simplify(); slow = 0; }
      }
      before = stamp;
      if (now >= times[last]) { toggle(false); carom.showMoment(now); }
    }
    replay.draw();
    requestAnimationFrame(tick);
  };

  play.addEventListener("click", () => toggle(!playing));
  find("back").addEventListener("click", () => step(-1));
  find("on").addEventListener("click", () => step(1));
  slider.addEventListener("input", () => { toggle(false); show(times[Number(slider.value)]); });
  const choose = (id, apply) => find(id).addEventListener("change", (event) => { apply(event.target.value); carom.legend(replay); });
  choose("colour", (value) => replay.setColour(value));
  choose("forces", (value) => replay.setForces(value));
  find("force-size").addEventListener("input", (event) => {
    replay.forceSize = Math.pow(10, Number(event.target.value));
    replay.show(replay.frame, replay.blend);
  });
  find("home").addEventListener("click", () => replay.lookFromStart());
  find("full").addEventListener("click", () => document.fullscreenElement ? document.exitFullscreen()
    : find("stage").requestFullscreen());
  const cycle = (id) => {
    const list = find(id);
    list.selectedIndex = (list.selectedIndex + 1) % list.options.length;
    list.dispatchEvent(new Event("change"));
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA|SUMMARY)$/.test(event.target.tagName) &&
      event.target !== slider) return;
    const keys = { " ": () => toggle(!playing), ArrowLeft: () => step(event.shiftKey ? -10 : -1),
      ArrowRight: () => step(event.shiftKey ? 10 : 1), Home: () => step(-last), End: () => step(last),
      c: () => cycle("colour"), f: () => cycle("forces"), r: () => replay.lookFromStart() };
    if (event.key === " " && event.target.tagName === "BUTTON") return;
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
  requestAnimationFrame(tick);
  return { show, seek, step, toggle, get now() { return now; }, get playing() { return playing; } };
};

carom.legend = (replay) => {
  const m = replay.manifest, holder = document.getElementById("legend");
  holder.replaceChildren();
  const bar = (title, scale, top) => holder.append(carom.element("div", { text: title }),
    carom.element("div", { class: "bar", style: `background:${carom.gradient(scale)}` }),
    carom.element("div", { class: "ends" }, carom.element("span", { text: "0" }), carom.element("span", { text: top })));
  if (replay.colour === "speed" && m.fastest > 0) bar("speed", carom.speedScale, carom.digits(m.fastest) + " m/s");
  if (replay.colour === "force" && m.heaviest > 0) bar("sum of contact forces", carom.loadScale, carom.digits(m.heaviest) + " N");
  const named = replay.colour === "group" ? m.groups : replay.colour === "material" ? m.materials : [];
  if (named.length > 1)
    holder.append(carom.element("div", { class: "chips" }, ...named.slice(0, 24).map((name, k) =>
      carom.element("span", { class: "chip", text: name || "no group",
        style: `--chip:${carom.css(carom.palette[k % carom.palette.length])}` }))));
  if (replay.forces !== "off" && m.force_typical > 0)
    bar("contact force", carom.forceScale, carom.digits(m.force_typical) + " N");
  document.getElementById("force-size-label").classList.toggle("hidden", replay.forces === "off");
};

carom.fillFigures = (info) => {
  carom.addCard("simulated", carom.digits(info.time, 4) + " s", carom.count(info.steps) + " steps");
  if (info.bodies)
    carom.addCard("bodies", carom.count(Object.values(info.bodies).reduce((sum, n) => sum + n, 0)),
      Object.entries(info.bodies).filter(([, n]) => n > 0).map(([kind, n]) => `${carom.count(n)} ${kind}`).join(", "));
  if (info.coordinates) carom.addCard("coordinates", String(info.coordinates.length), info.system || "");
  const wall = Object.values(info.phase_seconds).reduce((sum, s) => sum + s, 0);
  const costly = Object.entries(info.phase_seconds).sort((a, b) => b[1] - a[1])[0];
  carom.addCard("took", carom.duration(wall), wall > 0 ? `${costly[0]} ${Math.round((100 * costly[1]) / wall)}%` : "");
  carom.addCard("contacts", carom.count(info.contacts.most), `at most; ${carom.digits(info.contacts.mean)} on average`);
  const natural = info.solver.measure === "natural_map";
  carom.addCard("worst residual", carom.digits(natural ? info.solver.worst_natural_residual : info.solver.worst_velocity_residual) +
    (natural ? "" : " m/s"), info.solver.unsolved_steps > 0 ? `${carom.count(info.solver.unsolved_steps)} steps not solved`
    : `${info.solver.name}, tolerance ${carom.digits(info.solver.tolerance)}`, info.solver.unsolved_steps > 0 ? "bad" : "");
  carom.addCard("iterations", carom.digits(info.solver.iterations_mean), `on average; ${carom.count(info.solver.iterations_most)} at most`);
  carom.addCard("worst overlap", carom.digits(info.worst_penetration) + " m",
    info.worst_penetration > 0 ? `in step ${carom.count(info.worst_penetration_step)}` : "");
  carom.addCard("energy balance", carom.digits(info.energy.balance_error, 2) + " J",
    `of ${carom.digits(info.energy.scale)} J; ${carom.digits(info.energy.dissipated)} J dissipated`);
};

carom.start = async () => {
  const find = (id) => document.getElementById(id), manifest = carom.manifest();
  find("shade").addEventListener("click", () => carom.shade.set(carom.shade.dark() ? "light" : "dark"));
  carom.fillFigures(manifest.info);
  for (const element of document.querySelectorAll("pre.toml")) carom.highlight(element);
  let player = null;
  carom.makeCharts(manifest.charts, (t) => player && player.seek(t));
  if (manifest.replay) {
    try {
      const data = await carom.readReplay(manifest.replay);
      const replay = new carom.Replay(find("view"), manifest.replay, data);
      carom.replay = replay;
      carom.shade.listeners.push((dark) => replay.setShade(dark));
      const colour = manifest.replay.fastest > 0 ? "speed" : "group";
      find("colour").value = colour;
      replay.colour = colour;
      replay.setShade(carom.shade.dark());
      find("view").classList.add("live");
      find("gridnote").textContent = replay.grounds.length ? `grid ${carom.digits(replay.gridSpacing)} m` : "";
      player = carom.player(replay, manifest.replay.times);
      carom.seek = player;
      carom.legend(replay);
      const kept = Math.max(0, ...manifest.replay.contact_counts), all = Math.max(0, ...manifest.replay.contact_totals);
      if (kept === 0) find("forces").disabled = true;
      if (all > kept && kept > 0) find("forces").title = `the strongest ${carom.count(kept)} of up to ${carom.count(all)} contacts`;
      player.show(manifest.replay.times[0]);
      find("notice").textContent = "";
    } catch (error) {
      find("notice").textContent = `No 3D here (${error.message}): this is a still picture of the last frame.`;
      carom.errors.push(String(error.stack || error));
      for (const part of document.querySelectorAll(".transport, .choices, .corner")) part.classList.add("hidden");
    }
  }
  carom.ready = true;
};
window.addEventListener("DOMContentLoaded", () => carom.start());
