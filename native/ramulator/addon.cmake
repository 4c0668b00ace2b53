# SPDX-License-Identifier: Apache-2.0
# The addon with Ramulator's channels. RAMULATOR2_DIR is an installation or a built source tree of
# Ramulator 2.0 or 2.1: headers under include or src, libramulator beside them or under lib. 2.0 needs the
# headers of yaml-cpp and spdlog, under ext as its own build puts them there, else those of the system;
# 2.1 its Python part under python, which is asked for its constraints.
unset(RAMULATOR_HEADERS CACHE)
unset(RAMULATOR_LIBRARY CACHE)
find_path(RAMULATOR_HEADERS NAMES ramulator/controller/controller_base.h dram_controller/plugin.h
  PATHS "${RAMULATOR2_DIR}/include" "${RAMULATOR2_DIR}/src" NO_DEFAULT_PATH)
find_library(RAMULATOR_LIBRARY ramulator
  PATHS "${RAMULATOR2_DIR}/lib" "${RAMULATOR2_DIR}" "${RAMULATOR2_DIR}/build" NO_DEFAULT_PATH)
if(NOT RAMULATOR_HEADERS OR NOT RAMULATOR_LIBRARY)
  message(FATAL_ERROR "RAMULATOR2_DIR is ${RAMULATOR2_DIR}, which has no Ramulator 2.0 or 2.1 "
    "(dram_controller/plugin.h or ramulator/controller under include or src, and libramulator).")
endif()
if(EXISTS "${RAMULATOR_HEADERS}/ramulator/controller")
  set(RAMULATOR_VERSION v21)
else()
  set(RAMULATOR_VERSION v20)
endif()

file(GLOB RAMULATOR_SOURCES CONFIGURE_DEPENDS "${ROOT}/native/ramulator/*.cc"
  "${ROOT}/native/ramulator/${RAMULATOR_VERSION}/*.cc")
neardata_addon(neardata_ramulator ${RAMULATOR_SOURCES})
# Its registry finds parts by inline variables, which have to be one in the addon and the library.
set_target_properties(neardata_ramulator PROPERTIES CXX_VISIBILITY_PRESET default)
target_include_directories(neardata_ramulator SYSTEM PRIVATE "${RAMULATOR_HEADERS}")
target_link_libraries(neardata_ramulator PRIVATE "${RAMULATOR_LIBRARY}")

if(RAMULATOR_VERSION STREQUAL v21)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(RAMULATOR_TABLE "${CMAKE_CURRENT_BINARY_DIR}/ramulator21")
  file(MAKE_DIRECTORY "${RAMULATOR_TABLE}")
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" -B "${ROOT}/native/ramulator/v21/table.py"
      "${RAMULATOR2_DIR}/python" "${RAMULATOR_TABLE}/ramulator21_table.h"
    RESULT_VARIABLE RAMULATOR_ASKED ERROR_VARIABLE RAMULATOR_SAID)
  if(NOT RAMULATOR_ASKED EQUAL 0)
    message(FATAL_ERROR "the Python part of Ramulator 2.1 under ${RAMULATOR2_DIR}/python does not give "
      "its constraints: ${RAMULATOR_SAID}")
  endif()
  target_include_directories(neardata_ramulator PRIVATE "${RAMULATOR_TABLE}")
else()
  set(yaml-cpp_target yaml-cpp)
  set(spdlog_target spdlog::spdlog_header_only)
  foreach(dependency yaml-cpp spdlog)
    if(EXISTS "${RAMULATOR2_DIR}/ext/${dependency}/include")
      target_include_directories(neardata_ramulator SYSTEM PRIVATE
        "${RAMULATOR2_DIR}/ext/${dependency}/include")
    else()
      find_package(${dependency} REQUIRED)
      target_link_libraries(neardata_ramulator PRIVATE ${${dependency}_target})
    endif()
  endforeach()
endif()
