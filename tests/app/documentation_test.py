#!/usr/bin/env python3
"""Runs every command that README.md and docs/*.md show.  documentation_test.py CAROM SOURCE SCRATCH

Commands are lines of indented or fenced blocks that begin with carom or ./carom, and small tools beside them (sed, python);
blocks of Python are run, blocks of TOML with [run] must be scenes that carom info accepts. They run in the order of the page,
in a folder with the examples and with files that pages take for granted. An HTML comment before a block changes what is
tried, not what is shown:

    <!-- try: 1000 -> 10 -->          the text before the arrow becomes that after it, in every command of the next block
    <!-- try: not here: the reason -->  the next block is not run
    <!-- try: needs NAME -->          the next block is run where that program or Python module is installed
    <!-- try: with NAME.h5 -->        the run of examples/NAME.toml is there before
    <!-- try: before: COMMAND -->     that command is run first
    <!-- try: exit code N: TEXT -->   commands with that text end with exit code N
"""
import importlib.util
import os
import re
import resource
import shutil
import subprocess
import sys
import time

CAROM, SOURCE, SCRATCH = (os.path.abspath(a) for a in sys.argv[1:4])
TOOLS = ("sed", "cp", "mkdir", "python3", "mpirun")
SLOW = 20  # s of processor time: a command that takes longer is named


def blocks(path):
    """(line, language, text, directives) of every block of code."""
    with open(path) as file:
        lines = file.read().split("\n")
    directives, k = [], 0
    while k < len(lines):
        line = lines[k]
        found = re.match(r"\s*<!-- try: (.*) -->", line)
        if found:
            directives.append(found.group(1))
            k += 1
            continue
        if line.startswith("```"):
            end = k + 1
            while end < len(lines) and not lines[end].startswith("```"):
                end += 1
            yield k + 2, line[3:].strip(), "\n".join(lines[k + 1:end]), directives
            directives, k = [], end + 1
        elif line.startswith("    ") and (k == 0 or not lines[k - 1].strip()):
            end = k
            while end < len(lines) and (lines[end].startswith("    ") or (
                    not lines[end].strip() and end + 1 < len(lines) and lines[end + 1].startswith("    "))):
                end += 1
            yield k + 1, "", "\n".join(text[4:] for text in lines[k:end]), directives
            directives, k = [], end
        else:
            k += 1


def is_command(line):
    word = line.split(" ")[0]
    return word in ("carom", "./carom") or word in TOOLS


def commands(text):
    whole, number = "", 0
    for offset, line in enumerate(text.split("\n")):
        if whole:
            whole += " " + line.strip()
        elif is_command(line):
            whole, number = line, offset
        else:
            continue
        if whole.endswith("\\"):
            whole = whole[:-1].rstrip()
            continue
        yield number, re.sub(r"\s+#.*$", "", whole)
        whole = ""


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def present(name):
    return shutil.which(name) is not None or importlib.util.find_spec(name) is not None


class Pages:
    def __init__(self):
        self.failures, self.ran, self.left, self.slow = [], 0, [], []

    def run(self, place, shown, words, folder, shell, code=0):
        start, used = time.monotonic(), processor_time()
        done = subprocess.run(words, cwd=folder, shell=shell, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              executable="/bin/bash" if shell else None,
                              env={**os.environ, "PATH": os.path.join(SCRATCH, "bin") + ":" + os.environ["PATH"]})
        seconds, used = time.monotonic() - start, processor_time() - used
        self.ran += 1
        if used > SLOW:
            self.slow.append(f"{place}: {used:.0f} s: {shown}")
        print(f"{seconds:6.1f} s, of the processor {used:5.1f} s  {place}: {shown}", flush=True)
        if done.returncode != code:
            self.failures.append(f"{place}: exit code {done.returncode}: {shown}\n{done.stdout[-600:]}{done.stderr[-1200:]}")

    def page(self, path):
        name = os.path.relpath(path, SOURCE)
        folder = os.path.join(SCRATCH, name.replace("/", "_"))
        shutil.copytree(TEMPLATE, folder, symlinks=True)
        for line, language, text, directives in blocks(path):
            reason = next((d for d in directives if d.startswith("not here: ")), None)
            for name_h5 in (d[5:] for d in directives if d.startswith("with ")):
                scene = os.path.join("examples", name_h5.replace(".h5", ".toml"))
                subprocess.run([CAROM, "run", scene, "--quiet"], cwd=folder, check=True)
            needs = [d[6:] for d in directives if d.startswith("needs ")]
            absent = [n for n in needs if not present(n)]
            changes = [d.split(" -> ", 1) for d in directives if " -> " in d]
            expected = [re.match(r"exit code (\d+): (.*)", d) for d in directives]
            python = language == "python" or (language == "" and re.match(r"(import|from) \w", text))
            shown = list(commands(text)) if language in ("", "sh", "bash") and not python else []
            scene = language == "toml" and "[run]" in text
            if not (shown or python or scene):
                continue
            if reason or absent:
                self.left.append(f"{name}:{line}: {reason or 'no ' + ', '.join(absent) + ' here'}")
                continue
            for old, new in changes:
                if old not in text:
                    self.failures.append(f"{name}:{line}: the block does not say {old}")
            for command in (d[8:] for d in directives if d.startswith("before: ")):
                self.run(f"{name}:{line}", command, command, folder, True)
            def changed(command):
                for old, new in changes:
                    command = command.replace(old, new)
                return command
            if python:
                if not present("h5py") and "h5py" in text:
                    self.left.append(f"{name}:{line}: no h5py here")
                else:
                    self.run(f"{name}:{line}", "Python", [sys.executable, "-c", changed(text)], folder, False)
            elif scene:
                with open(os.path.join(folder, "shown.toml"), "w") as file:
                    file.write(changed(text))
                self.run(f"{name}:{line}", "carom info of the scene", "carom info shown.toml", folder, True)
            for offset, command in shown:
                code = next((int(e.group(1)) for e in expected if e and e.group(2) in command), 0)
                self.run(f"{name}:{line + offset}", command, changed(command), folder, True, code)


def prepare():
    """What pages take for granted: the examples, and files of the names that they use."""
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os.makedirs(os.path.join(SCRATCH, "bin"))
    os.makedirs(TEMPLATE)
    os.symlink(CAROM, os.path.join(SCRATCH, "bin", "carom"))
    os.symlink(CAROM, os.path.join(TEMPLATE, "carom"))
    shutil.copytree(os.path.join(SOURCE, "examples"), os.path.join(TEMPLATE, "examples"))
    run = lambda *words: subprocess.run([CAROM, *words], cwd=TEMPLATE, check=True, capture_output=True)
    run("run", "examples/incline.toml", "--quiet", "--dump-problems", "problems", "--steps", "20", "--no-output")
    last = sorted(os.listdir(os.path.join(TEMPLATE, "problems")))[-1]
    shutil.move(os.path.join(TEMPLATE, "problems", last), os.path.join(TEMPLATE, "problem.hdf5"))
    shutil.rmtree(os.path.join(TEMPLATE, "problems"))


TEMPLATE = os.path.join(SCRATCH, "template")
if __name__ == "__main__":
    prepare()
    pages = Pages()
    docs = os.path.join(SOURCE, "docs")
    chosen = sys.argv[4:] or ["README.md"] + sorted("docs/" + f for f in os.listdir(docs) if f.endswith(".md"))
    for name in chosen:
        pages.page(os.path.join(SOURCE, name))
    for kind, lines in (("slow", pages.slow), ("not run", pages.left), ("FAILED", pages.failures)):
        for line in lines:
            print(f"{kind}: {line}")
    print(f"{pages.ran} commands run, {len(pages.left)} blocks left out, {len(pages.failures)} failed")
    if not pages.failures:
        shutil.rmtree(SCRATCH)
    sys.exit(1 if pages.failures else 0)
