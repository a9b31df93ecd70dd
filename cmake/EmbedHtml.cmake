# SPDX-License-Identifier: Apache-2.0
# tessera_embed_html(LIBRARY NAME ns::kPage PAGE a.html STYLES a.css … SCRIPTS a.js …): adds a
# source to the library. The source holds a page, its styles and its scripts, joined in their order,
# as the constant `const report::HtmlParts ns::kPage`. Run as a script, this file writes that
# source.
if(CMAKE_SCRIPT_MODE_FILE)
    function(read_all files result)
        string(REPLACE "|" ";" files "${files}")
        set(text "")
        foreach(file IN LISTS files)
            file(READ ${file} part)
            string(APPEND text "${part}")
        endforeach()
        set(${result} "${text}" PARENT_SCOPE)
    endfunction()

    read_all("${PAGE}" page)
    read_all("${STYLES}" styles)
    read_all("${SCRIPTS}" scripts)
    string(REGEX MATCH "^(.+)::([^:]+)$" named "${NAME}")
    file(WRITE ${OUTPUT} "// Made by cmake/EmbedHtml.cmake.
#include \"runtime/report/timing/html_page.hpp\"

namespace ${CMAKE_MATCH_1} {

extern const tessera::report::HtmlParts ${CMAKE_MATCH_2};
const tessera::report::HtmlParts ${CMAKE_MATCH_2}{
R\"tessera(${page})tessera\",
R\"tessera(${styles})tessera\",
R\"tessera(${scripts})tessera\"};

}  // namespace ${CMAKE_MATCH_1}
")
    return()
endif()

set(tessera_embed_html_script ${CMAKE_CURRENT_LIST_FILE})
function(tessera_embed_html library)
    cmake_parse_arguments(ARG "" "NAME;PAGE" "STYLES;SCRIPTS" ${ARGN})
    # A library may have several pages.
    get_filename_component(page_name ${ARG_PAGE} NAME_WE)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${library}_${page_name}_html.cpp)
    string(REPLACE ";" "|" styles "${ARG_STYLES}")
    string(REPLACE ";" "|" scripts "${ARG_SCRIPTS}")
    add_custom_command(
        OUTPUT ${source}
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${source} -DNAME=${ARG_NAME} -DPAGE=${ARG_PAGE}
                "-DSTYLES=${styles}" "-DSCRIPTS=${scripts}" -P ${tessera_embed_html_script}
        DEPENDS ${ARG_PAGE} ${ARG_STYLES} ${ARG_SCRIPTS} ${tessera_embed_html_script}
        COMMENT "Embedding ${ARG_PAGE}"
        VERBATIM)
    target_sources(${library} PRIVATE ${source})
    # A batch must not include a generated file: ./dev lint builds nothing.
    set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
