// How bodies, ground and forces are drawn. Poses come from two textures, the frames before and after the moment shown;
// a body has two texels: (x, y, z, value) and its quaternion (x, y, z, w).
"use strict";

carom.poseWidth = 1024;

carom.shaders = (() => {
  const pose = `
    uniform sampler2D poseA, poseB;
    uniform vec2 poseSize;
    uniform float blend;
    attribute float body;
    vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
    // false: the body is not to be seen
    bool findPose(out vec3 place, out vec4 q, out float value) {
      float t = 2.0 * body;
      vec2 first = vec2(mod(t, poseSize.x) + 0.5, floor(t / poseSize.x) + 0.5) / poseSize;
      vec2 second = first + vec2(1.0 / poseSize.x, 0.0);
      vec4 a = texture2D(poseA, first), b = texture2D(poseB, first);
      vec4 qa = texture2D(poseA, second), qb = texture2D(poseB, second);
      place = mix(a.xyz, b.xyz, blend);
      value = mix(a.w, b.w, blend);
      q = mix(qa, dot(qa, qb) < 0.0 ? -qb : qb, blend);
      bool seen = dot(qa, qa) > 0.5 && dot(qb, qb) > 0.5;
      q = seen ? normalize(q) : vec4(0.0, 0.0, 0.0, 1.0);
      return seen;
    }`;
  const light = `
    uniform vec3 sun, up, skyColour, groundColour;
    uniform sampler2D shadowMap;
    uniform mat4 shadowMatrix;
    uniform float shadowOn, shadowTexel;
    float unpackDepth(vec4 c) { return dot(c, vec4(1.0, 1.0 / 255.0, 1.0 / 65025.0, 1.0 / 16581375.0)); }
    float lit(vec3 place, vec3 n) {
      if (shadowOn < 0.5) return 1.0;
      vec4 s = shadowMatrix * vec4(place, 1.0);
      vec3 at = s.xyz * 0.5 + 0.5;
      if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
      float bias = 0.0015 + 0.004 * (1.0 - max(dot(n, sun), 0.0));
      float sum = 0.0;
      for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j)
          sum += step(at.z - bias, unpackDepth(texture2D(shadowMap, at.xy + vec2(float(i), float(j)) * shadowTexel)));
      return sum / 9.0;
    }
    vec3 shaded(vec3 colour, vec3 n, vec3 place, vec3 toEye) {
      vec3 base = pow(colour, vec3(2.2));
      float sunlight = max(dot(n, sun), 0.0) * lit(place, n);
      vec3 ambient = mix(groundColour, skyColour, 0.5 + 0.5 * dot(n, up));
      vec3 halfway = normalize(sun + toEye);
      float gloss = pow(max(dot(n, halfway), 0.0), 40.0) * 0.18 * sunlight;
      return pow(base * (ambient + 1.05 * sunlight) + gloss, vec3(1.0 / 2.2));
    }`;
  const colouring = `
    uniform vec3 scaleColours[5];
    uniform float byValue;
    vec3 scaleColour(float x) {
      float t = clamp(x, 0.0, 1.0) * 4.0;
      vec3 c = mix(scaleColours[0], scaleColours[1], clamp(t, 0.0, 1.0));
      c = mix(c, scaleColours[2], clamp(t - 1.0, 0.0, 1.0));
      c = mix(c, scaleColours[3], clamp(t - 2.0, 0.0, 1.0));
      return mix(c, scaleColours[4], clamp(t - 3.0, 0.0, 1.0));
    }
    attribute vec3 tint;
    attribute float lively;
    varying vec3 vColour;
    void chooseColour(float value) { vColour = byValue > 0.5 && lively > 0.5 ? scaleColour(value) : tint; }`;
  const depth = `
    vec4 packDepth(float d) {
      vec4 c = fract(d * vec4(1.0, 255.0, 65025.0, 16581375.0));
      return c - c.yzww * vec4(1.0 / 255.0, 1.0 / 255.0, 1.0 / 255.0, 0.0);
    }`;

  const solidVertex = pose + colouring + `
    attribute vec3 size, localPlace;
    attribute vec4 localTurn;
    attribute vec3 edge;
    varying vec3 vPlace, vNormal, vEdge;
    void main() {
      vec3 place; vec4 q; float value;
      bool seen = findPose(place, q, value);
      chooseColour(value);
      #ifdef CAPSULE
        vec3 v = position * size.x + vec3(0.0, 0.0, sign(position.z) * size.z);
        vec3 n = normal;
      #else
        vec3 v = position * size;
        vec3 n = normal / size;
      #endif
      #ifdef BOX
        vEdge = (1.0 - abs(position)) * size + abs(normal) * 1e9;
      #else
        vEdge = edge;
      #endif
      vPlace = place + turn(q, localPlace + turn(localTurn, v));
      vNormal = turn(q, turn(localTurn, n));
      gl_Position = seen ? projectionMatrix * viewMatrix * vec4(vPlace, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
    }`;
  const solidFragment = light + `
    uniform float opacity, edges;
    varying vec3 vColour, vPlace, vNormal, vEdge;
    void main() {
      vec3 n = normalize(vNormal);
      vec3 toEye = normalize(cameraPosition - vPlace);
      if (dot(n, toEye) < 0.0) n = -n;
      vec3 width = max(fwidth(vEdge), vec3(1e-12));
      vec3 near = smoothstep(vec3(0.2), vec3(1.3), vEdge / width);
      float line = mix(1.0, mix(0.55, 1.0, min(min(near.x, near.y), near.z)), edges);
      gl_FragColor = vec4(shaded(vColour * line, n, vPlace, toEye), opacity);
    }`;

  // Balls are squares that face the eye; each pixel finds its point of the ball. A faint chequer shows the spin.
  const ballVertex = pose + colouring + `
    attribute vec3 size, localPlace;
    attribute vec4 localTurn;
    uniform vec3 eye, eyeDirection;
    uniform float parallel;
    varying vec3 vRay, vCentre;
    varying float vRadius;
    varying vec4 vTurn;
    void main() {
      vec3 place; vec4 q; float value;
      bool seen = findPose(place, q, value);
      chooseColour(value);
      float r = size.x;
      vCentre = place + turn(q, localPlace);
      vTurn = q;
      vRadius = r;
      vec3 towards = vCentre - eye;
      float d = max(length(towards), 1.0001 * r);
      vec3 along = parallel > 0.5 ? eyeDirection : towards / d;
      vec3 u = normalize(abs(along.z) < 0.9 ? cross(along, vec3(0.0, 0.0, 1.0)) : cross(along, vec3(1.0, 0.0, 0.0)));
      vec3 v = cross(u, along);
      float back = parallel > 0.5 ? 0.0 : r * r / d;
      float reach = parallel > 0.5 ? r : r * sqrt(max(0.0, 1.0 - r * r / (d * d)));
      vRay = vCentre - along * back + (u * position.x + v * position.y) * reach * 1.02;
      gl_Position = seen ? projectionMatrix * viewMatrix * vec4(vRay, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
    }`;
  const ballHit = `
    uniform vec3 eye, eyeDirection;
    uniform float parallel;
    uniform mat4 projectionMatrix;
    varying vec3 vRay, vCentre;
    varying float vRadius;
    varying vec4 vTurn;
    vec3 turnBack(vec4 q, vec3 v) { return v + 2.0 * cross(-q.xyz, cross(-q.xyz, v) + q.w * v); }
    bool hit(out vec3 place, out vec3 n) {
      vec3 direction = parallel > 0.5 ? eyeDirection : normalize(vRay - eye);
      vec3 from = vRay - vCentre;
      float b = dot(from, direction), c = dot(from, from) - vRadius * vRadius;
      float root = b * b - c;
      if (root < 0.0) return false;
      vec3 offset = from + direction * (-b - sqrt(root));
      place = vCentre + offset;
      n = offset / vRadius;
      return true;
    }
    float depthOf(vec3 place) {
      vec4 clip = projectionMatrix * viewMatrix * vec4(place, 1.0);
      return 0.5 * clip.z / clip.w + 0.5;
    }`;
  const ballFragment = light + ballHit + `
    uniform float opacity;
    varying vec3 vColour;
    void main() {
      vec3 place, n;
      if (!hit(place, n)) discard;
      gl_FragDepthEXT = depthOf(place);
      vec3 own = turnBack(vTurn, n);
      float chequer = smoothstep(-0.02, 0.02, own.x * own.y * own.z * 8.0);
      gl_FragColor = vec4(shaded(vColour * mix(0.86, 1.0, chequer), n, place, normalize(cameraPosition - place)), opacity);
    }`;

  const groundVertex = `
    varying vec3 vPlace;
    varying vec2 vPlane;
    void main() {
      vPlane = position.xy;
      vec4 place = modelMatrix * vec4(position, 1.0);
      vPlace = place.xyz;
      gl_Position = projectionMatrix * viewMatrix * place;
    }`;
  const groundFragment = light + `
    uniform vec3 colour, lineColour, normalDirection;
    uniform float reach, spacing, strength;
    varying vec3 vPlace;
    varying vec2 vPlane;
    float grid(float step) {
      vec2 at = vPlane / step;
      vec2 width = fwidth(at);
      vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-9));
      vec2 lines = (1.0 - smoothstep(0.0, 1.2, near)) * (1.0 - smoothstep(0.15, 0.5, width));
      return max(lines.x, lines.y);
    }
    void main() {
      float away = length(vPlane) / reach;
      float fade = 1.0 - smoothstep(0.35, 1.0, away);
      float shadow = lit(vPlace, normalDirection);
      float line = max(0.55 * grid(spacing), grid(5.0 * spacing));
      vec3 c = mix(colour, lineColour, 0.5 * line) * mix(0.72, 1.0, shadow);
      gl_FragColor = vec4(c, fade * strength);
    }`;

  const arrowVertex = `
    attribute vec3 from, along;
    attribute float radius, value;
    uniform float headed;
    varying vec3 vNormal, vPlace;
    varying float vValue;
    void main() {
      float whole = length(along);
      vec3 w = whole > 0.0 ? along / whole : vec3(0.0, 0.0, 1.0);
      vec3 u = normalize(abs(w.z) < 0.9 ? cross(w, vec3(0.0, 0.0, 1.0)) : cross(w, vec3(1.0, 0.0, 0.0)));
      vec3 v = cross(w, u);
      // Heads keep their form; position.z is 0 at the start, 1 where the head begins, 2 at the tip.
      float head = headed > 0.5 ? min(0.5 * whole, 4.5 * radius) : 0.0;
      float z = position.z <= 1.0 ? position.z * (whole - head) : whole - head + (position.z - 1.0) * head;
      vPlace = from + (u * position.x + v * position.y) * radius + w * z;
      vNormal = u * normal.x + v * normal.y + w * normal.z;
      vValue = value;
      gl_Position = projectionMatrix * viewMatrix * vec4(vPlace, 1.0);
    }`;
  const arrowFragment = `
    uniform vec3 forceColours[3];
    varying vec3 vNormal, vPlace;
    varying float vValue;
    void main() {
      vec3 c = mix(forceColours[0], forceColours[1], clamp(2.0 * vValue, 0.0, 1.0));
      c = mix(c, forceColours[2], clamp(2.0 * vValue - 1.0, 0.0, 1.0));
      float facing = abs(dot(normalize(vNormal), normalize(cameraPosition - vPlace)));
      gl_FragColor = vec4(c * (0.6 + 0.4 * facing), 1.0);
    }`;

  const depthOfSolid = depth + `void main() { gl_FragColor = packDepth(gl_FragCoord.z); }`;
  const depthOfBall = depth + ballHit + `
    void main() {
      vec3 place, n;
      if (!hit(place, n)) discard;
      float d = depthOf(place);
      gl_FragDepthEXT = d;
      gl_FragColor = packDepth(d);
    }`;
  return { solidVertex, solidFragment, ballVertex, ballFragment, groundVertex, groundFragment, arrowVertex,
    arrowFragment, depthOfSolid, depthOfBall };
})();
