// Judges what is shown; see judge.rs. `width` is the width of the window, `coarse` whether the pointer is a finger.
const found = [];
const short = (text) => JSON.stringify(text.trim().slice(0, 40));
const shown = (element) => element.checkVisibility({ checkVisibilityCSS: true });
const style = (element) => getComputedStyle(element);

// Text for screen readers alone lives in a box of one pixel; a link to skip ahead shows itself when it is focused.
function unseen(element) {
  for (let up = element; up; up = up.parentElement) {
    const box = up.getBoundingClientRect();
    if (box.width <= 1 && box.height <= 1 && style(up).overflowX === "hidden") return true;
  }
  return !!element.closest(".skip");
}

if (document.scrollingElement.scrollWidth > width) found.push(`sideways scroll: ${document.scrollingElement.scrollWidth} px in ${width}`);

// The part of a box that is not clipped away; `cut` when something hides a part that no scrolling brings back.
function visible(element, box) {
  let { left, top, right, bottom } = box;
  let cut = "";
  for (let up = element; up && up !== document.documentElement; up = up.parentElement) {
    const { overflowX, overflowY, position } = style(up);
    const clipsX = overflowX !== "visible";
    const clipsY = overflowY !== "visible";
    if (clipsX || clipsY) {
      const frame = up.getBoundingClientRect();
      const hides = (overflow) => overflow === "hidden" || overflow === "clip";
      // What a list has scrolled away is not cut, and neither is it by what lies round the list.
      const there = right > left && bottom > top;
      if (there && hides(overflowX) && (right > frame.right + 1 || left < frame.left - 1)) cut = up.className || up.tagName;
      if (there && hides(overflowY) && (bottom > frame.bottom + 3 || top < frame.top - 3)) cut = up.className || up.tagName;
      if (clipsX) { left = Math.max(left, frame.left); right = Math.min(right, frame.right); }
      if (clipsY) { top = Math.max(top, frame.top); bottom = Math.min(bottom, frame.bottom); }
    }
    if (position === "fixed") break;
  }
  return { left, top, right, bottom, cut };
}

// What lies above the page on purpose: bars that stay, sheets, and what opens over it on a ground of its own.
const opaque = (look) => !["transparent", "rgba(0, 0, 0, 0)"].includes(look.backgroundColor);
const layer = (element) => {
  for (let up = element; up; up = up.parentElement) {
    const look = style(up);
    const raised = look.position === "absolute" && look.zIndex !== "auto" && opaque(look);
    if (raised || ["fixed", "sticky"].includes(look.position) || up.tagName === "DIALOG") return up;
  }
  return null;
};

const labels = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (!node.data.trim() || ["SCRIPT", "STYLE", "NOSCRIPT", "TITLE", "DESC", "OPTION"].includes(element.tagName.toUpperCase())) continue;
  if (unseen(element) || !shown(element)) continue;
  const size = parseFloat(style(element).fontSize);
  if (size < 11.99) found.push(`text of ${size} px: ${short(node.data)}`);
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const box of range.getClientRects()) {
    if (box.width < 1 || box.height < 1) continue;
    const seen = visible(element, box);
    if (seen.cut && !["auto", "scroll"].includes(style(element).overflowX)) found.push(`cut by ${seen.cut}: ${short(node.data)}`);
    if (seen.right - seen.left < 1 || seen.bottom - seen.top < 1) continue;
    if (seen.right > width + 1 || seen.left < -1) found.push(`outside the window: ${short(node.data)}`);
    labels.push({ node, element, ...seen, layer: layer(element) });
  }
}

// A label that is wider than the picture it stands in is cut by the picture's edge.
for (const text of document.querySelectorAll("svg text")) {
  if (!text.textContent.trim() || !shown(text)) continue;
  const box = text.getBoundingClientRect();
  const frame = text.ownerSVGElement.getBoundingClientRect();
  if (box.right > frame.right + 1 || box.left < frame.left - 1) found.push(`cut by its picture: ${short(text.textContent)}`);
}

labels.sort((a, b) => a.top - b.top);
for (let i = 0; i < labels.length; i++) {
  for (let j = i + 1; j < labels.length && labels[j].top < labels[i].bottom - 4; j++) {
    const [a, b] = [labels[i], labels[j]];
    if (a.node === b.node || a.layer !== b.layer) continue;
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 1 && high > 4) found.push(`overlap: ${short(a.node.data)} and ${short(b.node.data)}`);
  }
}

if (coarse) {
  // Links inside a sentence are read, not aimed at, and are exempt.
  for (const target of document.querySelectorAll("button, select, input:not([type=hidden], [type=file]), nav a, [role=button], [role=tab], [role=radio], [role=option]")) {
    if (!shown(target) || unseen(target)) continue;
    // A frame of one pixel round the target belongs to it, and so does its label.
    const box = target.getBoundingClientRect();
    const frame = target.parentElement.getBoundingClientRect();
    const label = target.closest("label")?.getBoundingClientRect();
    const framed = frame.height - box.height <= 3 ? frame.height : 0;
    const [wide, high] = [Math.max(box.width, label?.width ?? 0), Math.max(box.height, framed, label?.height ?? 0)];
    if (wide < 43.5 || high < 43.5) found.push(`target of ${Math.round(wide)} by ${Math.round(high)} px: ${short(target.getAttribute("aria-label") || target.textContent || target.outerHTML)}`);
  }
}
return [...new Set(found)];
