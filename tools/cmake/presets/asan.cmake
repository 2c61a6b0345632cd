set(CMAKE_BUILD_TYPE Debug CACHE STRING "with AddressSanitizer and UndefinedBehaviorSanitizer")
set(WEIR_SANITIZE address,undefined CACHE STRING "Sanitizers of this build")
