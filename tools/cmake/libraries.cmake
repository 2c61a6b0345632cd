find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)                       # Asio: event-driven scheduling; intrusive_ptr
find_package(fmt REQUIRED)                              # formatting of messages
find_package(spdlog REQUIRED)                           # logging
find_package(nlohmann_json 3.11 REQUIRED)               # JSON values
find_package(RocksDB REQUIRED)                          # provenance indexes, one FlowFile repository
find_package(GTest REQUIRED)                            # tests
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)     # provenance blocks, CompressContent
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash) # checksums
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)        # flow.json.gz
pkg_check_modules(ARCHIVE REQUIRED IMPORTED_TARGET libarchive) # tar and zip of UnpackContent
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto) # CryptographicHashContent, name-based ids
find_package(CLI11 REQUIRED)                            # command lines
find_package(benchmark REQUIRED)                        # micro-benchmarks

add_library(weir_asio STATIC ${CMAKE_SOURCE_DIR}/tools/cmake/asio.cpp)
target_link_libraries(weir_asio PUBLIC Boost::headers Threads::Threads)
target_compile_definitions(weir_asio PUBLIC BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)
