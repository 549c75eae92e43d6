/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HWAEAD_TOOLS_RANDOM_H
#define HWAEAD_TOOLS_RANDOM_H

/* `hwaead random`, with the arguments after that word. Returns its exit code. */
int random_command(int argc, char **argv);

extern const char random_usage[];

#endif
