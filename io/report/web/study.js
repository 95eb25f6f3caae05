// The page of a rockfall study: terrain, maps laid over it, trajectories, barriers.
"use strict";

carom.heatScale = [[255, 243, 205], [252, 200, 116], [240, 134, 68], [200, 58, 50], [104, 12, 48]];
carom.sequentialScale = [[38, 24, 74], [54, 67, 134], [40, 118, 142], [48, 165, 126], [140, 205, 88], [246, 228, 70]];
carom.onScale = (scale, t) => {
  const at = Math.min(Math.max(t, 0), 1) * (scale.length - 1), k = Math.min(Math.floor(at), scale.length - 2);
  return scale[k].map((c, i) => c + (at - k) * (scale[k + 1][i] - c));
};

carom.Terrain = class {
  constructor(holder, study, data) {
    Object.assign(this, { holder, study, data, stretch: 1, dirty: true, share: 1 });
    const canvas = document.createElement("canvas");
    holder.prepend(canvas);
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.scene = new THREE.Scene();
    this.world = new THREE.Group();
    this.scene.add(this.world);
    this.width = study.columns * study.cell;
    this.depth = study.rows * study.cell;
    this.reach = 0.5 * Math.hypot(this.width, this.depth, study.relief_height);
    this.makeTerrain();
    this.makeBarriers();
    this.camera = new THREE.PerspectiveCamera(30, 1.6, 0.005 * this.reach, 40 * this.reach);
    this.camera.up.set(0, 0, 1);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.enableKeys = false;
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = 0.495 * Math.PI;
    this.controls.addEventListener("change", () => { this.dirty = true; });
    this.resize();
    this.look(false);
    new ResizeObserver(() => this.resize()).observe(holder);
    const tick = () => { this.draw(); requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
  }

  height(i, j) { return this.data.heights[j * this.study.columns + i]; }

  makeTerrain() {
    const { columns, rows, cell } = this.study, positions = new Float32Array(3 * columns * rows), index = [];
    for (let j = 0; j < rows; ++j)
      for (let i = 0; i < columns; ++i) {
        const z = this.height(i, j);
        positions.set([(i + 0.5) * cell - 0.5 * this.width, (j + 0.5) * cell - 0.5 * this.depth, Number.isFinite(z) ? z : 0],
          3 * (j * columns + i));
      }
    const there = (k) => Number.isFinite(this.data.heights[k]);
    for (let j = 0; j + 1 < rows; ++j)
      for (let i = 0; i + 1 < columns; ++i) {
        const a = j * columns + i, b = a + 1, c = a + columns, d = c + 1;
        if (there(a) && there(b) && there(d)) index.push(a, b, d);
        if (there(a) && there(d) && there(c)) index.push(a, d, c);
      }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(positions.length), 3));
    geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(index), 1));
    this.renderer.getContext().getExtension("OES_element_index_uint");
    geometry.computeVertexNormals();
    this.ground = new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ vertexColors: THREE.VertexColors,
      side: THREE.DoubleSide }));
    this.world.add(this.ground);
    const sun = new THREE.DirectionalLight(0xfff4e4, 0.85);
    sun.position.set(-1, 1, 1.1);
    this.scene.add(sun, new THREE.HemisphereLight(0xdfe8f4, 0x6d655a, 0.42));
  }

  // Colours of the ground: a map's where something passed, else by height.
  paint(map) {
    this.map = map;
    const levels = map ? this.data.maps[map.name] : null, scale = this.scaleOf(map);
    const colours = this.ground.geometry.attributes.color, top = this.study.relief_height || 1;
    const dark = carom.shade.dark();
    const earth = dark ? [[74, 82, 74], [116, 110, 96], [158, 154, 148]] : [[150, 164, 138], [196, 184, 156], [232, 228, 220]];
    for (let k = 0; k < colours.count; ++k) {
      let c = carom.onScale(earth, this.data.heights[k] / top || 0);
      if (levels && levels[k] > 0) c = carom.onScale(scale, (levels[k] - 1) / 254);
      colours.setXYZ(k, c[0] / 255, c[1] / 255, c[2] / 255);
    }
    colours.needsUpdate = true;
    this.dirty = true;
  }

  scaleOf(map) { return map && /^(reach_probability|passages)$/.test(map.name) ? carom.sequentialScale : carom.heatScale; }

  trace(mode) {
    if (this.lines) { this.world.remove(this.lines); this.lines.geometry.dispose(); this.lines = null; }
    this.mode = mode;
    this.dirty = true;
    if (mode === "off") return;
    const { data } = this, shown = Math.ceil(this.share * data.pathBlock.length), positions = [], colours = [];
    for (let t = 0; t < shown; ++t) {
      const named = mode === "block" ? data.pathBlock[t] : mode === "release" ? data.pathRelease[t] : -1;
      const fixed = named >= 0 ? carom.palette[named % carom.palette.length] : null;
      for (let i = data.pathFirst[t]; i + 1 < data.pathFirst[t + 1]; ++i)
        for (const k of [i, i + 1]) {
          positions.push(data.pathPlace[3 * k], data.pathPlace[3 * k + 1], data.pathPlace[3 * k + 2] + 0.1 * this.study.cell);
          const c = fixed || carom.onScale(carom.speedScale, data.pathSpeed[k] / 65535);
          colours.push(c[0] / 255, c[1] / 255, c[2] / 255);
        }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(positions), 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(colours), 3));
    this.lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: THREE.VertexColors,
      transparent: true, opacity: 0.75 }));
    this.world.add(this.lines);
  }

  makeBarriers() {
    const { cell, columns, rows } = this.study, tall = 0.02 * this.reach;
    const ground = (x, y) => {
      const i = Math.min(Math.max(Math.floor((x + 0.5 * this.width) / cell), 0), columns - 1);
      const j = Math.min(Math.max(Math.floor((y + 0.5 * this.depth) / cell), 0), rows - 1);
      return this.height(i, j) || 0;
    };
    for (const line of this.study.barriers) {
      const positions = [];
      for (let k = 0; k + 3 < line.length; k += 2) {
        const length = Math.hypot(line[k + 2] - line[k], line[k + 3] - line[k + 1]), pieces = Math.max(1, Math.ceil(length / cell));
        for (let p = 0; p < pieces; ++p) {
          const at = (s) => { const x = line[k] + (s / pieces) * (line[k + 2] - line[k]), y = line[k + 1] + (s / pieces) * (line[k + 3] - line[k + 1]);
            return [x, y, ground(x, y)]; };
          const a = at(p), b = at(p + 1);
          positions.push(...a, ...b, b[0], b[1], b[2] + tall, ...a, b[0], b[1], b[2] + tall, a[0], a[1], a[2] + tall);
        }
      }
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(positions), 3));
      this.world.add(new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color: 0x1f6fb2, side: THREE.DoubleSide,
        transparent: true, opacity: 0.7 })));
    }
  }

  // From where most of the relief is seen: the side that lies lowest.
  look(above) {
    const { columns, rows } = this.study, mean = (cells) => cells.filter(Number.isFinite).reduce((s, z, _, all) => s + z / all.length, 0);
    const edge = (f, n) => mean(Array.from({ length: n }, (_, k) => f(k)));
    const sides = [[0, -1, edge((k) => this.height(k, 0), columns)], [0, 1, edge((k) => this.height(k, rows - 1), columns)],
      [-1, 0, edge((k) => this.height(0, k), rows)], [1, 0, edge((k) => this.height(columns - 1, k), rows)]];
    const lowest = sides.reduce((a, b) => (b[2] < a[2] ? b : a));
    const from = above ? new THREE.Vector3(0, -0.001, 1)
      : new THREE.Vector3(lowest[0] + 0.35 * lowest[1], lowest[1] - 0.35 * lowest[0], 0.62).normalize();
    const middle = new THREE.Vector3(0, 0, 0.42 * this.study.relief_height * this.stretch);
    const fit = this.reach / Math.tan((0.5 * this.camera.fov * Math.PI) / 180) / Math.min(1, 0.75 * this.camera.aspect);
    this.camera.position.copy(middle).addScaledVector(from, 0.86 * fit);
    this.controls.target.copy(middle);
    this.controls.update();
    this.dirty = true;
  }

  resize() {
    const width = this.holder.clientWidth, height = this.holder.clientHeight;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height);
    this.canvas.style.width = this.canvas.style.height = "";
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  draw() {
    this.controls.update();
    if (!this.dirty) return;
    this.dirty = false;
    this.world.scale.z = this.stretch;
    this.renderer.setClearColor(0x000000, 0);
    this.renderer.render(this.scene, this.camera);
  }

  pixels() {
    this.dirty = true;
    this.draw();
    const gl = this.renderer.getContext(), width = gl.drawingBufferWidth, height = gl.drawingBufferHeight;
    const out = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, out);
    return out;
  }
};

carom.studyLegend = (terrain) => {
  const holder = document.getElementById("legend"), { study, map, mode } = terrain;
  holder.replaceChildren();
  const bar = (title, scale, low, high) => holder.append(carom.element("div", { text: title }),
    carom.element("div", { class: "bar", style: `background:${carom.gradient(scale)}` }),
    carom.element("div", { class: "ends" }, carom.element("span", { text: low }), carom.element("span", { text: high })));
  const unit = map && map.unit !== "1" ? " " + map.unit : "";
  if (map) bar(map.title, terrain.scaleOf(map), carom.digits(map.least), carom.digits(map.most) + unit);
  if (mode === "speed") bar("speed of the blocks", carom.speedScale, "0", carom.digits(study.fastest) + " m/s");
  const names = mode === "block" ? study.blocks : mode === "release" ? study.releases : [];
  if (names.length)
    holder.append(carom.element("div", { class: "chips" }, ...names.slice(0, 20).map((name, k) => carom.element("span",
      { class: "chip", text: name || `${mode} ${k}`, style: `--chip:${carom.css(carom.palette[k % carom.palette.length])}` }))));
};

carom.start = async () => {
  const find = (id) => document.getElementById(id), { study } = carom.manifest();
  find("shade").addEventListener("click", () => carom.shade.set(carom.shade.dark() ? "light" : "dark"));
  for (const element of document.querySelectorAll("pre.toml")) carom.highlight(element);
  try {
    const data = { heights: await carom.block("heights", Float32Array), maps: {},
      pathPlace: await carom.block("path_place", Float32Array), pathSpeed: await carom.block("path_speed", Uint16Array),
      pathFirst: await carom.block("path_first", Uint32Array), pathBlock: await carom.block("path_block", Uint8Array),
      pathRelease: await carom.block("path_release", Uint8Array) };
    for (const map of study.maps) data.maps[map.name] = await carom.block("map_" + map.name, Uint8Array);
    const terrain = carom.terrain = new carom.Terrain(find("view"), study, data);
    find("map").append(carom.element("option", { value: "", text: "none" }),
      ...study.maps.map((map, k) => carom.element("option", { value: k + 1, text: map.title })));
    const refresh = () => carom.studyLegend(terrain);
    const paint = () => { terrain.paint(study.maps[Number(find("map").value) - 1] || null); refresh(); };
    const wanted = study.maps.findIndex((map) => map.name === "energy_translational_p95");
    find("map").value = study.maps.length ? String((wanted < 0 ? 0 : wanted) + 1) : "";
    find("map").addEventListener("change", paint);
    find("lines").addEventListener("change", (event) => { terrain.trace(event.target.value); refresh(); });
    find("share").addEventListener("input", (event) => { terrain.share = Number(event.target.value); terrain.trace(terrain.mode); });
    find("stretch").addEventListener("input", (event) => { terrain.stretch = Number(event.target.value); terrain.dirty = true; });
    find("home").addEventListener("click", () => terrain.look(false));
    find("top").addEventListener("click", () => terrain.look(true));
    find("full").addEventListener("click", () => document.fullscreenElement ? document.exitFullscreen() : find("stage").requestFullscreen());
    carom.shade.listeners.push(paint);
    terrain.trace("speed");
    paint();
    find("view").classList.add("live");
    find("notice").textContent = "";
    find("gridnote").textContent = study.paths < study.paths_of_study
      ? `${carom.count(study.paths)} of ${carom.count(study.paths_of_study)} kept trajectories` : `${carom.count(study.paths)} trajectories`;
  } catch (error) {
    find("notice").textContent = `No 3D here (${error.message}); maps and tables follow.`;
    carom.errors.push(String(error.stack || error));
  }
  carom.ready = true;
};
window.addEventListener("DOMContentLoaded", () => carom.start());
