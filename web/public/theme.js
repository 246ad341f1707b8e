// Runs before the first drawing, so that the page does not flash in the other theme.
(() => {
  let wanted = null;
  try {
    wanted = localStorage.getItem("pciatlas.theme");
  } catch {
    // Storage is switched off: the system decides.
  }
  const dark = wanted === "dark" || (wanted !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
})();
