#!/usr/bin/env python3
"""What carom export --vtk writes, read back by VTK's own reader.  vtk_test.py CAROM SCRATCH

Boxes, hulls and cylinders have their volume, centres are where the run file says, contact forces are impulses over the step
and carry the weight, and both .pvd name every frame. Exit code 77: no VTK or no h5py here."""
import math
import os
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

try:
    import h5py
    import numpy
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkFiltersCore import vtkMassProperties, vtkThreshold
    from vtkmodules.vtkFiltersGeometry import vtkGeometryFilter
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
except ImportError as missing:
    print(f"skipped: {missing} (packages python3-vtk9, python3-h5py)")
    sys.exit(77)

CAROM, SCRATCH = (os.path.abspath(a) for a in sys.argv[1:3])
SCENE = """
[run]
duration = 0.5
step = 1e-3
[material.m]
friction = 0.5
[output]
frame_every = 50
[[body]]
name = "floor"
shape = "half_space"
position = [0, 0, 0]
material = "m"
[[body]]
name = "box"
shape = "box"
size = [0.4, 0.3, 0.2]
position = [0, 0, 0.1]
density = 1000
material = "m"
[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
position = [1, 0, 0.4]
density = 1000
material = "m"
[[body]]
name = "drum"
shape = "cylinder"
radius = 0.1
length = 0.3
position = [2, 0, 0.15]
density = 1000
material = "m"
"""


def read(path):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def body_of(data, body):
    pick = vtkThreshold()
    pick.SetInputData(data)
    pick.SetInputArrayToProcess(0, 0, 0, 1, "body")
    pick.SetLowerThreshold(body - 0.5)
    pick.SetUpperThreshold(body + 0.5)
    surface = vtkGeometryFilter()
    surface.SetInputConnection(pick.GetOutputPort())
    surface.Update()
    return surface.GetOutput()


class Vtk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(SCRATCH, ignore_errors=True)
        os.makedirs(SCRATCH)
        with open(os.path.join(SCRATCH, "solids.toml"), "w") as file:
            file.write(SCENE)
        for words in (["run", "solids.toml", "--quiet"], ["export", "solids.h5", "--vtk"]):
            done = subprocess.run([CAROM, *words], cwd=SCRATCH, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        cls.run_file = h5py.File(os.path.join(SCRATCH, "solids.h5"))
        cls.frames = int(cls.run_file["counts"][0])
        cls.names = [name.decode() for name in cls.run_file["bodies/name"]]

    def sets(self, pvd):
        return xml.etree.ElementTree.parse(os.path.join(SCRATCH, pvd)).getroot().findall("Collection/DataSet")

    def test_collections_name_every_frame(self):
        times = self.run_file["frames/time"][:self.frames]
        for pvd in ("solids.pvd", "solids_contacts.pvd"):
            listed = [s for s in self.sets(pvd) if s.get("part") == "0"]
            self.assertEqual([float(s.get("timestep")) for s in listed], list(times))
            for entry in listed:
                self.assertTrue(os.path.exists(os.path.join(SCRATCH, entry.get("file"))))

    def test_volumes_and_places(self):
        exact = {"box": 0.4 * 0.3 * 0.2, "ball": 4 / 3 * math.pi * 0.1**3, "drum": math.pi * 0.1**2 * 0.3}
        # Facets lie inside what is round: 24 of them around lose 1.14% of a cylinder, about twice that of a ball.
        loss = {"box": 1e-6, "ball": 0.035, "drum": 1 - math.sin(2 * math.pi / 24) / (2 * math.pi / 24) + 1e-6}
        for frame in (0, self.frames - 1):
            data = read(os.path.join(SCRATCH, f"solids_vtk/bodies_{frame:05}.vtp"))
            for name, volume in exact.items():
                body = self.names.index(name)
                part = body_of(data, body)
                self.assertGreater(part.GetNumberOfCells(), 0, name)
                mass = vtkMassProperties()
                mass.SetInputData(part)
                mass.Update()
                self.assertLessEqual(mass.GetVolume(), volume * (1 + 1e-6), name)
                self.assertGreaterEqual(mass.GetVolume(), volume * (1 - loss[name]), name)
                low_high = part.GetBounds()
                centre = [0.5 * (low_high[2 * k] + low_high[2 * k + 1]) for k in range(3)]
                numpy.testing.assert_allclose(centre, self.run_file["frames/position"][frame, body], atol=2e-6)

    def test_outward_surfaces(self):
        # By the divergence theorem the sum of (place . normal) area / 3 is the volume, positive where normals point out.
        data = read(os.path.join(SCRATCH, "solids_vtk/bodies_00000.vtp"))
        points = vtk_to_numpy(data.GetPoints().GetData()).astype(float)
        corners = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
        bodies = vtk_to_numpy(data.GetCellData().GetArray("body"))
        a, b, c = (points[corners[:, k]] for k in range(3))
        volumes = numpy.einsum("ij,ij->i", a, numpy.cross(b, c)) / 6
        for name in ("box", "ball", "drum"):
            self.assertGreater(volumes[bodies == self.names.index(name)].sum(), 0, name)

    def test_forces_carry_the_weight(self):
        last = self.frames - 1
        data = read(os.path.join(SCRATCH, f"solids_vtk/contacts_{last:05}.vtp"))
        first, end = self.run_file["contacts/offset"][last:last + 2]
        self.assertEqual(data.GetNumberOfPoints(), end - first)
        points = vtk_to_numpy(data.GetPoints().GetData())
        numpy.testing.assert_allclose(points, self.run_file["contacts/point"][first:end])
        force = vtk_to_numpy(data.GetPointData().GetArray("force"))
        numpy.testing.assert_allclose(force, self.run_file["contacts/impulse_world"][first:end] / 1e-3, rtol=1e-9, atol=1e-9)
        # The box lies still: what the floor gives it is its weight.
        box = self.names.index("box")
        a = vtk_to_numpy(data.GetPointData().GetArray("body_a"))
        b = vtk_to_numpy(data.GetPointData().GetArray("body_b"))
        up = force[a == box].sum(axis=0) - force[b == box].sum(axis=0)
        numpy.testing.assert_allclose(up, [0, 0, 24 * 9.81], atol=1e-3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
