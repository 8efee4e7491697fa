# What needs MPI, for each MPI library that is installed: the interposer of MPI programs, libmeridian-mpi-openmpi.so and
# libmeridian-mpi-mpich.so (docs/mpi.md), and the program whose ranks answer a question, meridian-mpi.openmpi and
# meridian-mpi.mpich (docs/fleet.md), of which the first one is meridian-mpi. Without MPI this is skipped.
set(mpi_libraries "")
find_path(MER_HAS_LTTNG_UST lttng/tracepoint.h)
find_library(MER_LTTNG_UST lttng-ust)
find_program(MER_AWK awk)
set(mpi_wrappers ${PROJECT_BINARY_DIR}/mpi/wrappers.c)

# mer_mpi(NAME COMPILES LINKS): the folders of its headers, and what to link with, are what its compiler says with these
# options. Where there is one MPI library alone, its compiler is mpicc.
function(mer_mpi name compiles links)
	find_program(MER_MPICC_${name} NAMES mpicc.${name} mpicc)
	if(NOT MER_MPICC_${name})
		return()
	endif()
	execute_process(COMMAND ${MER_MPICC_${name}} ${compiles} OUTPUT_VARIABLE said
		OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
	string(REGEX MATCHALL "-I[^ ]+" folders "${said}")
	list(TRANSFORM folders REPLACE "^-I" "")
	list(GET folders 0 folder)
	if(failed OR NOT EXISTS ${folder}/mpi.h)
		return()
	endif()
	set(target meridian_mpi_${name})
	add_library(${target} SHARED interposer/core.c interposer/requests.c interposer/polls.c
		interposer/tell.c interposer/ctf.c interposer/stream.c src/mpi/calls.c ${mpi_wrappers})
	target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
	target_include_directories(${target} SYSTEM PRIVATE ${folders})
	target_link_libraries(${target} PRIVATE meridian_static Threads::Threads ${CMAKE_DL_LIBS})
	# What a program links with it keeps its own symbols, whatever of the library is in here.
	target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
	if(MER_HAS_LTTNG_UST AND MER_LTTNG_UST)
		target_compile_definitions(${target} PRIVATE MM_LTTNG)
		target_link_libraries(${target} PRIVATE ${MER_LTTNG_UST})
	endif()
	set_target_properties(${target} PROPERTIES OUTPUT_NAME meridian-mpi-${name})
	set(MPI_NAME ${name})
	configure_file(interposer/meridian-mpi.pc.in meridian-mpi-${name}.pc @ONLY)
	install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
	install(FILES ${PROJECT_BINARY_DIR}/meridian-mpi-${name}.pc
		DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
	execute_process(COMMAND ${MER_MPICC_${name}} ${links} OUTPUT_VARIABLE said
		OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
	separate_arguments(flags UNIX_COMMAND "${said}")
	list(FILTER flags INCLUDE REGEX "^-(L|l|Wl,)")
	set(program meridian_ranks_${name})
	add_executable(${program} src/cli/ranks/main.c)
	target_include_directories(${program} SYSTEM PRIVATE ${folders})
	target_link_libraries(${program} PRIVATE meridian_cli meridian_server meridian_record meridian_static
		${MER_SERVER_LIBRARIES} ${MER_CLI_LIBRARIES} ${flags})
	set_target_properties(${program} PROPERTIES OUTPUT_NAME meridian-mpi.${name})
	install(PROGRAMS $<TARGET_FILE:${program}> DESTINATION ${CMAKE_INSTALL_BINDIR})
	if(NOT mpi_libraries)
		install(PROGRAMS $<TARGET_FILE:${program}> DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME meridian-mpi)
	endif()
	set(mpi_libraries ${mpi_libraries} ${name} PARENT_SCOPE)
endfunction()

if(MER_AWK)
	add_custom_command(OUTPUT ${mpi_wrappers}
		COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/mpi
		COMMAND ${MER_AWK} -f ${PROJECT_SOURCE_DIR}/interposer/generate
			${PROJECT_SOURCE_DIR}/interposer/calls.list > ${mpi_wrappers}
		DEPENDS interposer/generate interposer/calls.list VERBATIM)
	# Made text, and macros of others: not ours to judge.
	set_source_files_properties(${mpi_wrappers} PROPERTIES COMPILE_OPTIONS
		"-Wno-conversion;-Wno-shadow;-Wno-stringop-overflow")
	set_source_files_properties(interposer/tell.c PROPERTIES COMPILE_OPTIONS
		"-Wno-conversion;-Wno-shadow;-Wno-sign-conversion")
	mer_mpi(openmpi --showme:compile --showme:link)
	mer_mpi(mpich -compile_info -link_info)
endif()
if(mpi_libraries)
	list(JOIN mpi_libraries ", " found)
	message(STATUS "MPI: meridian-mpi and the interposer are built for ${found}")
	# Tests preload it into programs that are not sanitized.
	if(NOT MER_SANITIZE)
		foreach(name IN LISTS mpi_libraries)
			list(APPEND extra_targets meridian_mpi_${name} meridian_ranks_${name})
		endforeach()
	endif()
else()
	message(STATUS "MPI: no library found, so meridian-mpi and the interposer are not built (tools/setup mpi)")
endif()
