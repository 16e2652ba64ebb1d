"""The recipe of Conan 2: `conan create packaging/conan --build=missing`.

Holdfast needs Boost 1.91. A remote that has only older ones, as Conan Center may, is no use: `-o "&:system=True"` takes
Boost, OpenSSL and spdlog from the system, and Boost from the environment variable BOOST_ROOT if it is set.
"""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir


class Holdfast(ConanFile):
    name = "holdfast"
    description = "Distributed locks over Redis for Boost.Asio"
    license = "BSL-1.0"
    topics = ("redis", "lock", "asio")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "tool": [True, False], "system": [True, False]}
    default_options = {"shared": False, "fPIC": True, "tool": False, "system": False, "boost/*:header_only": True}
    implements = ["auto_shared_fpic"]

    @property
    def _repository(self):
        return Path(self.recipe_folder).parents[1]

    def set_version(self):
        lines = load(self, self._repository / "CMakeLists.txt").splitlines()
        self.version = next(line.split()[2] for line in lines if line.startswith("project(holdfast VERSION "))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "packaging/pkgconfig/*", "src/*",
                        "scripts/lua/*", "tool/*"):
            copy(self, pattern, self._repository, self.export_sources_folder)

    def requirements(self):
        if self.options.system:
            return
        self.requires("boost/[>=1.91 <2]", transitive_headers=True)
        self.requires("openssl/[>=3 <4]")
        self.requires("spdlog/[>=1.9 <2]")
        if self.options.tool:
            self.requires("cli11/[>=2.1 <3]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["HOLDFAST_BUILD_TOOL"] = bool(self.options.tool)
        for part in ("TESTING", "BUILD_BENCH", "BUILD_EXAMPLES"):
            toolchain.cache_variables[f"HOLDFAST_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder, "licenses"))
        rmdir(self, Path(self.package_folder, "share"))
        rmdir(self, Path(self.package_folder, "lib", "pkgconfig"))  # Conan's generators write their own
        rmdir(self, Path(self.package_folder, "lib", "cmake"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "holdfast")
        self.cpp_info.set_property("cmake_target_name", "holdfast::holdfast")
        self.cpp_info.libs = ["holdfast"]
        self.cpp_info.system_libs = ["pthread"]
        if not self.options.system:
            self.cpp_info.requires = ["boost::headers", "openssl::openssl", "spdlog::spdlog"]
        elif not self.options.shared:
            self.cpp_info.system_libs += ["spdlog", "fmt", "ssl", "crypto"]
