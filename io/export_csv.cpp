// CSV exports: a header with units, numbers in the shortest form that reads back to the same bits.
#include <fmt/format.h>

#include <filesystem>
#include <tuple>

#include "io/export.h"
#include "io/table_file.h"
#include "io/xdmf.h"

namespace carom {

namespace {

std::string three(const Vec3& v) { return fmt::format("{},{},{}", v[0], v[1], v[2]); }

}  // namespace

void export_csv_bodies(const RunReader& run, const std::string& file) {
  std::vector<std::string> names;
  for (const RunBody& body : run.bodies()) names.push_back(csv_text(body.name));
  TableFile table(file);
  table.row(
      "frame,step,time [s],body,name,x [m],y [m],z [m],qw,qx,qy,qz,vx [m/s],vy [m/s],vz [m/s],"
      "wx [rad/s],wy [rad/s],wz [rad/s]");
  for (std::int64_t f = 0; f < run.frame_count(); ++f) {
    const RunFrame frame = run.frame(f);
    for (std::size_t i = 0; i < frame.position.size(); ++i) {
      const Quat& q = frame.orientation[i];
      table.row("{},{},{},{},{},{},{},{},{},{},{},{}", f, frame.step, frame.time, i, names[i], three(frame.position[i]),
                q.w(), q.x(), q.y(), q.z(), three(frame.velocity[i]), three(frame.angular_velocity[i]));
    }
  }
  table.finish();
}

void export_csv_diagnostics(const RunDiagnostics& d, const std::string& file) {
  TableFile table(file);
  std::string phases;
  for (int k = 0; k < static_cast<int>(StepPhase::Count); ++k)
    phases += fmt::format(",{} [s]", name_of(static_cast<StepPhase>(k)));
  table.row(
      "step,time [s],kinetic [J],potential [J],external_work [J],boundary_work [J],contact_work [J],projection_work "
      "[J],"
      "balance_error [J],contacts,islands,largest_island,iterations,status,residual_natural,residual_velocity [m/s],"
      "worst_penetration [m],impacts,failed_impacts,elastic [J],joint_work [J],worst_joint_error [m or rad],"
      "support_x [N],support_y [N],support_z [N],broken_bonds{}",
      phases);
  for (std::size_t i = 0; i < d.step.size(); ++i) {
    std::string seconds;
    for (double s : d.phase_seconds[i].seconds) seconds += fmt::format(",{}", s);
    table.row("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}{}", d.step[i], d.time[i],
              d.kinetic[i], d.potential[i], d.external_work[i], d.boundary_work[i], d.contact_work[i],
              d.projection_work[i], d.balance_error[i], d.contacts[i], d.islands[i], d.largest_island[i],
              d.iterations[i], name_of(static_cast<SolveStatus>(d.status[i])), d.residual_natural[i],
              d.residual_velocity[i], d.worst_penetration[i], d.impacts[i], d.failed_impacts[i], d.elastic[i],
              d.joint_work[i], d.worst_joint_error[i], three(Vec3(&d.support_reaction[3 * i])), d.broken_bonds[i],
              seconds);
  }
  table.finish();
}

void export_csv_contacts(const RunReader& run, const std::string& file) {
  constexpr const char* kStatus[] = {"open", "stick", "slip"};
  const std::vector<double> times = run.frame_times();
  const std::vector<std::int64_t> steps = run.frame_steps();
  TableFile table(file);
  const bool moments = run.has_moments();
  table.row(
      "frame,step,time [s],body_a,body_b,collider_a,collider_b,feature,x [m],y [m],z [m],nx,ny,nz,gap [m],"
      "impulse_n [N s],impulse_t1 [N s],impulse_t2 [N s],impulse_x [N s],impulse_y [N s],impulse_z [N s],"
      "velocity_n [m/s],velocity_t1 [m/s],velocity_t2 [m/s],status{}",
      moments ? ",moment_x [N m s],moment_y [N m s],moment_z [N m s]" : "");
  for (std::int64_t f = 0; f < run.frame_count(); ++f)
    for (const ContactRecord& c : run.contacts(f))
      table.row("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}{}", f, steps[static_cast<std::size_t>(f)],
                times[static_cast<std::size_t>(f)], c.body_a, c.body_b, c.key.a, c.key.b, c.key.feature, three(c.point),
                three(c.normal), c.gap, three(c.impulse), three(c.impulse_world), three(c.velocity),
                kStatus[static_cast<int>(c.status)], moments ? "," + three(c.moment) : "");
  table.finish();
}

void export_csv_joints(const RunReader& run, const std::string& file) {
  const std::vector<double> times = run.frame_times();
  const std::vector<std::int64_t> steps = run.frame_steps();
  const std::vector<RunJoint> joints = run.joints();
  TableFile table(file);
  std::string axes;
  for (const auto& [axis, length, force] : {std::tuple{"slide", "m", "N"}, {"turn", "rad", "N m"}}) {
    axes += fmt::format(",{0} [{1}],{0}_velocity [{1}/s]", axis, length);
    for (const char* part : {"limit", "spring", "motor", "friction"})
      axes += fmt::format(",{}_{} [{}]", axis, part, force);
  }
  table.row(
      "frame,step,time [s],joint,name,type,body_a,body_b,force_x [N],force_y [N],force_z [N],torque_x [N m],"
      "torque_y [N m],torque_z [N m]{},error [m or rad]",
      axes);
  const auto six = [](const AxisRecord& a) {
    return fmt::format("{},{},{},{},{},{}", a.position, a.velocity, a.limit, a.spring, a.motor, a.friction);
  };
  for (std::int64_t f = 0; f < run.frame_count(); ++f) {
    const std::vector<JointFrame> rows = run.joints(f);
    for (std::size_t i = 0; i < rows.size(); ++i)
      table.row("{},{},{},{},{},{},{},{},{},{},{},{},{}", f, steps[static_cast<std::size_t>(f)],
                times[static_cast<std::size_t>(f)], i, csv_text(joints[i].name), name_of(joints[i].type),
                joints[i].body_a, joints[i].body_b, three(rows[i].force), three(rows[i].torque), six(rows[i].slide),
                six(rows[i].turn), rows[i].error);
  }
  table.finish();
}

void export_csv_interfaces(const RunReader& run, const std::string& file) {
  const std::vector<double> times = run.frame_times();
  const std::vector<std::int64_t> steps = run.frame_steps();
  const std::vector<RunInterface> faces = run.interfaces();
  std::vector<std::string> names;
  for (const RunBody& body : run.bodies()) names.push_back(csv_text(body.name));
  TableFile table(file);
  table.row(
      "frame,step,time [s],interface,body_a,body_b,area [m^2],status,bonded,opening [m],closest [m],sliding [m],"
      "normal_force [N],shear_force [N],eccentricity,thrust_x [m],thrust_y [m],thrust_z [m]");
  for (std::int64_t f = 0; f < run.frame_count(); ++f) {
    const std::vector<InterfaceFrame> rows = run.interfaces(f);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const InterfaceFrame& r = rows[i];
      table.row("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", f, steps[static_cast<std::size_t>(f)],
                times[static_cast<std::size_t>(f)], i, names[static_cast<std::size_t>(faces[i].body_a)],
                names[static_cast<std::size_t>(faces[i].body_b)], faces[i].area, name_of(r.status), r.bonded ? 1 : 0,
                r.opening, r.closest, r.sliding, r.normal_force, r.shear_force, r.eccentricity, three(r.thrust_point));
    }
  }
  table.finish();
}

void export_csv_coordinates(const SystemRunReader& run, const std::string& file) {
  TableFile table(file);
  std::string header;
  for (const char* what : {"q", "v"})
    for (const std::string& name : run.coordinates()) header += "," + csv_text(fmt::format("{} {}", what, name));
  for (const std::string& name : run.contacts()) header += "," + csv_text(fmt::format("gap {} [m]", name));
  table.row("frame,step,time [s]{}", header);
  for (std::int64_t f = 0; f < run.frame_count(); ++f) {
    const SystemFrame frame = run.frame(f);
    std::string line;
    for (const std::vector<double>* part : {&frame.q, &frame.v, &frame.gap})
      for (double value : *part) fmt::format_to(std::back_inserter(line), ",{}", value);
    table.row("{},{},{}{}", f, frame.step, frame.time, line);
  }
  table.finish();
}

void export_csv_contacts(const SystemRunReader& run, const std::string& file) {
  const std::vector<double> times = run.frame_times();
  const std::vector<std::int64_t> steps = run.frame_steps();
  TableFile table(file);
  table.row(
      "frame,step,time [s],contact,gap [m],impulse_n [N s],impulse_t1 [N s],impulse_t2 [N s],velocity_n [m/s],"
      "velocity_t1 [m/s],velocity_t2 [m/s]");
  for (std::int64_t f = 0; f < run.frame_count(); ++f)
    for (const LagrangianContactRecord& c : run.contacts(f))
      table.row("{},{},{},{},{},{},{}", f, steps[static_cast<std::size_t>(f)], times[static_cast<std::size_t>(f)],
                csv_text(run.contacts()[static_cast<std::size_t>(c.contact)]), c.gap, three(c.impulse),
                three(c.velocity));
  table.finish();
}

void export_xdmf(const RunReader& run, const std::string& run_file, const std::string& xdmf_file) {
  namespace fs = std::filesystem;
  // The .xdmf names the run file as seen from its own folder.
  std::error_code error;
  const fs::path folder = fs::absolute(xdmf_file, error).parent_path();
  const fs::path target = fs::absolute(run_file, error);
  fs::path relative = fs::relative(target, folder, error);
  if (error || relative.empty()) relative = target;
  write_xdmf(xdmf_file, relative.string(), run.frame_times(), run.bodies().size());
}

}  // namespace carom
