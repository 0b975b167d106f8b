# marchland_embed_pages(<target> <folder> <path>[=<file>]...)
#
# Compiles the files of a folder into the target, whose tools/server/live_map.h declares how they are asked for: each
# is served at its path. A file that changes is embedded anew by the next build.
#
# marchland_embed_text(<target> <file> <variable>)
#
# The same of one file, as `extern const std::string_view` of that name, whose namespace goes before it.

if(CMAKE_SCRIPT_MODE_FILE AND TEXT)  # at build time: TEXT, VARIABLE, OUTPUT
  string(REGEX REPLACE "::[^:]*$" "" namespace "${VARIABLE}")
  string(REGEX REPLACE "^.*::" "" name "${VARIABLE}")
  file(READ ${TEXT} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  file(WRITE ${OUTPUT} "#include <string_view>\n\nnamespace {\nconstexpr char kBytes[] = {${bytes}};\n}\n\n"
    "namespace ${namespace} {\nextern const std::string_view ${name};\n"
    "const std::string_view ${name}{kBytes, sizeof kBytes};\n}\n")
  return()
endif()
if(CMAKE_SCRIPT_MODE_FILE)  # at build time: FOLDER, PAGES, OUTPUT
  set(type_html "text/html; charset=utf-8")
  set(type_css "text/css; charset=utf-8")
  set(type_js "text/javascript; charset=utf-8")
  set(arrays "")
  set(list "")
  set(number 0)
  string(REPLACE "," ";" PAGES "${PAGES}")
  foreach(page ${PAGES})
    string(REGEX MATCH "^([^=]*)=(.*)$" ignored "${page}")
    set(path "${CMAKE_MATCH_1}")
    set(file "${CMAKE_MATCH_2}")
    cmake_path(GET file EXTENSION LAST_ONLY extension)
    string(SUBSTRING ${extension} 1 -1 extension)
    file(READ ${FOLDER}/${file} bytes HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND arrays "constexpr char kPage${number}[] = {${bytes}};\n")
    string(APPEND list
      "    {\"${path}\", \"${type_${extension}}\", {kPage${number}, sizeof kPage${number}}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(WRITE ${OUTPUT} "#include \"tools/server/live_map.h\"\n\nnamespace {\n${arrays}\n"
    "constexpr marchland::net::AdminPage kPages[] = {\n${list}};\n}  // namespace\n\n"
    "std::span<const marchland::net::AdminPage> marchland::server::pages() {\n    return kPages;\n}\n")
  return()
endif()

set(_marchland_embed_pages ${CMAKE_CURRENT_LIST_FILE})
function(marchland_embed_pages target folder)
  cmake_path(ABSOLUTE_PATH folder)
  set(pages "")
  set(files "")
  foreach(page ${ARGN})
    if(NOT page MATCHES "=")
      string(SUBSTRING ${page} 1 -1 file)
      set(page "${page}=${file}")
    endif()
    string(REGEX REPLACE "^.*=" "" file ${page})
    list(APPEND pages ${page})
    list(APPEND files ${folder}/${file})
  endforeach()
  string(REPLACE ";" "," pages "${pages}")
  set(output ${PROJECT_BINARY_DIR}/generated/${target}_pages.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D PAGES=${pages} -D OUTPUT=${output}
      -P ${_marchland_embed_pages}
    DEPENDS ${files} ${_marchland_embed_pages}
    COMMENT "Embedding the pages of ${folder}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

function(marchland_embed_text target file variable)
  cmake_path(ABSOLUTE_PATH file)
  cmake_path(GET file STEM name)
  set(output ${PROJECT_BINARY_DIR}/generated/${target}_${name}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D TEXT=${file} -D VARIABLE=${variable} -D OUTPUT=${output} -P ${_marchland_embed_pages}
    DEPENDS ${file} ${_marchland_embed_pages}
    COMMENT "Embedding ${name}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
