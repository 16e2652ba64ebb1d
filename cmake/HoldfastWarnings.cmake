# holdfast_warnings: the warnings for our own code. Link to it as $<BUILD_INTERFACE:holdfast_warnings>, PRIVATE, so
# that neither users nor the installed package ever see it.

add_library(holdfast_warnings INTERFACE)

target_compile_options(holdfast_warnings INTERFACE
    -Wall
    -Wextra
    -Wpedantic
    -Wcast-align
    -Wcast-qual
    -Wconversion
    -Wextra-semi
    -Wformat=2
    -Wold-style-cast
    -Woverloaded-virtual
    -Wshadow
    -Wsign-conversion
    -Wundef
    -Wunused
    -Wno-missing-field-initializers # designated initialisers leave the rest to their defaults, on purpose
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
    $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>
    $<$<BOOL:${HOLDFAST_WERROR}>:-Werror>)
