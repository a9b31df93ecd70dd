# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=… -DPAGE=… "-DSTYLES=a|b" "-DSCRIPTS=a|b" -P EmbedHtml.cmake: writes a C++ source
# with the page, its styles and its scripts as three texts.
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
file(WRITE ${OUTPUT} "// Made by cmake/EmbedHtml.cmake from runtime/report/html.
#include \"runtime/report/timing/html_parts.hpp\"

namespace tessera::report {

const std::string_view kHtmlPage = R\"tessera(${page})tessera\";
const std::string_view kHtmlStyles = R\"tessera(${styles})tessera\";
const std::string_view kHtmlScripts = R\"tessera(${scripts})tessera\";

}  // namespace tessera::report
")
