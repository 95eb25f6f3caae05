"""Steps of a settled pile in Siconos, with Bullet's collision detection.

    bench_pile_peers 1000 300 20 0 pile.txt && python3 benchmarks/pile_siconos.py pile.txt [steps = 5] [tolerance = 1e-4]

Reads the pile that bench_pile_peers left and prints the processor time of a step, speeds and overlaps at the end.
Needs Debian's python3-siconos; says so where it is absent.
"""
import math
import os
import sys
import tempfile
import time

try:
    import siconos.numerics as numerics
    from siconos.io.mechanics_run import MechanicsHdf5Runner
    from siconos.mechanics.collision.tools import Contactor
except ImportError as error:
    sys.exit("siconos is absent (python3-siconos): %s" % error)


def read_pile(name):
    with open(name) as file:
        rows = [[float(x) for x in line.split()] for line in file]
    return rows[0], rows[1:]


def build(half, friction, density, spheres):
    with MechanicsHdf5Runner() as io:
        io.add_primitive_shape("wall", "Box", (4 * half + 2, 4 * half + 2, 1), insideMargin=0, outsideMargin=0)
        io.add_Newton_impact_friction_nsl("contact", mu=friction, e=0.0)
        io.add_object("ground", [Contactor("wall")], translation=[0, 0, -0.5])
        side = math.sqrt(0.5)
        for k, (x, y, axis) in enumerate([(1, 0, (0, side, 0)), (-1, 0, (0, side, 0)), (0, 1, (side, 0, 0)),
                                          (0, -1, (side, 0, 0))]):
            reach = half + 0.5
            io.add_object("wall%d" % k, [Contactor("wall")], translation=[x * reach, y * reach, half],
                          orientation=[side, axis[0], axis[1], axis[2]])
        for i, (radius, x, y, z) in enumerate(spheres):
            io.add_primitive_shape("s%d" % i, "Sphere", (radius,), insideMargin=0, outsideMargin=0)
            mass = density * 4 / 3 * math.pi * radius ** 3
            inertia = 0.4 * mass * radius ** 2
            io.add_object("b%d" % i, [Contactor("s%d" % i)], translation=[x, y, z], velocity=[0] * 6, mass=mass,
                          inertia=[inertia] * 3)


def run(h, steps, tolerance):
    options = numerics.SolverOptions(numerics.SICONOS_FRICTION_3D_NSGS)
    options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = 10000
    options.dparam[numerics.SICONOS_DPARAM_TOL] = tolerance
    with MechanicsHdf5Runner(mode="r+") as io:
        begin = time.process_time()
        io.run(with_timer=False, gravity_scale=1, t0=0, T=steps * h, h=h, theta=0.5, Newton_max_iter=1,
               solver_options=options, output_frequency=steps, verbose=False)
        return time.process_time() - begin


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    (half, friction, density, h), spheres = read_pile(sys.argv[1])
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    tolerance = float(sys.argv[3]) if len(sys.argv) > 3 else 1e-4
    times = []
    for count in (1, 1 + steps):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            build(half, friction, density, spheres)
            times.append(run(h, count, tolerance))
    print("siconos %d spheres, tolerance %g: %.0f ms a step" % (len(spheres), tolerance,
                                                              1e3 * (times[1] - times[0]) / steps))


main()
