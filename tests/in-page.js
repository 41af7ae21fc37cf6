// Runs in the page of a report, and returns what the test checks.
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  for (const element of all("*")) element.dispatchEvent(new MouseEvent("mouseover"));
  const root = document.documentElement;
  return {
    hasRun: "ran" in window,
    active: all("script, img, iframe, a, link, object, embed, form, input, base, [onload], [onerror], [onmouseover]")
      .length,
    text: document.body.textContent,
    visible: document.body.innerText,
    width: root.scrollWidth,
    background: getComputedStyle(document.body).backgroundColor,
    weak: all("body *")
      .filter(hasText)
      .map(contrast)
      .filter(({ ratio }) => ratio < 4.5),
    marks: all("table.matrix tbody tr").map((row) =>
      [...row.querySelectorAll("td")].map((cell) => cell.querySelector("svg")?.getAttribute("aria-label") ?? ""),
    ),
    language: root.lang,
    headings: all("h1, h2, h3, h4").map(({ tagName }) => Number(tagName.slice(1))),
    unnamed: all("th:not([scope]), svg:not([aria-hidden]):not([role='img'][aria-label])").length,
  };

  function hasText(element) {
    return [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== "");
  }

  function contrast(element) {
    const shades = [luminance(getComputedStyle(element).color), luminance(behind(element))].sort((a, b) => b - a);
    return { ratio: (shades[0] + 0.05) / (shades[1] + 0.05), text: element.textContent.slice(0, 40) };
  }

  function behind(element) {
    const color = getComputedStyle(element).backgroundColor;
    return color === "rgba(0, 0, 0, 0)" ? behind(element.parentElement) : color;
  }

  // As WCAG defines it. All colors of the page are opaque.
  function luminance(color) {
    const [red, green, blue] = color.match(/\d+/g).map((byte) => {
      const part = byte / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
})();
