set(CMAKE_BUILD_TYPE Release CACHE STRING "optimized, as shipped")
