#!/usr/bin/env python3
"""Pages of carom report in a real browser, without network.  report_test.py CAROM EXAMPLES SCRATCH SCREENSHOTS

No script error and no request may occur, the canvas is not blank, scrubbing changes the picture and going back brings
the same one, charts have as many points as the run says, and light and dark differ. Exit code 77: no Chromium here."""
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402

CAROM, EXAMPLES, SCRATCH, SCREENSHOTS = (os.path.abspath(a) for a in sys.argv[1:5])


def carom(*words, code=0):
    done = subprocess.run([CAROM, *words], cwd=SCRATCH, capture_output=True, text=True)
    assert done.returncode == code, f"carom {' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def run_scene(name, *more, text=None):
    """Runs an example, changed by (old, new) pairs; the run's file."""
    with open(os.path.join(EXAMPLES, name)) as file:
        scene = file.read()
    for old, new in more:
        assert old in scene, f"{name} does not say {old}"
        scene = scene.replace(old, new)
    stem = os.path.splitext(os.path.basename(name))[0]
    with open(os.path.join(SCRATCH, stem + ".toml"), "w") as file:
        file.write(scene)
    carom("run", stem + ".toml", "--quiet", "--overwrite")
    return stem + ".h5"


def run_toml(name):
    """Where an example is."""
    return os.path.join(EXAMPLES, name)


def page(run, *options):
    carom("report", run, *options)
    return os.path.join(SCRATCH, os.path.splitext(run)[0] + ".html")


def screen(name):
    return os.path.join(SCREENSHOTS, name + ".png")


# Share of the canvas that bodies and ground cover, and a sum that tells pictures apart.
PICTURE = """(() => { const p = carom.replay.pixels(); let seen = 0, sum = 0;
  for (let i = 0; i < p.length; i += 4) { if (p[i + 3] > 0) ++seen; sum = (sum * 31 + p[i] + 7 * p[i + 1] + 13 * p[i + 2]) % 2147483647; }
  return { seen: seen / (p.length / 4), sum }; })()"""


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def replay(self, run, name):
        """What every page of a run of bodies must do."""
        b = self.browser
        b.shade("light")
        b.open(page(run))
        self.assertEqual(b.complaints(), [])
        info = json.loads(carom("info", run, "--json"))
        frames = b.run("carom.replay.manifest.frames")
        first = b.run(PICTURE)
        self.assertGreater(first["seen"], 0.05, "the canvas is blank")
        middle = frames // 2
        b.run(f"carom.seek.show(carom.replay.manifest.times[{middle}])")
        moved = b.run(PICTURE)
        self.assertNotEqual(first["sum"], moved["sum"], "scrubbing changes nothing")
        b.screenshot(screen(name))
        b.run("carom.seek.show(0)")
        self.assertEqual(first["sum"], b.run(PICTURE)["sum"], "the same moment looks different the second time")
        # The slider itself.
        b.run(f"document.getElementById('slider').value = {middle};"
              "document.getElementById('slider').dispatchEvent(new Event('input'))")
        self.assertEqual(moved["sum"], b.run(PICTURE)["sum"])
        # Charts: all steps where they are few, else thinned, ends kept.
        points = b.run("carom.charts.energy.data.datasets[0].data.length")
        self.assertGreaterEqual(points, min(info["steps"], 600))
        self.assertLessEqual(points, 1210)
        last = b.run("carom.charts.energy.data.datasets[0].data.slice(-1)[0].x")
        self.assertAlmostEqual(last, info["time"], delta=1e-5 * info["time"])
        for chart in ("contacts", "phases", "speed"):
            self.assertTrue(b.run(f"!!carom.charts.{chart}"), f"no chart of {chart}")
        for chart, told in (("iterations", info["solver"]["iterations_most"]), ("residual", info["solver"]["worst_velocity_residual"])):
            self.assertEqual(b.run(f"!!carom.charts.{chart}"), told > 0, f"chart of {chart}")
        self.assertEqual(b.run("document.querySelectorAll('.cards .card').length"), 8)
        self.assertIn("[run]", b.run("document.querySelector('pre.toml').textContent"))
        b.screenshot(screen(name + "_page"), whole_page=True)
        b.shade("dark")
        b.run("new Promise((done) => { const look = () => carom.shade.dark() ? done(1) : setTimeout(look, 50); look(); })")
        self.assertNotEqual(b.run("getComputedStyle(document.body).backgroundColor"), "rgb(247, 246, 242)")
        b.screenshot(screen(name + "_dark"), whole_page=True)
        self.assertEqual(b.complaints(), [])
        return info

    def test_spheres(self):
        run = run_scene("sphere_pile.toml", ("[20, 10, 5]", "[8, 6, 3]"), ("-0.475, -0.225, 0.05", "-0.175, -0.125, 0.05"),
                        ("-0.51, 0", "-0.21, 0"), ("0.51, 0", "0.21, 0"), ("-0.26", "-0.16"), ("0.26", "0.16"),
                        ("duration = 1.0", "duration = 0.3"))
        self.replay(run, "spheres")
        b = self.browser
        # Places in the page are those of the run, to the step of the packing; so are forces.
        carom("export", run, "--what", "bodies", "-o", "bodies.csv")
        with open(os.path.join(SCRATCH, "bodies.csv")) as file:
            rows = list(csv.DictReader(file))
        frames = b.run("carom.replay.manifest.frames")
        packed = b.run("[carom.replay.manifest.origin, carom.replay.manifest.box_size, carom.replay.manifest.box_steps]")
        for frame in (0, frames // 3, frames - 1):
            places = b.run(f"carom.seek.show(carom.replay.manifest.times[{frame}]), Array.from(carom.replay.poses[0].image.data)")
            for row in (r for r in rows if int(r["frame"]) == frame):
                k = 8 * int(row["body"])
                for axis, name in enumerate(("x [m]", "y [m]", "z [m]")):
                    self.assertAlmostEqual(places[k + axis] + packed[0][axis], float(row[name]),
                                           delta=0.6 * packed[1][axis] / packed[2] + 1e-6)
                turn = [places[k + 7], *places[k + 4:k + 7]]
                same = sum(a * float(row[q]) for a, q in zip(turn, ("qw", "qx", "qy", "qz")))
                self.assertAlmostEqual(abs(same), 1, delta=2e-4)
        # Every colour and every way to show forces draws something else, without a word of complaint.
        b.run("carom.seek.show(carom.replay.manifest.times[carom.replay.manifest.frames - 1])")
        for colour in ("speed", "force", "group", "material"):
            b.run(f"document.getElementById('colour').value = '{colour}';"
                  "document.getElementById('colour').dispatchEvent(new Event('change'))")
            self.assertGreater(b.run(PICTURE)["seen"], 0.05)
        pictures = set()
        for forces in ("arrows", "chains", "off"):
            b.run(f"document.getElementById('forces').value = '{forces}';"
                  "document.getElementById('forces').dispatchEvent(new Event('change'))")
            pictures.add(b.run(PICTURE)["sum"])
            b.screenshot(screen("forces_" + forces))
        self.assertEqual(len(pictures), 3)
        self.assertEqual(b.complaints(), [])

    def test_blocks(self):
        self.replay(run_scene("masonry/arch_falls.toml"), "arch_falls")

    def test_playing_and_keys(self):
        b = self.browser
        b.open(page(run_scene("bouncing_ball.toml")))
        b.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: ' ', bubbles: true}))")
        self.assertTrue(b.run("carom.seek.playing"))
        moved = b.run("new Promise((done) => setTimeout(() => done(carom.seek.now), 1500))")
        self.assertGreater(moved, 0)
        b.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Home', bubbles: true}))")
        self.assertEqual(b.run("[carom.seek.playing, carom.seek.now]"), [False, 0])
        b.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))")
        self.assertAlmostEqual(b.run("carom.seek.now"), b.run("carom.replay.manifest.times[1]"))
        before = b.run("carom.replay.camera.position.toArray()")
        for kind, x in (("mousePressed", 500), ("mouseMoved", 620), ("mouseReleased", 620)):
            b.call("Input.dispatchMouseEvent", type=kind, x=x, y=300, button="left", buttons=1, clickCount=1)
        b.run("new Promise((done) => setTimeout(done, 300))")
        self.assertNotEqual(before, b.run("carom.replay.camera.position.toArray()"), "dragging turns nothing")
        self.assertEqual(b.complaints(), [])

    def test_system(self):
        b = self.browser
        b.open(page(run_scene("systems/shaken_block.toml")))
        self.assertEqual(b.complaints(), [])
        self.assertTrue(b.run("carom.charts.coordinates.data.datasets.length > 0"))
        b.screenshot(screen("system"), whole_page=True)

    def test_comparison(self):
        b = self.browser
        carom("run", run_toml("incline.toml"), "--quiet", "--overwrite", "--steps", "20", "--dump-problems", "kept")
        problems = sorted(os.listdir(os.path.join(SCRATCH, "kept")))[-3:]
        carom("compare", *("kept/" + p for p in problems), "--solvers", "nsgs,pgs,auto", "--tol", "1e-4,1e-8", "--time-limit",
              "1", "--csv", "none", "--svg", "none", "--quiet", "--html", "compare.html")
        b.shade("light")
        b.open(os.path.join(SCRATCH, "compare.html"))
        self.assertEqual(b.complaints(), [])
        self.assertEqual(b.run("document.querySelectorAll('table').length"), 2)
        self.assertGreaterEqual(b.run("document.querySelectorAll('svg .curve').length"), 2)
        self.assertEqual(b.run("document.querySelectorAll('table')[0].querySelectorAll('tbody tr').length"), len(problems) + 1)
        b.screenshot(screen("comparison"), whole_page=True)

    def test_rockfall_study(self):
        if "rockfall" not in carom("--help"):
            self.skipTest("this carom has no rockfall")
        b = self.browser
        carom("new", "rockfall_slope", "slope.toml")
        with open(os.path.join(SCRATCH, "slope.toml")) as file:
            study = file.read()
        with open(os.path.join(SCRATCH, "slope.toml"), "w") as file:
            file.write(re.sub(r"count = \d+", "count = 30", study))
        carom("rockfall", "slope.toml")
        carom("report", "slope_rockfall/study.h5", "-o", "study.html")
        b.shade("light")
        b.open(os.path.join(SCRATCH, "study.html"))
        self.assertEqual(b.complaints(), [])
        picture = PICTURE.replace("carom.replay", "carom.terrain")
        mapped = b.run(picture)
        self.assertGreater(mapped["seen"], 0.1, "the terrain is not to be seen")
        b.run("document.getElementById('map').value = '';"
              "document.getElementById('map').dispatchEvent(new Event('change'))")
        self.assertNotEqual(mapped["sum"], b.run(picture)["sum"], "the map over the terrain changes nothing")
        self.assertGreaterEqual(b.run("document.querySelectorAll('.maps figure').length"), 3)
        self.assertGreaterEqual(b.run("document.querySelectorAll('table tbody tr').length"), 8)
        b.screenshot(screen("rockfall"), whole_page=True)

    def test_without_scripts(self):
        b = self.browser
        path = page(run_scene("newton_cradle.toml"))
        b.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            b.call("Page.navigate", url="file://" + path)
            for _ in range(50):
                if b.run("document.readyState") == "complete":
                    break
            shown = b.run("document.querySelector('img.still').getBoundingClientRect().width")
            self.assertGreater(shown, 100)
            self.assertIn("every step solved", b.run("document.body.innerText"))
            b.screenshot(screen("without_scripts"))
        finally:
            b.call("Emulation.setScriptExecutionDisabled", value=False)


if __name__ == "__main__":
    if browser.program() is None:
        print("skipped: no Chromium here (package chromium)")
        sys.exit(77)
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os.makedirs(SCRATCH)
    missing = subprocess.run([CAROM, "report", "nothing.h5"], cwd=SCRATCH, capture_output=True, text=True).stderr
    if "built without the libraries" in missing:
        print("skipped: built without libjs-three and libjs-chart.js")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
