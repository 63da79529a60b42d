# Third-party headers are parsed once per target, not once per file: cmake/precompiled/*.h say which.
# Every file still includes what it uses.

# systole_precompile(TARGET HEADER): HEADER without folder and ending; C++ alone, nvcc has none.
function(systole_precompile target header)
  target_precompile_headers(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/cmake/precompiled/${header}.h>")
endfunction()
