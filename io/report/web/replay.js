// The 3D replay: bodies, ground and contact forces at any moment of the run.
"use strict";

carom.palette = [[91, 141, 184], [222, 163, 91], [125, 176, 134], [198, 108, 122], [150, 133, 184], [108, 176, 181],
  [199, 178, 124], [138, 152, 166]];
carom.speedScale = [[58, 94, 150], [94, 153, 180], [221, 213, 182], [226, 155, 92], [188, 66, 58]];
carom.loadScale = [[56, 44, 92], [120, 62, 120], [190, 84, 98], [232, 138, 82], [250, 220, 130]];
carom.forceScale = [[76, 120, 200], [226, 120, 60], [200, 30, 50]];
carom.css = (c) => `rgb(${c.map(Math.round).join(",")})`;
carom.gradient = (scale) => `linear-gradient(90deg, ${scale.map(carom.css).join(", ")})`;

// Everything of the run in arrays, poses of all frames in whole steps of the box.
carom.readReplay = async (manifest) => {
  const m = manifest, block = carom.block;
  const data = {
    kind: await block("kind", Uint8Array), group: await block("group", Uint16Array),
    moving: await block("moving", Uint32Array), rest: await block("rest", Float32Array),
    colliderBody: await block("collider_body", Uint32Array), colliderShape: await block("collider_shape", Uint8Array),
    colliderMaterial: await block("collider_material", Uint16Array),
    colliderSurface: await block("collider_surface", Int32Array),
    colliderSize: await block("collider_size", Float32Array), colliderLocal: await block("collider_local", Float32Array),
    surfacePoints: await block("surface_points", Float32Array),
    surfaceTriangles: await block("surface_triangles", Uint32Array),
    position: [], turn: [], contactPoint: [], contactForce: [],
  };
  for (const axis of "xyz") data.position.push(await carom.series("position_" + axis, Uint16Array, m.moving, true));
  for (const axis of "wxyz") data.turn.push(await carom.series("turn_" + axis, Uint16Array, m.moving, true));
  data.speed = await carom.series("speed", Uint8Array, m.moving, false);
  data.load = await carom.series("load", Uint8Array, m.moving, false);
  for (const axis of "xyz") {
    data.contactPoint.push(await block("contact_" + axis, Uint16Array));
    data.contactForce.push(await block("force_" + axis, Uint16Array));
  }
  data.contactA = await block("contact_a", Uint32Array);
  data.contactB = await block("contact_b", Uint32Array);
  data.contactFirst = [0];
  for (const count of m.contact_counts) data.contactFirst.push(data.contactFirst[data.contactFirst.length - 1] + count);
  return data;
};

// ---- Forms ----

carom.forms = (() => {
  const geometry = (positions, normals, index) => {
    const g = new THREE.InstancedBufferGeometry();
    g.setAttribute("position", new THREE.BufferAttribute(new Float32Array(positions), 3));
    g.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(normals), 3));
    if (index) g.setIndex(index);
    return g;
  };
  const from = (plain) => geometry(plain.attributes.position.array, plain.attributes.normal.array,
    plain.index ? Array.from(plain.index.array) : null);
  // Rings about z, (radius, z, normal radius, normal z) each.
  const revolved = (rings, sides) => {
    const positions = [], normals = [], index = [];
    for (const [r, z, nr, nz] of rings)
      for (let k = 0; k <= sides; ++k) {
        const c = Math.cos((2 * Math.PI * k) / sides), s = Math.sin((2 * Math.PI * k) / sides);
        positions.push(r * c, r * s, z);
        normals.push(nr * c, nr * s, nz);
      }
    for (let i = 0; i + 1 < rings.length; ++i) {
      if (rings[i].apart) continue;
      for (let k = 0; k < sides; ++k) {
        const a = i * (sides + 1) + k, b = a + sides + 1;
        index.push(a, a + 1, b + 1, a, b + 1, b);
      }
    }
    return geometry(positions, normals, index);
  };
  const apart = (ring) => Object.assign(ring, { apart: true });
  const cylinder = (sides) => revolved([[0, -1, 0, -1], apart([1, -1, 0, -1]), [1, -1, 1, 0], apart([1, 1, 1, 0]),
    [1, 1, 0, 1], [0, 1, 0, 1]], sides);
  const cone = (sides) => revolved([[0, -0.5, 0, -1], apart([1, -0.5, 0, -1]), [1, -0.5, 0.894, 0.447],
    [0, 1.5, 0.894, 0.447]], sides);
  const capsule = (sides) => {
    const rings = [], quarter = Math.max(4, sides / 4);
    for (let k = -quarter; k <= quarter; ++k) {
      const angle = (0.5 * Math.PI * k) / quarter, c = Math.cos(angle), s = Math.sin(angle);
      if (k === 0) rings.push([1, -1e-6, 1, 0], [1, 1e-6, 1, 0]);
      else rings.push([c, s, c, s]);
    }
    return revolved(rings, sides);
  };
  const square = () => geometry([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1],
    [0, 1, 2, 0, 2, 3]);
  const box = () => {
    const plain = new THREE.BoxBufferGeometry(2, 2, 2);
    return from(plain);
  };
  // z: 0 start, 1 where the head begins, 2 tip.
  const arrow = () => revolved([[1, 0, 1, 0], apart([1, 1, 1, 0]), [1, 1, 0, -1], apart([2.6, 1, 0, -1]),
    [2.6, 1, 0.8, 0.6], [0, 2, 0.8, 0.6]], 10);
  const rod = () => revolved([[1, 0, 1, 0], [1, 1, 1, 0]], 8);
  return { cylinder, cone, capsule, square, box, arrow, rod };
})();

// A surface with a normal per corner, and for each corner its distances from the edges that are to be seen.
carom.surface = (points, triangles, withEdges) => {
  const count = triangles.length / 3, positions = new Float32Array(9 * count), normals = new Float32Array(9 * count);
  const edge = new Float32Array(9 * count), flat = new Float32Array(3 * count);
  const p = (i, c) => points[3 * i + c];
  for (let t = 0; t < count; ++t) {
    const [a, b, c] = [triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]];
    const u = [0, 1, 2].map((k) => p(b, k) - p(a, k)), v = [0, 1, 2].map((k) => p(c, k) - p(a, k));
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const size = Math.hypot(n[0], n[1], n[2]) || 1;
    for (let k = 0; k < 3; ++k) flat[3 * t + k] = n[k] / size;
    [a, b, c].forEach((corner, j) => { for (let k = 0; k < 3; ++k) positions[9 * t + 3 * j + k] = p(corner, k); });
  }
  // Neighbours by place, so that surfaces whose triangles share no corners are smooth too.
  const name = new Map(), same = new Uint32Array(points.length / 3);
  for (let i = 0; i < same.length; ++i) {
    const key = p(i, 0) + "," + p(i, 1) + "," + p(i, 2);
    if (!name.has(key)) name.set(key, name.size);
    same[i] = name.get(key);
  }
  const around = Array.from({ length: name.size }, () => []);
  for (let t = 0; t < count; ++t) for (let j = 0; j < 3; ++j) around[same[triangles[3 * t + j]]].push(t);
  const cosine = (s, t) => flat[3 * s] * flat[3 * t] + flat[3 * s + 1] * flat[3 * t + 1] + flat[3 * s + 2] * flat[3 * t + 2];
  for (let t = 0; t < count; ++t)
    for (let j = 0; j < 3; ++j) {
      const corner = same[triangles[3 * t + j]], sum = [0, 0, 0];
      for (const s of around[corner])
        if (cosine(s, t) > (withEdges ? 0.999 : 0.7)) for (let k = 0; k < 3; ++k) sum[k] += flat[3 * s + k];
      const size = Math.hypot(sum[0], sum[1], sum[2]) || 1;
      for (let k = 0; k < 3; ++k) normals[9 * t + 3 * j + k] = sum[k] / size;
    }
  edge.fill(1e9);
  if (withEdges)
    for (let t = 0; t < count; ++t)
      for (let j = 0; j < 3; ++j) {
        const a = same[triangles[3 * t + ((j + 1) % 3)]], b = same[triangles[3 * t + ((j + 2) % 3)]];
        const folded = !around[a].some((s) => s !== t && around[b].includes(s) && cosine(s, t) > 0.999);
        // Height over the edge opposite to corner j.
        const q = (c) => [0, 1, 2].map((k) => positions[9 * t + 3 * c + k]);
        const [x, y, z] = [q(j), q((j + 1) % 3), q((j + 2) % 3)];
        const d = [0, 1, 2].map((k) => z[k] - y[k]), e = [0, 1, 2].map((k) => x[k] - y[k]);
        const area = Math.hypot(d[1] * e[2] - d[2] * e[1], d[2] * e[0] - d[0] * e[2], d[0] * e[1] - d[1] * e[0]);
        for (let c = 0; c < 3; ++c)
          edge[9 * t + 3 * c + j] = folded ? (c === j ? area / (Math.hypot(d[0], d[1], d[2]) || 1) : 0) : 1e9;
      }
  return { positions, normals, edge };
};

// ---- The replay ----

carom.Replay = class {
  constructor(holder, manifest, data) {
    Object.assign(this, { holder, manifest, data, frame: 0, blend: 0, colour: "speed", forces: "off", forceSize: 1 });
    this.up = new THREE.Vector3(...manifest.up).normalize();
    this.focus = new THREE.Vector3(...manifest.focus);
    this.radius = Math.max(new THREE.Vector3(...manifest.focus_half).length(), 1e-6);
    this.makeRenderer();
    this.makePoses();
    this.makeUniforms();
    this.scene = new THREE.Scene();
    this.makeGrounds();
    this.makeBodies();
    this.makeForces();
    this.makeCamera();
    this.show(0, 0);
    this.resize();
    new ResizeObserver(() => this.resize()).observe(holder);
  }

  makeRenderer() {
    const canvas = document.createElement("canvas");
    this.holder.prepend(canvas);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    const gl = this.renderer.getContext();
    for (const name of ["OES_texture_float", "EXT_frag_depth", "OES_standard_derivatives"])
      if (!gl.getExtension(name)) throw new Error("this browser's WebGL has no " + name);
    this.canvas = canvas;
  }

  makePoses() {
    const texels = 2 * this.manifest.bodies, width = carom.poseWidth, height = Math.max(1, Math.ceil(texels / width));
    this.poses = [0, 1].map(() => {
      const texture = new THREE.DataTexture(new Float32Array(4 * width * height), width, height, THREE.RGBAFormat,
        THREE.FloatType);
      texture.minFilter = texture.magFilter = THREE.NearestFilter;
      texture.frame = -1;
      const rest = this.data.rest, values = texture.image.data;
      for (let i = 0; i < this.manifest.bodies; ++i) {
        for (let k = 0; k < 3; ++k) values[8 * i + k] = rest[7 * i + k];
        for (let k = 0; k < 4; ++k) values[8 * i + 4 + k] = this.data.kind[i] === 3 ? 0 : rest[7 * i + 3 + ((k + 1) % 4)];
      }
      return texture;
    });
    this.poseSize = new THREE.Vector2(width, height);
  }

  // Fills a texture with the poses of a frame.
  load(texture, frame) {
    if (texture.frame === frame && texture.colour === this.colour) return;
    const { data, manifest: m } = this, values = texture.image.data, first = frame * m.moving;
    const value = this.colour === "force" ? data.load : data.speed;
    const scale = m.box_size.map((s) => s / m.box_steps);
    const [x, y, z] = data.position, [w, a, b, c] = data.turn;
    for (let k = 0; k < m.moving; ++k) {
      const i = 8 * data.moving[k], at = first + k, seen = x[at] !== 65535;
      values[i] = m.box_low[0] + x[at] * scale[0];
      values[i + 1] = m.box_low[1] + y[at] * scale[1];
      values[i + 2] = m.box_low[2] + z[at] * scale[2];
      values[i + 3] = value[at] / 255;
      values[i + 4] = seen ? a[at] / m.turn_steps - 1 : 0;
      values[i + 5] = seen ? b[at] / m.turn_steps - 1 : 0;
      values[i + 6] = seen ? c[at] / m.turn_steps - 1 : 0;
      values[i + 7] = seen ? w[at] / m.turn_steps - 1 : 0;
    }
    texture.frame = frame;
    texture.colour = this.colour;
    texture.needsUpdate = true;
  }

  makeUniforms() {
    const side = new THREE.Vector3(1, 0, 0);
    if (Math.abs(this.up.x) > 0.9) side.set(0, 1, 0);
    const across = new THREE.Vector3().crossVectors(this.up, side).normalize();
    const sun = this.up.clone().multiplyScalar(1.5).addScaledVector(side, -0.55).addScaledVector(across, -0.9).normalize();
    if (this.manifest.planar) sun.copy(this.up).multiplyScalar(0.8).add(this.faceOn()).normalize();
    this.shadowTarget = new THREE.WebGLRenderTarget(2048, 2048, { minFilter: THREE.NearestFilter,
      magFilter: THREE.NearestFilter });
    const vectors = (list) => list.map((c) => new THREE.Vector3(...c).divideScalar(255));
    this.shared = {
      poseA: { value: this.poses[0] }, poseB: { value: this.poses[1] }, poseSize: { value: this.poseSize },
      blend: { value: 0 }, byValue: { value: 1 }, scaleColours: { value: vectors(carom.speedScale) },
      sun: { value: sun }, up: { value: this.up }, skyColour: { value: new THREE.Vector3(0.34, 0.37, 0.42) },
      groundColour: { value: new THREE.Vector3(0.15, 0.14, 0.13) },
      shadowMap: { value: this.shadowTarget.texture }, shadowMatrix: { value: new THREE.Matrix4() },
      shadowOn: { value: 1 }, shadowTexel: { value: 1 / 2048 },
      eye: { value: new THREE.Vector3() }, eyeDirection: { value: new THREE.Vector3() }, parallel: { value: 0 },
      opacity: { value: 1 }, edges: { value: 1 },
    };
    this.sunCamera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
    const reach = 1.7 * this.radius;
    Object.assign(this.sunCamera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0, far: 6 * reach });
    this.sunCamera.up.copy(Math.abs(sun.dot(this.up)) > 0.99 ? side : this.up);
    this.sunCamera.position.copy(this.focus).addScaledVector(sun, 3 * reach);
    this.sunCamera.lookAt(this.focus);
    this.sunCamera.updateProjectionMatrix();
    this.sunCamera.updateMatrixWorld();
    this.shared.shadowMatrix.value.multiplyMatrices(this.sunCamera.projectionMatrix, this.sunCamera.matrixWorldInverse);
  }

  material(vertexShader, fragmentShader, defines, more) {
    return new THREE.ShaderMaterial({ uniforms: this.shared, vertexShader, fragmentShader, defines,
      extensions: { derivatives: true, fragDepth: true }, ...more });
  }

  // Which way to look at motion in a plane.
  faceOn() {
    const n = new THREE.Vector3(...this.manifest.planar).normalize();
    return Math.abs(n.y) > 0.5 ? n.multiplyScalar(-Math.sign(n.y)) : n;
  }

  bodyPose(body, out) {
    const mix = (k) => {
      const a = this.poses[0].image.data[8 * body + k], b = this.poses[1].image.data[8 * body + k];
      return a + (b - a) * this.blend;
    };
    out.position.set(mix(0), mix(1), mix(2));
    out.quaternion.set(mix(4), mix(5), mix(6), mix(7)).normalize();
  }

  makeGrounds() {
    this.grounds = [];
    const { data, manifest: m } = this;
    const names = m.shape_kinds;
    for (let i = 0; i < m.colliders; ++i) {
      const name = names[data.colliderShape[i]];
      if (name !== "half_space" && name !== "plane") continue;
      const local = data.colliderLocal.subarray(7 * i, 7 * i + 7);
      const material = this.material(carom.shaders.groundVertex, carom.shaders.groundFragment, {}, { transparent: true,
        side: name === "plane" ? THREE.DoubleSide : THREE.FrontSide, depthWrite: false });
      material.uniforms = { ...this.shared, colour: { value: new THREE.Vector3() }, lineColour: { value: new THREE.Vector3() },
        normalDirection: { value: new THREE.Vector3() }, reach: { value: 1 }, spacing: { value: 1 }, strength: { value: 1 } };
      const mesh = new THREE.Mesh(new THREE.PlaneBufferGeometry(2, 2), material);
      mesh.frustumCulled = false;
      mesh.renderOrder = -1;
      this.scene.add(mesh);
      this.grounds.push({ mesh, body: data.colliderBody[i], local: { position: new THREE.Vector3(...local.subarray(0, 3)),
        turn: new THREE.Quaternion(local[4], local[5], local[6], local[3]) } });
    }
    const raw = this.radius / 6, power = Math.pow(10, Math.floor(Math.log10(raw)));
    this.gridSpacing = [1, 2, 5, 10].map((k) => k * power).find((step) => step >= raw);
    this.placeGrounds();
  }

  placeGrounds() {
    const pose = { position: new THREE.Vector3(), quaternion: new THREE.Quaternion() };
    for (const { mesh, body, local } of this.grounds) {
      this.bodyPose(body, pose);
      const turn = pose.quaternion.clone().multiply(local.turn);
      const point = local.position.clone().applyQuaternion(pose.quaternion).add(pose.position);
      const normal = new THREE.Vector3(0, 0, 1).applyQuaternion(turn);
      const flat = normal.dot(this.up);
      // The grid keeps its place on the plane; its middle is under what is looked at, on a whole cell.
      const u = new THREE.Vector3(1, 0, 0).applyQuaternion(turn), v = new THREE.Vector3(0, 1, 0).applyQuaternion(turn);
      const offset = this.focus.clone().sub(point), cell = 5 * this.gridSpacing;
      const snap = (x) => Math.round(x / cell) * cell;
      mesh.position.copy(point).addScaledVector(u, snap(offset.dot(u))).addScaledVector(v, snap(offset.dot(v)));
      mesh.quaternion.copy(turn);
      const wall = Math.abs(flat) < 0.5, uniforms = mesh.material.uniforms;
      const reach = (wall ? 2.2 : 4.5) * this.radius;
      // The geometry is in metres, so that the grid is, too.
      if (mesh.userData.reach !== reach) {
        mesh.geometry.dispose();
        mesh.geometry = new THREE.PlaneBufferGeometry(2 * reach, 2 * reach);
        mesh.userData.reach = reach;
      }
      uniforms.normalDirection.value.copy(normal);
      uniforms.reach.value = reach;
      uniforms.spacing.value = this.gridSpacing;
      uniforms.strength.value = wall ? 0.22 : 1;
    }
  }

  makeBodies() {
    const { data, manifest: m } = this, groups = new Map(), merged = [];
    for (let i = 0; i < m.colliders; ++i) {
      const name = m.shape_kinds[data.colliderShape[i]], body = data.colliderBody[i];
      if (data.kind[body] === 3) continue;
      const kind = { sphere: "ball", box: "box", capsule: "capsule", cylinder: "cylinder", disk: "cylinder",
        cone: "cone" }[name];
      if (kind) {
        if (!groups.has(kind)) groups.set(kind, []);
        groups.get(kind).push(i);
      } else if (data.colliderSurface[i] >= 0) {
        merged.push(i);
      }
    }
    this.meshes = [];
    for (const [kind, list] of groups) this.addInstances(kind, list);
    if (merged.length > 0) this.addMerged(merged);
  }

  addInstances(kind, list) {
    const { data } = this, n = list.length, shaders = carom.shaders;
    const sides = n > 3000 ? 14 : n > 500 ? 24 : 40;
    const geometry = kind === "ball" ? carom.forms.square() : kind === "box" ? carom.forms.box() : carom.forms[kind](sides);
    const part = (source, width, from, count) => {
      const out = new Float32Array(n * count);
      list.forEach((i, k) => { for (let c = 0; c < count; ++c) out[k * count + c] = source[i * width + from + c]; });
      return out;
    };
    const attribute = (name, array, count) =>
      geometry.setAttribute(name, new THREE.InstancedBufferAttribute(array, count));
    attribute("body", Float32Array.from(list, (i) => data.colliderBody[i]), 1);
    attribute("size", part(data.colliderSize, 3, 0, 3), 3);
    attribute("localPlace", part(data.colliderLocal, 7, 0, 3), 3);
    const turns = part(data.colliderLocal, 7, 3, 4);
    for (let k = 0; k < n; ++k) turns.set([turns[4 * k + 1], turns[4 * k + 2], turns[4 * k + 3], turns[4 * k]], 4 * k);
    attribute("localTurn", turns, 4);
    attribute("lively", Float32Array.from(list, (i) => (data.kind[data.colliderBody[i]] === 0 ? 1 : 0)), 1);
    attribute("tint", new Float32Array(3 * n), 3);
    geometry.instanceCount = geometry.maxInstancedCount = n;
    const ball = kind === "ball";
    const defines = kind === "capsule" ? { CAPSULE: 1 } : kind === "box" ? { BOX: 1 } : {};
    if (!ball && kind !== "box") {
      const corners = geometry.attributes.position.count;
      geometry.setAttribute("edge", new THREE.BufferAttribute(new Float32Array(3 * corners).fill(1e9), 3));
    }
    this.addMesh(geometry, list,
      this.material(ball ? shaders.ballVertex : shaders.solidVertex, ball ? shaders.ballFragment : shaders.solidFragment,
        defines, ball ? { side: THREE.DoubleSide } : {}),
      this.material(ball ? shaders.ballVertex : shaders.solidVertex, ball ? shaders.depthOfBall : shaders.depthOfSolid,
        defines, { side: THREE.DoubleSide }), 1);
  }

  // Polyhedra, meshes and terrain as one geometry; its corners are in the bodies' frames.
  addMerged(list) {
    const { data, manifest: m } = this, made = new Map(), firsts = [];
    let point = 0, triangle = 0;
    for (let s = 0; s < m.surfaces.length; s += 2) {
      firsts.push([point, triangle, m.surfaces[s], m.surfaces[s + 1]]);
      point += m.surfaces[s];
      triangle += m.surfaces[s + 1];
    }
    const surfaceOf = (s) => {
      if (!made.has(s)) {
        const [p, t, points, triangles] = firsts[s];
        made.set(s, carom.surface(data.surfacePoints.subarray(3 * p, 3 * (p + points)),
          data.surfaceTriangles.subarray(3 * t, 3 * (t + triangles)), triangles < 2000));
      }
      return made.get(s);
    };
    const corners = list.reduce((sum, i) => sum + 3 * firsts[data.colliderSurface[i]][3], 0);
    const fill = () => new Float32Array(3 * corners);
    const position = fill(), normal = fill(), edge = fill(), size = fill().fill(1), place = fill(), tint = fill();
    const turn = new Float32Array(4 * corners), body = new Float32Array(corners), lively = new Float32Array(corners);
    const owner = new Uint32Array(corners), v = new THREE.Vector3(), q = new THREE.Quaternion();
    let k = 0;
    for (const i of list) {
      const surface = surfaceOf(data.colliderSurface[i]), local = data.colliderLocal.subarray(7 * i, 7 * i + 7);
      q.set(local[4], local[5], local[6], local[3]);
      edge.set(surface.edge, 3 * k);
      for (let c = 0; c < surface.positions.length; c += 3, ++k) {
        v.fromArray(surface.positions, c).applyQuaternion(q);
        position.set([v.x + local[0], v.y + local[1], v.z + local[2]], 3 * k);
        v.fromArray(surface.normals, c).applyQuaternion(q).toArray(normal, 3 * k);
        turn[4 * k + 3] = 1;
        body[k] = data.colliderBody[i];
        lively[k] = data.kind[data.colliderBody[i]] === 0 ? 1 : 0;
        owner[k] = i;
      }
    }
    const geometry = new THREE.BufferGeometry();
    const attributes = { position: [position, 3], normal: [normal, 3], edge: [edge, 3], size: [size, 3],
      localPlace: [place, 3], localTurn: [turn, 4], body: [body, 1], lively: [lively, 1], tint: [tint, 3] };
    for (const [name, [array, count]] of Object.entries(attributes))
      geometry.setAttribute(name, new THREE.BufferAttribute(array, count));
    const shaders = carom.shaders;
    this.addMesh(geometry, owner, this.material(shaders.solidVertex, shaders.solidFragment, {}, { side: THREE.DoubleSide }),
      this.material(shaders.solidVertex, shaders.depthOfSolid, {}, { side: THREE.DoubleSide }), 1);
  }

  addMesh(geometry, colliders, look, depth) {
    const mesh = new THREE.Mesh(geometry, look);
    mesh.frustumCulled = false;
    mesh.userData = { colliders, look, depth };
    this.meshes.push(mesh);
    this.scene.add(mesh);
  }

  // Colours of what does not follow a value: by group or material, and of what stands still.
  tintOf(collider) {
    const { data, manifest: m } = this, body = data.colliderBody[collider], kind = data.kind[body];
    const dark = document.documentElement.dataset.shade === "dark";
    const terrain = ["mesh", "height_field"].includes(m.shape_kinds[data.colliderShape[collider]]);
    if (kind === 2) return terrain ? (dark ? [124, 122, 112] : [196, 189, 172]) : dark ? [112, 118, 126] : [176, 181, 186];
    if (kind === 1) return dark ? [140, 124, 104] : [164, 150, 134];
    const number = this.colour === "material" ? data.colliderMaterial[collider] : data.group[body];
    const alike = (this.colour === "material" ? m.materials : m.groups).length < 2;
    if (!alike) return carom.palette[number % carom.palette.length];
    const base = carom.palette[0], other = carom.palette[5], t = ((body * 7) % 5) / 5;
    return base.map((x, k) => x + t * (other[k] - x));
  }

  setColour(mode) {
    this.colour = mode;
    const byValue = mode === "speed" || mode === "force";
    this.shared.byValue.value = byValue ? 1 : 0;
    const scale = mode === "force" ? carom.loadScale : carom.speedScale;
    this.shared.scaleColours.value.forEach((c, k) => c.set(...scale[k]).divideScalar(255));
    for (const mesh of this.meshes) {
      const { colliders } = mesh.userData, tint = mesh.geometry.attributes.tint;
      for (let k = 0; k < colliders.length; ++k) {
        const c = this.tintOf(colliders[k]);
        tint.array[3 * k] = c[0] / 255;
        tint.array[3 * k + 1] = c[1] / 255;
        tint.array[3 * k + 2] = c[2] / 255;
      }
      tint.needsUpdate = true;
    }
    this.show(this.frame, this.blend);
  }

  setShade(dark) {
    for (const { mesh } of this.grounds) {
      mesh.material.uniforms.colour.value.set(...(dark ? [0.135, 0.15, 0.175] : [0.925, 0.92, 0.9]));
      mesh.material.uniforms.lineColour.value.set(...(dark ? [0.34, 0.38, 0.44] : [0.62, 0.64, 0.66]));
    }
    this.setColour(this.colour);
  }

  // ---- Forces ----

  makeForces() {
    const most = Math.max(1, ...this.manifest.contact_counts) * 2;
    const make = (geometry, headed) => {
      for (const [name, count] of [["from", 3], ["along", 3], ["radius", 1], ["value", 1]]) {
        const attribute = new THREE.InstancedBufferAttribute(new Float32Array(most * count), count);
        attribute.usage = THREE.DynamicDrawUsage;
        geometry.setAttribute(name, attribute);
      }
      const material = new THREE.ShaderMaterial({ vertexShader: carom.shaders.arrowVertex, side: THREE.DoubleSide,
        fragmentShader: carom.shaders.arrowFragment, uniforms: { headed: { value: headed },
          forceColours: { value: carom.forceScale.map((c) => new THREE.Vector3(...c).divideScalar(255)) } } });
      const mesh = new THREE.Mesh(geometry, material);
      mesh.frustumCulled = false;
      mesh.visible = false;
      this.scene.add(mesh);
      return mesh;
    };
    this.arrows = make(carom.forms.arrow(), 1);
    this.chains = make(carom.forms.rod(), 0);
  }

  setForces(mode) {
    this.forces = mode;
    this.arrows.visible = mode === "arrows";
    this.chains.visible = mode === "chains";
    const ghost = mode === "chains";
    this.shared.opacity.value = ghost ? 0.16 : mode === "arrows" ? 0.45 : 1;
    for (const mesh of this.meshes) {
      mesh.userData.look.transparent = mode !== "off";
      mesh.userData.look.depthWrite = mode === "off";
    }
    this.show(this.frame, this.blend);
  }

  fillForces(frame) {
    const { data, manifest: m } = this, first = data.contactFirst[frame], count = m.contact_counts[frame];
    const target = this.forces === "arrows" ? this.arrows : this.chains, a = target.geometry.attributes;
    const poses = (this.blend < 0.5 ? this.poses[0] : this.poses[1]).image.data;
    const size = this.forceSize * m.body_size, typical = m.force_typical || 1;
    let n = 0;
    const add = (from, along, radius, value) => {
      a.from.array.set(from, 3 * n);
      a.along.array.set(along, 3 * n);
      a.radius.array[n] = radius;
      a.value.array[n++] = value;
    };
    for (let i = first; i < first + count; ++i) {
      const point = [0, 1, 2].map((k) => m.contact_low[k] + (data.contactPoint[k][i] / 65535) * m.contact_size[k]);
      let force = [0, 1, 2].map((k) => ((2 * data.contactForce[k][i]) / 65535 - 1) * m.force_scale);
      const strength = Math.hypot(...force), share = strength / typical, bodies = [data.contactA[i], data.contactB[i]];
      if (this.forces === "arrows") {
        // On the body that moves; between two of these on the first.
        if (data.kind[bodies[0]] !== 0 && data.kind[bodies[1]] === 0) force = force.map((x) => -x);
        add(point, force.map((x) => (x / typical) * 2.2 * size), Math.min(0.16, 0.05 + 0.07 * share) * size, share);
      } else {
        for (const body of bodies) {
          if (data.kind[body] !== 0) continue;
          const centre = [0, 1, 2].map((k) => poses[8 * body + k]);
          add(centre, point.map((x, k) => x - centre[k]), Math.min(0.5, 0.28 * share) * size, share);
        }
      }
    }
    for (const name of ["from", "along", "radius", "value"]) a[name].needsUpdate = true;
    target.geometry.instanceCount = target.geometry.maxInstancedCount = n;
    target.visible = n > 0;
  }

  // ---- Camera ----

  makeCamera() {
    this.camera = new THREE.PerspectiveCamera(28, 1.6, 0.01 * this.radius, 200 * this.radius);
    this.camera.up.copy(this.up);
    this.controls = new THREE.OrbitControls(this.camera, this.canvas);
    this.controls.enableKeys = false;
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.screenSpacePanning = true;
    this.controls.addEventListener("change", () => { this.dirty = true; });
    this.lookFromStart();
  }

  lookFromStart() {
    const side = new THREE.Vector3(-1, 0, 0);
    if (Math.abs(this.up.x) > 0.9) side.set(0, -1, 0);
    const across = new THREE.Vector3().crossVectors(side, this.up).normalize();
    const from = this.manifest.planar ? this.faceOn()
      : across.clone().negate().multiplyScalar(1).addScaledVector(side, -0.55).addScaledVector(this.up, 0.45).normalize();
    // As near as the whole box allows.
    const half = new THREE.Vector3(...this.manifest.focus_half), tall = Math.tan((0.5 * this.camera.fov * Math.PI) / 180);
    const right = new THREE.Vector3().crossVectors(from, this.up).normalize(), above = new THREE.Vector3().crossVectors(right, from);
    const extent = (d) => Math.abs(d.x) * half.x + Math.abs(d.y) * half.y + Math.abs(d.z) * half.z;
    const distance = Math.max(extent(above) / tall, extent(right) / (tall * this.camera.aspect)) * 1.18 + extent(from);
    this.camera.position.copy(this.focus).addScaledVector(from, Math.max(distance, 1e-3));
    this.controls.target.copy(this.focus);
    this.controls.update();
    this.dirty = true;
  }

  resize() {
    const width = this.holder.clientWidth, height = this.holder.clientHeight;
    if (width === 0 || height === 0) return;
    const first = !this.sized;
    this.sized = true;
    this.renderer.setPixelRatio(this.plain ? 1 : Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height);
    this.canvas.style.width = this.canvas.style.height = "";
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (first) this.lookFromStart();
    this.dirty = true;
  }

  // ---- One moment ----

  show(frame, blend) {
    const last = this.manifest.frames - 1;
    this.frame = Math.min(Math.max(frame, 0), last);
    this.blend = this.frame === last ? 0 : blend;
    // Whatever was the later frame may become the earlier one.
    const next = Math.min(this.frame + 1, last);
    if (this.poses[1].frame === this.frame) this.poses.reverse();
    this.load(this.poses[0], this.frame);
    this.load(this.poses[1], this.blend > 0 ? next : this.frame);
    this.shared.poseA.value = this.poses[0];
    this.shared.poseB.value = this.poses[1];
    this.shared.blend.value = this.blend;
    this.placeGrounds();
    if (this.forces !== "off") this.fillForces(this.blend < 0.5 ? this.frame : next);
    this.dirty = true;
  }

  // Draws when something changed; true when it did.
  draw() {
    this.controls.update();
    if (!this.dirty) return false;
    this.dirty = false;
    const { renderer, shared } = this;
    if (shared.shadowOn.value > 0.5) {
      for (const mesh of this.meshes) mesh.material = mesh.userData.depth;
      const hidden = [...this.grounds.map((g) => g.mesh), this.arrows, this.chains].filter((mesh) => mesh.visible);
      hidden.forEach((mesh) => { mesh.visible = false; });
      shared.parallel.value = 1;
      this.sunCamera.getWorldDirection(shared.eyeDirection.value);
      renderer.setRenderTarget(this.shadowTarget);
      renderer.setClearColor(0xffffff, 1);
      renderer.clear();
      renderer.render(this.scene, this.sunCamera);
      renderer.setRenderTarget(null);
      hidden.forEach((mesh) => { mesh.visible = true; });
      for (const mesh of this.meshes) mesh.material = mesh.userData.look;
    }
    shared.parallel.value = 0;
    shared.eye.value.copy(this.camera.position);
    renderer.setClearColor(0x000000, 0);
    renderer.render(this.scene, this.camera);
    return true;
  }

  // For slow machines: first fewer pixels, then no shadows.
  simplify() {
    if (!this.plain) {
      this.plain = true;
      this.resize();
    } else if (this.shared.shadowOn.value > 0.5) {
      this.shared.shadowOn.value = 0;
    } else {
      return false;
    }
    this.dirty = true;
    return true;
  }

  // Colours of what was drawn, for tests.
  pixels() {
    this.dirty = true;
    this.draw();
    const gl = this.renderer.getContext(), width = gl.drawingBufferWidth, height = gl.drawingBufferHeight;
    const out = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, out);
    return out;
  }
};
