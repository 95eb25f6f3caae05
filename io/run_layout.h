// The layout of run files in one place: names, types, shapes and units. docs/file_formats.md explains it.
#pragma once

#include <array>
#include <span>

#include "engine/step_report.h"
#include "io/hdf5.h"

namespace carom::run_layout {

inline constexpr const char* kFormat = "carom-run";
inline constexpr std::int64_t kFormatVersion = 2;

inline constexpr const char* kScene = "/scene";  // attributes; text and attachments below
inline constexpr const char* kSceneText = "/scene/text";
inline constexpr const char* kAttachmentNames = "/scene/attachment_names";
inline constexpr const char* kAttachmentTexts = "/scene/attachment_texts";
inline constexpr const char* kSystem = "/system";  // runs of systems in generalized coordinates only
inline constexpr const char* kStatus = "/status";
inline constexpr std::size_t kStatusCapacity = 512;  // bytes
inline constexpr const char* kCounts = "/counts";    // valid rows: frames, contacts, steps
inline constexpr std::array<const char*, 2> kSlots = {"/checkpoint/slot_a", "/checkpoint/slot_b"};

inline constexpr const char* kBodies = "/bodies/";
inline constexpr const char* kColliders = "/colliders/";
inline constexpr const char* kVertexFirst = "/colliders/vertex_first";  // of convex polyhedra
inline constexpr const char* kVertices = "/colliders/vertices";
inline constexpr const char* kSurface = "/colliders/surface";  // number of the mesh or height field, -1 for others
inline constexpr const char* kMeshes = "/meshes/";
inline constexpr const char* kHeightFields = "/height_fields/";
inline constexpr const char* kMaterials = "/materials/";

// One appendable dataset of a table: a row is `width` numbers, per body when `per_body`.
struct Column {
  const char* name;
  h5::Type type;
  int width;
  bool per_body;
  const char* unit;
};

using enum h5::Type;

// /frames: one row per frame.
inline constexpr const char* kFrames = "/frames/";
enum FrameColumn { kFrameStep, kFrameTime, kPosition, kOrientation, kVelocity, kAngularVelocity };
inline constexpr std::array<Column, 6> kFrameColumns = {{
    {"step", Int64, 1, false, "1"},
    {"time", Float64, 1, false, "s"},
    {"position", Float64, 3, true, "m"},
    {"orientation", Float64, 4, true, "1"},
    {"velocity", Float64, 3, true, "m/s"},
    {"angular_velocity", Float64, 3, true, "rad/s"},
}};

// /joints: one row per frame; axes are position, velocity, then the forces of limits, spring, motor and friction.
inline constexpr const char* kJoints = "/joints/";
enum JointColumn { kJointForce, kJointTorque, kJointSlide, kJointTurn, kJointError };
inline constexpr std::array<Column, 5> kJointColumns = {{
    {"force", Float64, 3, true, "N"},
    {"torque", Float64, 3, true, "N m"},
    {"slide", Float64, 6, true, "m, m/s, N, N, N, N"},
    {"turn", Float64, 6, true, "rad, rad/s, N m, N m, N m, N m"},
    {"error", Float64, 1, true, "m or rad"},
}};

// /interfaces: one row per frame.
inline constexpr const char* kInterfaces = "/interfaces/";
enum InterfaceColumn {
  kInterfaceStatus,
  kOpening,
  kClosest,
  kSliding,
  kNormalForce,
  kShearForce,
  kEccentricity,
  kThrustPoint,
  kBonded
};
inline constexpr std::array<Column, 9> kInterfaceColumns = {{
    {"status", UInt8, 1, true, "1"},
    {"opening", Float64, 1, true, "m"},
    {"closest", Float64, 1, true, "m"},
    {"sliding", Float64, 1, true, "m"},
    {"normal_force", Float64, 1, true, "N"},
    {"shear_force", Float64, 1, true, "N"},
    {"eccentricity", Float64, 1, true, "1"},
    {"thrust_point", Float64, 3, true, "m"},
    {"bonded", UInt8, 1, true, "1"},
}};
// Written at every checkpoint: time and onset of the collapse (NaN: none), body, displacement; peak base shear, its time.
inline constexpr const char* kCollapse = "/interfaces/collapse";
inline constexpr std::uint64_t kCollapseValues = 6;
inline constexpr const char* kMechanism = "/interfaces/mechanism";  // 1: not closed when it collapsed

// /contacts: one row per contact of a frame; frame i has rows offset[i] to offset[i+1].
inline constexpr const char* kContacts = "/contacts/";
enum ContactColumn {
  kBodyA,
  kBodyB,
  kKey,
  kPoint,
  kNormal,
  kGap,
  kImpulse,
  kImpulseWorld,
  kContactVelocity,
  kContactStatus
};
inline constexpr std::array<Column, 10> kContactColumns = {{
    {"body_a", Int32, 1, false, "1"},
    {"body_b", Int32, 1, false, "1"},
    {"key", UInt64, 3, false, "1"},
    {"point", Float64, 3, false, "m"},
    {"normal", Float64, 3, false, "1"},
    {"gap", Float64, 1, false, "m"},
    {"impulse", Float64, 3, false, "N s"},
    {"impulse_world", Float64, 3, false, "N s"},
    {"velocity", Float64, 3, false, "m/s"},
    {"status", UInt8, 1, false, "1"},
}};
// One row per contact too, in runs where some material resists rolling.
inline constexpr std::array<Column, 1> kMomentColumns = {{{"moment", Float64, 3, false, "N m s"}}};
inline constexpr std::array<Column, 1> kOffsetColumns = {{{"offset", Int64, 1, false, "1"}}};  // one more than frames

// Runs of systems in generalized coordinates: rows of q and v are as wide as there are coordinates, those of gap as
// there are contacts.
inline constexpr const char* kSystemContacts = "/system/contacts";        // names
inline constexpr const char* kSystemCoordinates = "/system/coordinates";  // names
enum SystemFrameColumn { kSystemStep, kSystemTime, kSystemQ, kSystemV };
inline constexpr std::array<Column, 4> kSystemFrameColumns = {{
    {"step", Int64, 1, false, "1"},
    {"time", Float64, 1, false, "s"},
    {"q", Float64, 1, true, "m or rad"},
    {"v", Float64, 1, true, "m/s or rad/s"},
}};
inline constexpr std::array<Column, 1> kGapColumns = {{{"gap", Float64, 1, true, "m"}}};
enum SystemContactColumn { kSystemContact, kSystemGap, kSystemImpulse, kSystemVelocity };
inline constexpr std::array<Column, 4> kSystemContactColumns = {{
    {"contact", Int32, 1, false, "1"},
    {"gap", Float64, 1, false, "m"},
    {"impulse", Float64, 3, false, "N s"},
    {"velocity", Float64, 3, false, "m/s"},
}};

// /diagnostics: one row per step. Phase times are a column of their own, as wide as there are phases.
inline constexpr const char* kDiagnostics = "/diagnostics/";
enum DiagnosticColumn {
  kStep,
  kTime,
  kKinetic,
  kPotential,
  kExternalWork,
  kBoundaryWork,
  kContactWork,
  kProjectionWork,
  kBalanceError,
  kContactCount,
  kIslands,
  kLargestIsland,
  kIterations,
  kSolveStatus,
  kResidualNatural,
  kResidualVelocity,
  kWorstPenetration,
  kPhaseSeconds
};
inline constexpr int kPhaseCount = static_cast<int>(StepPhase::Count);
inline constexpr std::array<Column, 18> kDiagnosticColumns = {{
    {"step", Int64, 1, false, "1"},
    {"time", Float64, 1, false, "s"},
    {"kinetic", Float64, 1, false, "J"},
    {"potential", Float64, 1, false, "J"},
    {"external_work", Float64, 1, false, "J"},
    {"boundary_work", Float64, 1, false, "J"},
    {"contact_work", Float64, 1, false, "J"},
    {"projection_work", Float64, 1, false, "J"},
    {"balance_error", Float64, 1, false, "J"},
    {"contacts", Int32, 1, false, "1"},
    {"islands", Int32, 1, false, "1"},
    {"largest_island", Int32, 1, false, "1"},
    {"iterations", Int32, 1, false, "1"},
    {"status", UInt8, 1, false, "1"},
    {"residual_natural", Float64, 1, false, "1"},
    {"residual_velocity", Float64, 1, false, "m/s"},
    {"worst_penetration", Float64, 1, false, "m"},
    {"phase_seconds", Float64, kPhaseCount, false, "s"},
}};

// Columns that older files do not have.
enum ImpactColumn { kImpacts, kFailedImpacts };
inline constexpr std::array<Column, 2> kImpactColumns = {{
    {"impacts", Int32, 1, false, "1"},
    {"failed_impacts", Int32, 1, false, "1"},
}};

enum JointDiagnosticColumn { kElastic, kJointWork, kWorstJointError, kSupportReaction, kBrokenBonds };
inline constexpr std::array<Column, 5> kJointDiagnosticColumns = {{
    {"elastic", Float64, 1, false, "J"},
    {"joint_work", Float64, 1, false, "J"},
    {"worst_joint_error", Float64, 1, false, "m or rad"},
    {"support_reaction", Float64, 3, false, "N"},
    {"broken_bonds", Int32, 1, false, "1"},
}};

// Sizes of one row; a column of width 1 has no dimension for it.
inline h5::Extent row_extent(const Column& column, std::uint64_t bodies) {
  h5::Extent extent;
  if (column.per_body) extent.push_back(bodies);
  if (column.width > 1) extent.push_back(static_cast<std::uint64_t>(column.width));
  return extent;
}

}  // namespace carom::run_layout
