"""The page of a small study in Chromium: see `report` beside this file."""

import csv
import pathlib
import subprocess
import sys
import tempfile

from chromium import Chromium

METHODS = "semiparametric,landwehr,holland-unweighted"
checks = 0


def check(is_right, words):
    global checks
    if not is_right:
        sys.exit(f"FAILED: {words}")
    checks += 1


def study(gazeprint, folder):
    """The folder of a study of made-up readers, in one split."""
    corpus, out = folder / "made-up", folder / "results"
    made = ["simulate", "--readers", "16", "--texts", "24", "--seed", "5", "--out", corpus]
    studied = ["study", corpus, "--methods", METHODS, "--splits", "1", "--noise", "--out", out]
    for arguments in (made, studied):
        subprocess.run([gazeprint, *arguments], check=True, stdout=subprocess.DEVNULL)
    return out


def rows(out, figure):
    with open(out / "figures" / f"{figure}.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


POINT = """(() => {
  const group = document.querySelector('#fig-accuracy g[data-method="landwehr"][data-points]');
  const figure = group.closest("svg");
  figure.scrollIntoView({ block: "center", behavior: "instant" });
  const [x, y, ...values] = group.dataset.points.split(";")[1].split("|");
  const at = new DOMPoint(x, y).matrixTransform(figure.getScreenCTM());
  return { x: at.x, y: at.y, values };
})()"""
TIP = "document.getElementById('tip').hidden ? null : document.getElementById('tip').innerText"
SHOWN = """[...document.querySelectorAll('[data-method="landwehr"], [data-other="landwehr"]')]
  .filter((part) => part.getClientRects().length && getComputedStyle(part).display !== "none").length"""


def middle(page, selector):
    return page.eval(f"""(() => {{
      const part = document.querySelector({selector!r});
      part.scrollIntoView({{ block: "center", behavior: "instant" }});
      const box = part.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    }})()""")


def hovers(page, out):
    point = page.eval(POINT)
    check(page.eval(TIP) is None, "nothing is said before the pointer comes")
    page.move(point["x"], point["y"])
    said = page.eval(TIP)
    check(said and "landwehr" in said, f"the pointer on a point names its method: {said}")
    x, accuracy, _ = point["values"]
    row = [r for r in rows(out, "accuracy")
           if (r["panel"], r["method"], r["x"]) == ("fraction", "landwehr", x)][0]
    check(row["accuracy"] == accuracy, "figure and table have the same number")
    check(row["se"] == "", "one split has no standard error in the table")
    check("standard error" not in said, f"nor under the pointer: {said}")
    percent = f"{float(f'{100 * float(accuracy):.6g}'):g} %"
    check(f"readers identified: {percent}" in said, f"{percent} is not said: {said}")
    page.move(2, 2)
    check(page.eval(TIP) is None, "nothing is said once the pointer has gone")


def arrows(page):
    page.eval("document.querySelector('#fig-accuracy svg').focus()")
    page.press("ArrowRight")
    first = page.eval(TIP)
    page.press("ArrowRight")
    second = page.eval(TIP)
    page.press("ArrowDown")
    third = page.eval(TIP)
    check(first and second and third, "arrow keys say numbers")
    check(first != second, "the arrow to the right goes on along a line")
    check(second.splitlines()[0] != third.splitlines()[0], "the arrow down goes to another line")
    page.press("Escape")
    check(page.eval(TIP) is None, "Escape ends it")


def switches(page):
    before = page.eval(SHOWN)
    check(before > 10, "figures and tables show the method")
    page.click(*middle(page, "#methods input[value=landwehr]"))
    check(page.eval(SHOWN) == 0, "a method that is switched off is in no figure and no table")
    others = page.eval("document.querySelectorAll('[data-method=\"semiparametric\"]:not(.off)').length")
    check(others > 10, "the others are there")
    point = page.eval("""(() => {
      const figure = document.querySelector("#fig-accuracy svg");
      figure.scrollIntoView({ block: "center", behavior: "instant" });
      const group = figure.querySelector('g[data-method="landwehr"][data-points]');
      const [x, y] = group.dataset.points.split(";")[1].split("|");
      const at = new DOMPoint(x, y).matrixTransform(figure.getScreenCTM());
      return [at.x, at.y];
    })()""")
    page.move(*point)
    check("landwehr" not in (page.eval(TIP) or ""), "nor under the pointer")
    page.click(*middle(page, "#methods input[value=landwehr]"))
    check(page.eval(SHOWN) == before, "switched on again it is back")


CAPTIONS = """[...document.querySelectorAll(".reader")].filter((r) => !r.hidden)
  .map((r) => [...r.querySelectorAll("figcaption")].map((c) => c.innerText).join(" "))"""


def readers(page):
    names = page.eval("[...document.querySelectorAll('#choice option')].map((o) => o.text.split(' ')[0])")
    check(len(names) == 12 == len(set(names)), f"twelve readers to choose from: {names}")
    shown = page.eval(CAPTIONS)
    check(len(shown) == 1 and f"Reader {names[0]}," in shown[0], f"one is shown: {shown}")
    page.eval("document.querySelector('#choice select').focus()")
    page.press("ArrowDown")
    chosen = page.eval(CAPTIONS)
    check(len(chosen) == 1 and f"Reader {names[1]}," in chosen[0], f"another is chosen: {chosen}")
    for kind in ("amplitudes", "calibration", "the path over", "Traits of reader " + names[1]):
        check(kind in chosen[0], f"{kind} of the reader that was chosen")
    page.press("ArrowUp")
    check(page.eval(CAPTIONS) == shown, "and back")


def sorts(page):
    column = "[...document.querySelectorAll('#tab-accuracy tbody tr')].map((r) => r.cells[0].innerText)"
    before = page.eval(column)
    page.eval("document.querySelector('#tab-accuracy th button').click()")
    check(page.eval(column) == sorted(before), "a click on its head sorts a table")


def fits(page, width):
    wide = page.eval("document.documentElement.scrollWidth")
    check(wide <= width, f"the page is {wide} wide on a screen of {width}")


BRIGHTNESS = """(() => {
  const figure = document.querySelector("#fig-accuracy svg");
  const bright = (color) => color.match(/\\d+/g).slice(0, 3).reduce((sum, v) => sum + Number(v), 0) / 765;
  const fill = (part) => bright(getComputedStyle(part).fill);
  return {
    page: bright(getComputedStyle(document.body).backgroundColor),
    figure: fill(figure.querySelector("rect")),
    texts: [...figure.querySelectorAll("text")].map(fill),
  };
})()"""


def colours(page, scheme):
    seen = page.eval(BRIGHTNESS)
    dark = scheme == "dark"
    check((seen["page"] < 0.2) == dark, f"the page is {scheme}: {seen['page']}")
    check(abs(seen["page"] - seen["figure"]) < 0.02, "figures have the paper of the page")
    apart = [abs(text - seen["figure"]) for text in seen["texts"]]
    check(min(apart) > 0.2, f"texts of figures stand out on a {scheme} screen: {min(apart)}")


def main():
    gazeprint = str(pathlib.Path(sys.argv[1]).resolve())
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gazeprint-page-") as folder, Chromium() as page:
        out = study(gazeprint, pathlib.Path(folder))
        url = (out / "report.html").as_uri()
        for scripts in (True, False):
            page.scripts(scripts)
            for scheme in ("light", "dark"):
                for width in (1400, 375):
                    page.size(width)
                    page.scheme(scheme)
                    page.open(url)
                    if scripts:
                        fits(page, width)
                        colours(page, scheme)
                    if pictures:
                        with_scripts = "" if scripts else "-without-scripts"
                        page.picture(pictures / f"{scheme}-{width}{with_scripts}.png")
        for hidden in ("#methods", "#choice", ".reader + .reader"):
            check(not page.is_drawn(hidden), f"without scripts {hidden} is not shown")
        for drawn in ("#fig-accuracy svg", "#tab-accuracy table", "#fig-densities svg", "#results"):
            check(page.is_drawn(drawn), f"without scripts {drawn} is shown")
        page.scripts(True)
        page.scheme("light")
        for width in (1400, 375):
            page.size(width)
            page.open(url)
            if width == 1400:
                hovers(page, out)
                arrows(page)
            switches(page)
            readers(page)
        sorts(page)
        check(not page.complaints(), f"the page complains: {page.complaints()}")
    print(f"The page in Chromium: {checks} checks passed")


main()
