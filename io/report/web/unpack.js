// What the program packed (io/report/replay*.cpp) becomes typed arrays again.
"use strict";

window.carom = { errors: [] };
window.addEventListener("error", (event) => carom.errors.push(String(event.message)));
window.addEventListener("unhandledrejection", (event) => carom.errors.push(String(event.reason)));

carom.manifest = () => JSON.parse(document.getElementById("manifest").textContent);

carom.bytesOf = (text) => {
  const digits = new Uint8Array(128);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (let i = 0; i < 64; ++i) digits[alphabet.charCodeAt(i)] = i;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  for (let i = 0, k = 0; i < text.length; i += 4) {
    const word = (digits[text.charCodeAt(i)] << 18) | (digits[text.charCodeAt(i + 1)] << 12) |
      (digits[text.charCodeAt(i + 2)] << 6) | digits[text.charCodeAt(i + 3)];
    bytes[k++] = word >> 16;
    if (k < bytes.length) bytes[k++] = word >> 8;
    if (k < bytes.length) bytes[k++] = word;
  }
  return bytes;
};

// One block of the page as an array of `Type`, its bytes brought together from their planes.
carom.block = async (name, Type) => {
  const element = document.getElementById("block-" + name);
  const packed = carom.bytesOf(element.textContent.trim());
  element.remove();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const width = Type.BYTES_PER_ELEMENT, count = planes.length / width;
  if (width === 1) return new Type(planes.buffer);
  const bytes = new Uint8Array(planes.length);
  for (let k = 0; k < width; ++k)
    for (let i = 0; i < count; ++i) bytes[i * width + k] = planes[k * count + i];
  return new Type(bytes.buffer);
};

// Undoes differences in time: values of `items` per frame, each the zigzag coded deviation from what was expected.
carom.series = async (name, Type, items, twice) => {
  const column = await carom.block(name, Type);
  for (let i = items; i < column.length; ++i) {
    const change = column[i] & 1 ? -((column[i] + 1) >> 1) : column[i] >> 1;
    const before = column[i - items];
    column[i] = change + (twice && i >= 2 * items ? 2 * before - column[i - 2 * items] : before);
  }
  return column;
};
