# CUDA is optional: found, its forms are built; not found, the CPU forms are the whole product.

set(SYSTOLE_HAVE_CUDA OFF)
if(SYSTOLE_CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    # Each architecture takes its time to compile: code for the cards that are here, else for one.
    # What goes to other machines is made by `./dev bundle`, which asks for all.
    set(CMAKE_CUDA_ARCHITECTURES 90)
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE cards ERROR_QUIET RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(failed EQUAL 0 AND cards MATCHES "^[0-9]+\\.[0-9]+(\n[0-9]+\\.[0-9]+)*$")
      string(REPLACE "." "" cards "${cards}")
      string(REPLACE "\n" "-real;" cards "${cards}-real")
      list(REMOVE_DUPLICATES cards)
      set(CMAKE_CUDA_ARCHITECTURES ${cards})
    endif()
  elseif(CMAKE_CUDA_ARCHITECTURES STREQUAL "all-supported")
    # Machine code for Turing, Ampere and Hopper; PTX of the last for what follows.
    set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 90)
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    # CMake 3.25 knows CUDA C++ up to 17; nvcc has 20.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static) # starts without a driver, ships without CUDA's libraries
    set(SYSTOLE_HAVE_CUDA ON)
  endif()
endif()
if(SYSTOLE_HAVE_CUDA)
  message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
elseif(SYSTOLE_REQUIRE_CUDA)
  message(FATAL_ERROR "CUDA: no compiler found, but SYSTOLE_REQUIRE_CUDA is set")
else()
  message(STATUS "CUDA: no compiler found (or switched off): only the CPU forms are built")
endif()
