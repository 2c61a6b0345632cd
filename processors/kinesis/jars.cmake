# The KCL and what it needs at run time, as pom.xml names it, fetched by Maven: 77 jars, 33 MB, from
# the KCL's own licence (Apache 2.0) to logback's (EPL or LGPL). They are found at run time beside
# the program and are no part of it. Without Maven everything else is built; a fetch that fails,
# fails the build. What is there already is used as long as pom.xml says the same, also offline.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  find_program(MAVEN mvn)
  set(jars ${CMAKE_BINARY_DIR}/bin/kinesis/lib)
  if(MAVEN)
    add_custom_command(OUTPUT ${jars}/.complete
      COMMAND ${CMAKE_COMMAND} -D MAVEN=${MAVEN} -D JARS=${jars}
              -D POM=${CMAKE_CURRENT_SOURCE_DIR}/pom.xml -P ${CMAKE_CURRENT_LIST_FILE}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/pom.xml
      COMMENT "Fetching the Kinesis Client Library" VERBATIM)
    add_custom_target(weir_kinesis_jars ALL DEPENDS ${jars}/.complete)
  else()
    message(NOTICE "Maven is missing: ConsumeKinesis will be invalid in this build")
  endif()
  return()
endif()

# As a script: fills JARS from POM. A fetch goes beside, and takes the place of what was there only
# when it is whole.
set(expected_count 77)
set(expected_jars amazon-kinesis-client-3 amazon-kinesis-client-multilang-3 aws-cbor-protocol dynamodb-2
                  dynamodb-lock-client kinesis-2 logback-classic logback-core netty-codec-http2
                  netty-nio-client schema-registry-serde sts-2)
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
  message(FATAL_ERROR "Maven could not fetch the Kinesis Client Library (${result}). Is its repository "
                      "reachable (~/.m2/settings.xml)? It says:\n${output}")
endif()

file(GLOB fetched RELATIVE ${JARS}.new ${JARS}.new/*.jar)
list(LENGTH fetched count)
foreach(name ${expected_jars})
  if(NOT fetched MATCHES "(^|;)${name}")
    message(FATAL_ERROR "The jars fetched for the Kinesis Client Library lack ${name}: see pom.xml")
  endif()
endforeach()
if(NOT count EQUAL expected_count)
  message(FATAL_ERROR "${count} jars were fetched for the Kinesis Client Library, not "
                      "${expected_count}: see pom.xml and jars.cmake")
endif()
file(WRITE ${JARS}.new/.complete ${wanted})
file(REMOVE_RECURSE ${JARS})
file(RENAME ${JARS}.new ${JARS})
