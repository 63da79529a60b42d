# The readers and writers with their tests once more, under AddressSanitizer and UBSan: bytes that nobody
# checked come in there. In the same build, so nothing else is compiled twice; on request alone:
# ninja sanitized_io_tests. The preset asan has the other layers too.
add_library(sanitizers INTERFACE)
target_compile_options(sanitizers INTERFACE -w ${SYSTOLE_SANITIZERS})
target_link_options(sanitizers INTERFACE ${SYSTOLE_SANITIZERS})

get_target_property(sources systole_io SOURCES)
get_target_property(libraries systole_io LINK_LIBRARIES)
add_library(sanitized_io STATIC EXCLUDE_FROM_ALL ${sources})
target_link_libraries(sanitized_io PUBLIC ${libraries} sanitizers)
systole_precompile(sanitized_io base)

foreach(test io_tests matrix_io_tests landmark_io_tests)
  get_target_property(sources ${test} SOURCES)
  list(APPEND tests ${sources})
endforeach()
add_executable(sanitized_io_tests EXCLUDE_FROM_ALL ${tests})
target_compile_definitions(sanitized_io_tests PRIVATE SYSTOLE_ASSETS="${PROJECT_SOURCE_DIR}/assets")
target_link_libraries(sanitized_io_tests PRIVATE sanitized_io systole_itk_reference systole_gdcm ZLIB::ZLIB
  nlohmann_json::nlohmann_json GTest::gtest GTest::gmock GTest::gtest_main)
systole_precompile(sanitized_io_tests tests)
