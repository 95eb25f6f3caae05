// A page whose figures are pictures: only light and dark are left to do.
"use strict";

window.addEventListener("DOMContentLoaded", () => {
  document.getElementById("shade").addEventListener("click", () => carom.shade.set(carom.shade.dark() ? "light" : "dark"));
  carom.ready = true;
});
