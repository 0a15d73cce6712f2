// Runs in the page of a chart: gives what a reader would see as overlapping or cut off.
(() => {
  const svg = document.querySelector("svg");
  const page = svg.getBoundingClientRect();
  // Vega hides labels of axes that would overlap.
  const boxes = [...svg.querySelectorAll('text:not([opacity="0"])')]
    .map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }))
    .filter(({ text, box }) => text !== "" && box.width > 0);
  const cut = boxes
    .filter(({ box }) =>
      box.left < page.left - 1 || box.right > page.right + 1 || box.top < page.top - 1 ||
      box.bottom > page.bottom + 1
    )
    .map(({ text }) => `cut off: ${text}`);
  // An interactive chart draws a text with its outline first, and then without.
  const isOutline = (a, b) =>
    a.text === b.text && Math.abs(a.box.left + a.box.right - b.box.left - b.box.right) < 1 &&
    Math.abs(a.box.top + a.box.bottom - b.box.top - b.box.bottom) < 1;
  const overlapping = boxes.flatMap((a, index) =>
    boxes.slice(index + 1).filter((b) => {
      const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      // The box of a line of text is higher than its letters.
      return across > 1 && down > 4 && !isOutline(a, b);
    }).map((b) => `overlap: ${a.text} | ${b.text}`)
  );
  return { texts: boxes.length, faults: [...cut, ...overlapping] };
})();
