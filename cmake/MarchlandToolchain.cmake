# How our code is compiled: options, warnings, sanitizers, and the tools that make it quick.

option(MARCHLAND_TESTS "Build the tests (needs GoogleTest and RapidCheck)" ON)
option(MARCHLAND_WERROR "A warning in our own code is an error" ON)
set(MARCHLAND_SANITIZE "" CACHE STRING "Sanitizers: empty, 'address' (with undefined) or 'thread'")
set_property(CACHE MARCHLAND_SANITIZE PROPERTY STRINGS "" address thread)

option(MARCHLAND_FUZZ "Build the targets of tests/fuzz with libFuzzer (needs clang)" OFF)

# Every target of ours links this one, and nothing of a third party does.
add_library(marchland_options INTERFACE)
target_compile_options(marchland_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -ffp-contract=off)  # a fused multiply-add would make a float's last bit depend on the build
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  # Runs on every x86-64 that has POPCNT (Nehalem, Barcelona and later). GCC's generic tuning fills a frame
  # with `rep stos` and copies bytes that were just written, which waits; and functions that begin on no line of their own are quick or
  # slow by chance. A tick of `marchland-bench index` takes a tenth less.
  target_compile_options(marchland_options INTERFACE -mtune=znver3 -mpopcnt -falign-functions=64)
endif()
if(MARCHLAND_WERROR)
  target_compile_options(marchland_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651: "literal" + std::string is reported as an overlapping copy.
  target_compile_options(marchland_options INTERFACE -Wno-restrict)
endif()

# Sanitizers apply to the whole build: a program that is instrumented in part proves little.
if(MARCHLAND_SANITIZE STREQUAL "address")
  # Looking for these makes half of the compiler's work. A null that is used ends the program all the same, and
  # fuzzing looks for the others.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,vptr,alignment,object-size
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(MARCHLAND_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # std::atomic_thread_fence in Asio; GCC cannot instrument it
  endif()
elseif(MARCHLAND_SANITIZE)
  message(FATAL_ERROR
    "MARCHLAND_SANITIZE is '${MARCHLAND_SANITIZE}'; it may be empty, 'address' or 'thread'")
endif()
if(MARCHLAND_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC's manual: sanitizers make this warning report what is not there.
  target_compile_options(marchland_options INTERFACE -Wno-maybe-uninitialized)
endif()

# Coverage and sanitizers in all that is fuzzed; libFuzzer's main only in its targets (tests/fuzz).
if(MARCHLAND_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "MARCHLAND_FUZZ needs clang; this is ${CMAKE_CXX_COMPILER_ID}")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

find_program(MARCHLAND_CCACHE ccache)
if(MARCHLAND_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the project are hashed as relative ones: a second checkout compiles nothing anew.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    ${MARCHLAND_CCACHE})
endif()

include(CheckLinkerFlag)
find_program(MARCHLAND_MOLD mold)
if(MARCHLAND_MOLD)
  check_linker_flag(CXX -fuse-ld=mold MARCHLAND_MOLD_WORKS)
  if(MARCHLAND_MOLD_WORKS)
    add_link_options(-fuse-ld=mold)
  endif()
endif()
