// CAROM_CHECK(condition, "what it means"): for our own bugs only, never for user data. Throws
// InternalError, so that a program embedding the library survives; stays on in Release, so keep it
// out of inner loops (CAROM_ASSERT is for those and vanishes with NDEBUG).
#pragma once

namespace carom {

[[noreturn]] void check_failed(const char* file, int line, const char* condition, const char* meaning);

}  // namespace carom

#define CAROM_CHECK(condition, meaning) \
  ((condition) ? void(0) : ::carom::check_failed(__FILE__, __LINE__, #condition, meaning))

#ifdef NDEBUG
#define CAROM_ASSERT(condition, meaning) void(0)
#else
#define CAROM_ASSERT(condition, meaning) CAROM_CHECK(condition, meaning)
#endif
