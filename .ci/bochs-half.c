// A correction of Bochs 2.7, preloaded into it.
//
// Its VCVTPS2PH rounds what lies halfway between two float16 values away from zero, where IEEE 754 and
// every real CPU round to even: the test for a tie, in roundAndPackFloat16 of its SoftFloat, compares
// the four bits below the result with 16, which they never are, instead of 8. Bochs exports its
// functions to its plugins, so this library finds the faulty one and has it jump to the right one.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// The beginning of SoftFloat's float_status_t in Bochs.
struct status {
	int denormals, rounding; // rounding: 0 is to nearest even
};

// roundAndPackFloat16 makes a float16 of a sign, an exponent that is one below the biased one, and a
// significand whose leading bit is bit 14 and whose last four bits are to be rounded away. It raises
// no exception flags: Go programs do not read them.
static uint16_t roundAndPackFloat16(int sign, int16_t exponent, uint16_t significand, struct status *status) {
	if (status->rounding != 0) {
		fprintf(stderr, "bochs-half: rounding mode %d\n", status->rounding);
		abort();
	}
	if (exponent < 0) { // subnormal: shift right, and keep in the last bit that something was lost
		int shift = -exponent;
		uint16_t kept = shift < 16 ? significand >> shift : 0;
		int lost = shift < 16 ? (significand & ((1 << shift) - 1)) != 0 : significand != 0;
		significand = kept | lost;
		exponent = 0;
	}
	unsigned rounded = (significand + 7 + (significand >> 4 & 1)) >> 4;
	if (rounded == 0) exponent = 0;
	unsigned magnitude = ((unsigned)exponent << 10) + rounded;
	if (exponent > 0x1d || magnitude > 0x7c00) magnitude = 0x7c00; // infinity
	return (uint16_t)((unsigned)sign << 15 | magnitude);
}

__attribute__((constructor)) static void correct(void) {
	unsigned char *faulty = dlsym(RTLD_DEFAULT, "_Z19roundAndPackFloat16istR14float_status_t");
	if (!faulty) {
		fputs("bochs-half: this Bochs has no roundAndPackFloat16\n", stderr);
		_exit(1);
	}
	uintptr_t page = (uintptr_t)faulty & -(uintptr_t)getpagesize();
	if (mprotect((void *)page, 2 * getpagesize(), PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
		perror("bochs-half: mprotect");
		_exit(1);
	}
	unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; // MOVQ $f, AX; JMP AX
	uint16_t (*right)(int, int16_t, uint16_t, struct status *) = roundAndPackFloat16;
	memcpy(jump + 2, &right, sizeof right);
	memcpy(faulty, jump, sizeof jump);
}
