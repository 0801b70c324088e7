// A drawing stands in the page once; here it is written out as a file: SVG as matplotlib drew it, or PNG.
(() => {
  const SCALE = 2;

  // As on paper: of two colours the one for light pages, and nothing that a reader has marked or hidden.
  function standalone(drawing) {
    const copy = drawing.cloneNode(true);
    copy.querySelectorAll(".linked, .asked, .off").forEach((one) => one.classList.remove("linked", "asked", "off"));
    copy.style.colorScheme = "light";
    return new XMLSerializer().serializeToString(copy).replace(/light-dark\(([^,()]+),[^()]*\)/g, "$1");
  }

  const address = (text) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;

  function save(name, href) {
    const link = document.createElement("a");
    link.download = name;
    link.href = href;
    link.click();
  }

  function saveAsPng(name, drawing) {
    const [, , width, height] = drawing.getAttribute("viewBox").split(" ").map(Number);
    const picture = new Image(width * 4 / 3, height * 4 / 3);
    picture.addEventListener("load", () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [picture.width * SCALE, picture.height * SCALE];
      const surface = canvas.getContext("2d");
      surface.fillStyle = "white";
      surface.fillRect(0, 0, canvas.width, canvas.height);
      surface.drawImage(picture, 0, 0, canvas.width, canvas.height);
      save(name, canvas.toDataURL("image/png"));
    });
    picture.src = address(standalone(drawing));
  }

  function offer(figure, drawing) {
    const id = figure.id.replace(/^fig-/, "");
    const offered = { SVG: () => save(`${id}.svg`, address(standalone(drawing))), PNG: () => saveAsPng(`${id}.png`, drawing) };
    const files = figure.querySelector(".files");
    for (const [kind, act] of Object.entries(offered).reverse()) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "save";
      button.textContent = `Save ${kind}`;
      button.setAttribute("aria-label", `Save ${kind} of ${figure.querySelector(".label").textContent.replace(/\.$/, "")}`);
      button.addEventListener("click", act);
      const part = document.createElement("span");
      part.className = "carried";
      part.append(button, " · ");
      files.prepend(part);
    }
  }

  for (const figure of document.querySelectorAll("figure.figure")) {
    const drawing = figure.querySelector(".plate > svg");
    if (drawing) offer(figure, drawing);
  }
})();
