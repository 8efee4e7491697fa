#include "ctfgen.h"
int big_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return 2;
}
