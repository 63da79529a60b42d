# Warnings, sanitizers and the compiler cache, for our own targets only.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Without the first, a file with a precompiled header is never found in the cache; without the next two,
  # none that another clone has compiled. Without the last the cache reads the whole precompiled header, 100 MB,
  # for every file: half of the processor's time of a build goes there.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_INODECACHE=1 ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher})
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endif()

add_library(systole_warnings INTERFACE)
target_compile_options(systole_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wconversion -Werror
    # GCC 12 sees overruns in its own std::string once that is inlined (its bugs 105329 and 105651),
    # in headers that are precompiled even as errors. AddressSanitizer looks for real ones.
    -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread>
  # -Wpedantic objects to the line markers that nvcc puts into its intermediate files.
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wconversion -Werror=all-warnings
    # The per-voxel formulas are constexpr functions that both compilers take.
    --expt-relaxed-constexpr>)

set(SYSTOLE_SANITIZERS -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
if(SYSTOLE_SANITIZE)
  # GCC warns of more where it adds checks, of its own headers too; the release build has the warnings.
  target_compile_options(systole_warnings INTERFACE -w)
  add_compile_options(${SYSTOLE_SANITIZERS})
  add_link_options(${SYSTOLE_SANITIZERS})
endif()
