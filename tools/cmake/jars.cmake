# weir_jars(TARGET FOLDER POM pom.xml FOR what [COUNT n NAMES jar ...] [ALL])
# A target that fetches the jars which POM names by Maven, with what they need, into FOLDER; its
# last file is .complete. What is there already is used as long as POM says the same, also offline.
# A fetch that fails, fails the build, and so does one that brings another count of jars, or lacks
# one whose name begins as NAMES say. ALL: the target is part of every build. Without Maven there is
# no such target.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(weir_jars_script ${CMAKE_CURRENT_LIST_FILE})
  find_program(MAVEN mvn)
  function(weir_jars target folder)
    cmake_parse_arguments(JARS "ALL" "POM;FOR;COUNT" "NAMES" ${ARGN})
    if(NOT MAVEN)
      message(NOTICE "Maven is missing: ${JARS_FOR} is not in this build")
      return()
    endif()
    list(JOIN JARS_NAMES "," names)
    add_custom_command(OUTPUT ${folder}/.complete
      COMMAND ${CMAKE_COMMAND} -D MAVEN=${MAVEN} -D JARS=${folder} -D POM=${JARS_POM}
              -D FOR=${JARS_FOR} -D COUNT=${JARS_COUNT} -D NAMES=${names} -P ${weir_jars_script}
      DEPENDS ${JARS_POM}
      COMMENT "Fetching ${JARS_FOR}" VERBATIM)
    if(JARS_ALL)
      add_custom_target(${target} ALL DEPENDS ${folder}/.complete)
    else()
      add_custom_target(${target} DEPENDS ${folder}/.complete)
    endif()
  endfunction()
  return()
endif()

# As a script: fills JARS from POM. A fetch goes beside, and takes the place of what was there only
# when it is whole.
file(SHA256 ${POM} wanted)
if(EXISTS ${JARS}/.complete)
  file(READ ${JARS}/.complete present)
  if(present STREQUAL wanted)
    file(TOUCH ${JARS}/.complete)
    return()
  endif()
endif()

# From what this machine has, else from the network.
foreach(offline --offline --no-transfer-progress)
  file(REMOVE_RECURSE ${JARS}.new)
  execute_process(
    COMMAND ${MAVEN} -q -B ${offline} -f ${POM} dependency:copy-dependencies
            -DoutputDirectory=${JARS}.new -DincludeScope=runtime
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result EQUAL 0)
    break()
  endif()
endforeach()
if(NOT result EQUAL 0)
  file(REMOVE_RECURSE ${JARS}.new)
  message(FATAL_ERROR "Maven could not fetch ${FOR} (${result}). Is its repository reachable "
                      "(~/.m2/settings.xml)? It says:\n${output}")
endif()

file(GLOB fetched RELATIVE ${JARS}.new ${JARS}.new/*.jar)
list(LENGTH fetched count)
string(REPLACE "," ";" names "${NAMES}")
foreach(name ${names})
  if(NOT fetched MATCHES "(^|;)${name}")
    message(FATAL_ERROR "The jars fetched for ${FOR} lack ${name}: see ${POM}")
  endif()
endforeach()
if(COUNT AND NOT count EQUAL COUNT)
  message(FATAL_ERROR "${count} jars were fetched for ${FOR}, not ${COUNT}: see ${POM}")
endif()
file(WRITE ${JARS}.new/.complete ${wanted})
file(REMOVE_RECURSE ${JARS})
file(RENAME ${JARS}.new ${JARS})
