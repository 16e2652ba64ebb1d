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
    $<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local,-Wshadow> # a parameter may be named like a member
    -Wsign-conversion
    -Wundef
    -Wunused
    -Wno-missing-field-initializers # designated initialisers leave the rest to their defaults, on purpose
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
    $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>
    # GCC 12 warns of copies out of bounds inside std::string and std::vector when it optimises (GCC bug 105651 and
    # similar ones).
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-array-bounds>
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
    # GCC 14 also warns of writes to address zero where Boost.Intrusive casts a hook to its element, and confuses the
    # frame allocators of coroutines. Clang and AddressSanitizer check for both faults.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete>
    # In a unity build the sources of a library are headers to GCC, and it warns of their anonymous namespaces.
    $<$<AND:$<BOOL:${CMAKE_UNITY_BUILD}>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>
    # Their names also shadow those of the sources before them. GCC checks local names only.
    $<$<AND:$<BOOL:${CMAKE_UNITY_BUILD}>,$<CXX_COMPILER_ID:Clang>>:-Wno-shadow>
    $<$<BOOL:${HOLDFAST_WERROR}>:-Werror>)
