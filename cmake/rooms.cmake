# The sources of a library are the rooms (folders) that it is made of: a new file is built without a
# line in any list.

# systole_rooms(TARGET ROOM...): adds every *.cpp of these folders and of those in them, and their *.cu with
# CUDA or their *_none.cpp without it.
function(systole_rooms target)
  foreach(room ${ARGN})
    cmake_path(ABSOLUTE_PATH room NORMALIZE)
    string(REGEX REPLACE "/$" "" room ${room})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${room}/*.cpp)
    if(SYSTOLE_HAVE_CUDA)
      file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${room}/*.cu)
      list(FILTER sources EXCLUDE REGEX "_none\\.cpp$")
      list(APPEND sources ${kernels})
    endif()
    target_sources(${target} PRIVATE ${sources})
  endforeach()
endfunction()

# systole_without(TARGET PLACE...): takes files, or whole folders, out again.
function(systole_without target)
  get_target_property(sources ${target} SOURCES)
  foreach(place ${ARGN})
    cmake_path(ABSOLUTE_PATH place NORMALIZE)
    foreach(source ${sources})
      cmake_path(IS_PREFIX place ${source} inside)
      if(inside)
        list(REMOVE_ITEM sources ${source})
      endif()
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
endfunction()

# systole_without_includes(TARGET REGEX): takes out the C++ files that include, themselves or in the header of
# their name, a file whose path begins with the regular expression.
function(systole_without_includes target pattern)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    set(includes "")
    string(REGEX REPLACE "\\.cpp$" ".h" header "${source}")
    foreach(file ${source} ${header})
      if(file MATCHES "\\.(cpp|h)$" AND EXISTS ${file})
        file(STRINGS ${file} lines REGEX "^#include \"(${pattern})")
        list(APPEND includes ${lines})
      endif()
    endforeach()
    if(includes)
      list(REMOVE_ITEM sources ${source})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
endfunction()
