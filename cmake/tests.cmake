# The tests: nothing of this is built by `all`. The target test_programs builds it, with what the tests
# run (the tools, the benchmarks, the examples), and unpacks the recordings that the tests read.

find_library(CMOCKA cmocka)
if(NOT CMOCKA)
	# Only who wants the tests has to have it.
	message(STATUS "cmocka is not there: the tests cannot be built (Debian: libcmocka-dev)")
	add_custom_target(test_programs
		COMMAND ${CMAKE_COMMAND} -E echo
			"cmocka is missing: install it ('tools/setup test'; Debian: libcmocka-dev) and configure again"
		COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
	return()
endif()

add_custom_target(test_recordings
	COMMAND ${PROJECT_SOURCE_DIR}/tests/recordings/unpack ${MER_RECORDINGS}
	COMMENT "Unpacking recordings" VERBATIM)

set(test_env "SRC=${PROJECT_SOURCE_DIR};BUILD=${PROJECT_BINARY_DIR}")
list(APPEND test_env "MERIDIAN=${PROJECT_BINARY_DIR}/meridian")
list(APPEND test_env "CTFGEN=${PROJECT_BINARY_DIR}/ctfgen")
list(APPEND test_env "CLOCKWORLD=${PROJECT_BINARY_DIR}/clockworld")
list(APPEND test_env "KERNELWORLD=${PROJECT_BINARY_DIR}/kernelworld")
list(APPEND test_env "WORK=${PROJECT_BINARY_DIR}/meridian-work")
list(APPEND test_env "RECORDINGS=${MER_RECORDINGS}")
list(APPEND test_env "SANITIZE=${MER_SANITIZE}")
# Not the developer's own: tests leave nothing behind outside of the build.
list(APPEND test_env "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/test-cache")

# What all test programs have: where recordings are, and "skipped" when all of a program's tests were.
# They are built for a quick build, and without the library's debug information, which would be there a
# hundred times; build with CMAKE_BUILD_TYPE=Debug to look into one with a debugger.
file(GLOB support_sources CONFIGURE_DEPENDS tests/support/*.c)
add_library(test_support OBJECT EXCLUDE_FROM_ALL ${support_sources})
target_include_directories(test_support PUBLIC tests/support)
target_compile_options(test_support PUBLIC $<$<CONFIG:RelWithDebInfo,Release>:-O1;-g1>)
target_link_options(test_support PUBLIC
	-Wl,--wrap=_skip,--wrap=_cmocka_run_group_tests $<$<CONFIG:RelWithDebInfo,Release>:-Wl,-S>)
target_link_libraries(test_support PUBLIC ${tested_world} ${tested} ${CMOCKA})
# Three hundred programs are linked: by the quickest linker that is there.
include(CheckLinkerFlag)
foreach(linker lld gold)
	check_linker_flag(C -fuse-ld=${linker} MER_LINKS_WITH_${linker})
	if(MER_LINKS_WITH_${linker})
		target_link_options(test_support PUBLIC -fuse-ld=${linker})
		break()
	endif()
endforeach()

# tests/FOLDER/test_NAME.c is one program; the folder's other sources are linked to each.
file(GLOB test_sources CONFIGURE_DEPENDS tests/*/test_*.c)
foreach(source IN LISTS test_sources)
	get_filename_component(dir ${source} DIRECTORY)
	get_filename_component(folder ${dir} NAME)
	get_filename_component(name ${source} NAME_WE)
	set(target ${folder}_${name})
	add_executable(${target} EXCLUDE_FROM_ALL ${source})
	target_link_libraries(${target} PRIVATE test_support)
	file(GLOB support CONFIGURE_DEPENDS ${dir}/*.c)
	list(FILTER support EXCLUDE REGEX "/test_[^/]*$")
	if(support)
		if(NOT TARGET ${folder}_support)
			add_library(${folder}_support OBJECT EXCLUDE_FROM_ALL ${support})
			target_link_libraries(${folder}_support PUBLIC test_support)
		endif()
		target_link_libraries(${target} PRIVATE ${folder}_support)
	endif()
	if(folder STREQUAL cli)
		target_link_libraries(${target} PRIVATE ${tested_program} ${MER_SERVER_LIBRARIES}
			${MER_CLI_LIBRARIES})
	endif()
	if(folder STREQUAL server)
		target_link_libraries(${target} PRIVATE ${tested_server} ${MER_SERVER_LIBRARIES})
	endif()
	if(folder STREQUAL record)
		target_link_libraries(${target} PRIVATE ${tested_record})
	endif()
	set_target_properties(${target} PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
	list(APPEND extra_targets ${target})
	string(REGEX REPLACE "^test_" "" name ${name})
	add_test(NAME ${folder}.${name} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
	set_tests_properties(${folder}.${name} PROPERTIES ENVIRONMENT "${test_env}"
		TIMEOUT ${test_timeout} LABELS ${folder} SKIP_RETURN_CODE 77)
endforeach()

# Preloaded by tests/fault.
add_library(failalloc MODULE EXCLUDE_FROM_ALL tests/fault/preload/failalloc.c)
set_target_properties(failalloc PROPERTIES PREFIX "" C_VISIBILITY_PRESET default
	LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

# tests/FOLDER/test_NAME.sh: exit 0 passed, 77 skipped.
file(GLOB test_scripts CONFIGURE_DEPENDS tests/*/test_*.sh)
foreach(source IN LISTS test_scripts)
	get_filename_component(dir ${source} DIRECTORY)
	get_filename_component(folder ${dir} NAME)
	get_filename_component(name ${source} NAME_WE)
	string(REGEX REPLACE "^test_" "" name ${name})
	add_test(NAME ${folder}.${name}.sh COMMAND bash ${source}
		WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
	set_tests_properties(${folder}.${name}.sh PROPERTIES ENVIRONMENT "${test_env}"
		TIMEOUT 1200 LABELS ${folder} SKIP_RETURN_CODE 77)
	# What these find depends on what the machine does while they run: see tools/run-tests.
	if("${folder}.${name}" MATCHES "^(record|server|ui|work)\\.|^cli\\.(fleet|serve|tui_terminal)$")
		set_property(TEST ${folder}.${name}.sh APPEND PROPERTY LABELS live)
	endif()
endforeach()

# The longest begin first, so that none of them is left at the end, alone.
foreach(name ui.page.sh cli.windows.sh fault.alloc_tasks.sh record.hosts.sh cli.hostile.sh cli.events.sh fault.damage
	cli.limits.sh cases.requests_cuts cases.perfetto.sh cli.requests.sh)
	set_tests_properties(${name} PROPERTIES COST 100)
endforeach()

# Those that take more than a few seconds of CPU time: `make test QUICK=yes` leaves them out.
foreach(name analysis.cpu analysis.bins_agree analysis.grid_agree analysis.period api.python.sh api.stored build.make.sh cases.babeltrace.sh
	cases.containers.sh cases.guests.sh cases.lab_broken.sh cases.lake.sh cases.otlp.sh cases.perfetto.sh cases.requests.sh cases.requests_cuts cases.services.sh
	cases.store cases.world_same mpi.ranks.sh cli.cli.sh cli.columns.sh cli.events.sh cli.export.sh cli.export_perfetto.sh cli.fleet.sh cli.full.sh cli.graph.sh cli.grid.sh cli.hostile.sh cli.limits.sh
	cli.nothing.sh cli.openmetrics.sh cli.options.sh cli.query.sh cli.requests.sh cli.windows.sh cli.words.sh fault.alloc_export.sh fault.alloc_tasks.sh fault.damage ftrace.text.sh
	pcap.captures.sh
	record.hosts.sh ui.page.sh)
	if(NOT TEST ${name})
		message(FATAL_ERROR "cmake/tests.cmake: there is no test ${name}")
	endif()
	set_property(TEST ${name} APPEND PROPERTY LABELS long)
endforeach()

# DuckDB's library is one of the packages that the other test gets.
set_tests_properties(api.arrow PROPERTIES DEPENDS cases.lake.sh)

add_test(NAME house.layers COMMAND ${PROJECT_SOURCE_DIR}/tools/check-layers)
add_test(NAME house.format COMMAND ${PROJECT_SOURCE_DIR}/tools/check-format)
set_tests_properties(house.layers house.format PROPERTIES
	WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} LABELS house SKIP_RETURN_CODE 77)

add_custom_target(test_programs
	DEPENDS meridian meridian-work generated ${extra_targets} failalloc test_recordings)
