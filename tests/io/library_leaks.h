// Third-party decoders leak memory when a stream ends early; that is not ours to fix. Included by
// one file of a program.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libgdcm\nleak:libopenjp2\nleak:libcharls\n";
}
#endif
