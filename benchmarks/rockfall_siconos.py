"""The same block on the same slope in Siconos (Bullet detection, NSGS); called by bench_rockfall.

Reads one JSON object from standard input, prints processor seconds, the centre's deepest place under the
terrain (m) and its end. Exit code 77: no Siconos here.
"""
import json
import sys
import time

try:
    import numpy as np
    import siconos.kernel as sk
    from siconos.mechanics.collision import SiconosContactor, SiconosConvexHull, SiconosHeightMap, RigidBodyDS
    from siconos.mechanics.collision.bullet import SiconosBulletCollisionManager, SiconosBulletOptions
    from siconos.numerics import SICONOS_FRICTION_3D_NSGS, SICONOS_IPARAM_MAX_ITER, SICONOS_DPARAM_TOL
    from siconos.mechanics.collision import SiconosContactorSet
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)


def main():
    case = json.load(sys.stdin)
    heights = np.array(case["heights"]).reshape(case["rows"], case["columns"])
    width = (case["columns"] - 1) * case["cell"]
    depth = (case["rows"] - 1) * case["cell"]
    x, y, z = case["position"]
    body = RigidBodyDS([x - width / 2, y - depth / 2, z] + case["rotation"], case["velocity"] + [0, 0, 0], case["mass"],
                       np.diag(case["inertia"]))
    body.setUseContactorInertia(False)
    body.contactors().push_back(SiconosContactor(SiconosConvexHull(np.array(case["vertices"]))))
    body.setFExtPtr(np.array([0, 0, -9.81 * case["mass"]]))

    model = sk.NonSmoothDynamicalSystem(0, case["duration"])
    model.insertDynamicalSystem(body)
    options = SiconosBulletOptions()
    options.worldScale = 1.0
    options.contactBreakingThreshold = 0.02
    manager = SiconosBulletCollisionManager(options)
    law = sk.NewtonImpactFrictionNSL(case["restitution"], 0.0, case["friction"], 3)
    manager.insertNonSmoothLaw(law, 0, 0)
    ground = SiconosContactorSet()
    ground.append(SiconosContactor(SiconosHeightMap(heights.T.copy(), width, depth)))
    manager.insertStaticContactorSet(ground, [0, 0, 0, 1, 0, 0, 0])

    osnspb = sk.FrictionContact(3, SICONOS_FRICTION_3D_NSGS)
    osnspb.numericsSolverOptions().iparam[SICONOS_IPARAM_MAX_ITER] = 1000
    osnspb.numericsSolverOptions().dparam[SICONOS_DPARAM_TOL] = 1e-4
    osnspb.setMaxSize(1000)
    osnspb.setMStorageType(1)
    osnspb.setNumericsVerboseMode(False)
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0, case["h"]))
    simulation.insertIntegrator(sk.MoreauJeanOSI(0.5))
    simulation.insertNonSmoothProblem(osnspb)
    simulation.insertInteractionManager(manager)
    simulation.setNewtonOptions(1)
    simulation.setNewtonMaxIteration(1)

    deepest = 0.0
    start = time.process_time()
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        q = body.q()
        i = int((q[0] + width / 2) / case["cell"] + 0.5)
        j = int((q[1] + depth / 2) / case["cell"] + 0.5)
        if not (0 <= i < case["columns"] and 0 <= j < case["rows"]):
            break
        deepest = max(deepest, heights[j, i] - q[2])
        simulation.nextStep()
    seconds = time.process_time() - start
    q = body.q()
    print(seconds, deepest, q[0] + width / 2, q[1] + depth / 2, q[2])


main()
