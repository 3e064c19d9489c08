# libFuzzer comes with Clang; everything else is built by g++.
find_program(CMAKE_CXX_COMPILER NAMES clang++-19 clang++ REQUIRED)
