set(CMAKE_BUILD_TYPE Debug CACHE STRING "with ThreadSanitizer")
set(WEIR_SANITIZE thread CACHE STRING "Sanitizers of this build")
