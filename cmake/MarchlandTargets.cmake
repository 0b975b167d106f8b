# The few functions from which every folder's CMakeLists.txt is made.
# Source lists are explicit. A list may be empty while a folder is young.

# Sources are compiled together, several at a time: most of a compiler's time goes into the headers
# that they share. Names in the anonymous namespaces of one folder must therefore differ.
# Off (-DMARCHLAND_UNITY=OFF) each is compiled by itself: slower from nothing, faster after a change.
option(MARCHLAND_UNITY "Compile sources several at a time" ON)

function(marchland_together name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${MARCHLAND_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  # What holds something of an anonymous namespace is a warning only in a file that is included.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# For code whose speed does not matter: less optimization compiles faster.
function(marchland_compiled_quickly name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1> $<$<BOOL:${MARCHLAND_SANITIZE}>:-O0>)
endfunction()

# marchland_library(<name> [SOURCES <file>...] [LINKS <target>...] [APART <file>...])
#
# APART: those of its sources that are compiled by themselves: each has its own `kCases`, say.
# A static library; without sources an INTERFACE library, so that others can link it already.
# LINKS are public: who links <name> gets them too. Include root is the project's root.
function(marchland_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS;APART")
  _marchland_reject_unknown(${name} "${arg_UNPARSED_ARGUMENTS}")
  if(arg_SOURCES)
    add_library(${name} STATIC ${arg_SOURCES})
    marchland_together(${name})
    set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    # Of our options and our root nothing is installed.
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:marchland_options> PUBLIC ${arg_LINKS})
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${arg_LINKS})
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR})
  endif()
endfunction()

# marchland_program(<name> [SOURCES <file>...] [LINKS <target>...])
#
# An executable in build/<preset>/bin that may include "marchland_version.h". No sources, no target.
function(marchland_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  _marchland_reject_unknown(${name} "${arg_UNPARSED_ARGUMENTS}")
  if(NOT arg_SOURCES)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE marchland_options marchland_version ${arg_LINKS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()

# marchland_test(<name> [SOURCES <file>...] [LINKS <target>...] [TIMEOUT_S <seconds>]
#                [THREAD_TESTS <filter>])
#
# A GoogleTest + RapidCheck executable; each of its tests is a test of ctest, called
# <folder>/<Suite>.<Name>, labelled <folder>, and stopped after TIMEOUT_S (60 by default).
# No sources, no target. May be called more than once in a folder, with different names.
#
# THREAD_TESTS is a filter of GoogleTest: under ThreadSanitizer only these tests run.
function(marchland_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT_S;THREAD_TESTS" "SOURCES;LINKS")
  _marchland_reject_unknown(${name} "${arg_UNPARSED_ARGUMENTS}")
  if(NOT arg_SOURCES)
    return()
  endif()
  if(NOT arg_TIMEOUT_S)
    set(arg_TIMEOUT_S 60)
  endif()
  add_executable(${name} ${arg_SOURCES})
  marchland_together(${name})
  target_link_libraries(${name} PRIVATE marchland_options ${arg_LINKS}
    GTest::gtest_main rapidcheck rapidcheck_gtest)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})

  # Compiling the tests takes longer than compiling what they test. Their own sources therefore get
  # less: no -O3; under a sanitizer no optimization, no debug information, no UndefinedBehaviorSanitizer.
  target_compile_options(${name} PRIVATE
    $<$<CONFIG:Release>:-O1>
    $<$<BOOL:${MARCHLAND_SANITIZE}>:-O0>
    $<$<BOOL:${MARCHLAND_SANITIZE}>:-g0>
    $<$<STREQUAL:${MARCHLAND_SANITIZE},address>:-fno-sanitize=undefined>)

  set(filter)
  if(MARCHLAND_SANITIZE STREQUAL "thread" AND arg_THREAD_TESTS)
    set(filter TEST_FILTER ${arg_THREAD_TESTS})
  endif()
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  # PRE_TEST: a test binary that crashes on start fails its tests, not the build.
  gtest_discover_tests(${name}
    TEST_PREFIX "${folder}/"
    ${filter}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${folder} TIMEOUT ${arg_TIMEOUT_S})
endfunction()

# marchland_flatbuffers(<name> <schema.fbs>)
#
# An INTERFACE library with the C++ code that flatc makes of the schema: <schema>_generated.h, in the
# build tree, as a system header. While the schema does not exist there is only the runtime.
function(marchland_flatbuffers name schema)
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE flatbuffers::flatbuffers)
  cmake_path(ABSOLUTE_PATH schema BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  if(NOT EXISTS ${schema})
    return()
  endif()
  cmake_path(GET schema STEM stem)
  set(generated_dir ${PROJECT_BINARY_DIR}/generated/${name})
  set(generated ${generated_dir}/${stem}_generated.h)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${generated_dir}
    COMMAND flatbuffers::flatc --cpp --cpp-std c++17 --scoped-enums -o ${generated_dir} ${schema}
    DEPENDS ${schema}
    COMMENT "flatc ${stem}.fbs"
    VERBATIM)
  add_custom_target(${name}_codegen DEPENDS ${generated})
  add_dependencies(${name} ${name}_codegen)
  target_include_directories(${name} SYSTEM INTERFACE ${generated_dir})
endfunction()

# A misspelt keyword would otherwise be a file that silently is not built.
function(_marchland_reject_unknown name arguments)
  if(arguments)
    message(FATAL_ERROR "${name}: unknown arguments: ${arguments}")
  endif()
endfunction()

# marchland_version.h, for programs: version and commit. Looked at in every build; the file is
# written only when it changes, so only the few sources that include it are compiled again.
set(_marchland_version_dir ${PROJECT_BINARY_DIR}/generated/version)
add_custom_target(marchland_version_header
  COMMAND ${CMAKE_COMMAND}
    -D SOURCE_DIR=${PROJECT_SOURCE_DIR}
    -D VERSION=${PROJECT_VERSION}
    -D TEMPLATE=${PROJECT_SOURCE_DIR}/cmake/marchland_version.h.in
    -D OUTPUT=${_marchland_version_dir}/marchland_version.h
    -P ${PROJECT_SOURCE_DIR}/cmake/MarchlandVersion.cmake
  BYPRODUCTS ${_marchland_version_dir}/marchland_version.h
  COMMENT "Looking at the version"
  VERBATIM)
add_library(marchland_version INTERFACE)
add_dependencies(marchland_version marchland_version_header)
target_include_directories(marchland_version INTERFACE ${_marchland_version_dir})
