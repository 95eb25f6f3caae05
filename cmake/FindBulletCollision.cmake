# Bullet's collision detection as one imported target, bullet_collision; Debian packages it as libbullet-dev. A
# benchmark puts its manifolds beside ours; nothing else uses it.
find_path(BULLET_INCLUDE_DIR btBulletCollisionCommon.h PATH_SUFFIXES bullet)
find_library(BULLET_COLLISION_LIBRARY BulletCollision)
find_library(BULLET_MATH_LIBRARY LinearMath)
mark_as_advanced(BULLET_INCLUDE_DIR BULLET_COLLISION_LIBRARY BULLET_MATH_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(BulletCollision REQUIRED_VARS BULLET_COLLISION_LIBRARY BULLET_MATH_LIBRARY
  BULLET_INCLUDE_DIR)

if(BulletCollision_FOUND AND NOT TARGET bullet_collision)
  add_library(bullet_collision INTERFACE IMPORTED)
  target_include_directories(bullet_collision SYSTEM INTERFACE "${BULLET_INCLUDE_DIR}")
  target_link_libraries(bullet_collision INTERFACE "${BULLET_COLLISION_LIBRARY}" "${BULLET_MATH_LIBRARY}")
endif()
