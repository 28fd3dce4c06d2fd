// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a process keeps its floating point registers over all that the kernel
 * does between two of its instructions. Prints a line for each way, with how often
 * they were kept and how often not; the status is 1 if they ever were not.
 *
 * Registers are filled, something happens, and they are looked at, all in one
 * piece of assembly: a compiler is free to use them everywhere else.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS		5
#define ROUNDS		200
#define PAGE		4096
#define MXCSR_START	0x1f80u		/* what the ABI gives a program */
#define MXCSR_UP	0x5f80u		/* rounds up */
#define MXCSR_DOWN	0x3f80u

struct way {
	const char *name;
	int kept, lost;
};

static void note(struct way *way, bool kept)
{
	__atomic_add_fetch(kept ? &way->kept : &way->lost, 1, __ATOMIC_SEQ_CST);
}

/*
 * A system call with PATTERN in the lowest and the highest register, in the upper
 * half of the latter as well, and MXCSR. What it returned is in *RETURNED.
 */
static bool kept_over(uint64_t pattern, uint32_t mxcsr, long *returned, long number, long first,
		      long second, long third, long fourth)
{
	register long r10 asm("r10") = fourth;
	uint64_t low = 0, high = 0, upper = 0;
	uint32_t before, after = 0;

	asm volatile("stmxcsr %[before]\n\t"
		     "ldmxcsr %[mxcsr]\n\t"
		     "vmovq %[pattern], %%xmm0\n\t"
		     "vbroadcastsd %[pattern], %%ymm15\n\t"
		     "syscall\n\t"
		     "vmovq %%xmm0, %[low]\n\t"
		     "vmovq %%xmm15, %[high]\n\t"
		     "vextractf128 $1, %%ymm15, %%xmm15\n\t"
		     "vmovq %%xmm15, %[upper]\n\t"
		     "stmxcsr %[after]\n\t"
		     "ldmxcsr %[before]\n\t"
		     "vzeroupper"
		     : "+a"(number), [low] "=m"(low), [high] "=m"(high), [upper] "=m"(upper),
		       [before] "=m"(before), [after] "=m"(after)
		     : [mxcsr] "m"(mxcsr), [pattern] "m"(pattern), "D"(first), "S"(second),
		       "d"(third), "r"(r10)
		     : "rcx", "r11", "memory", "xmm0", "xmm15");
	*returned = number;
	return low == pattern && high == pattern && upper == pattern && after == mxcsr;
}

static void over_sleep(struct way *way, uint64_t pattern, uint32_t mxcsr, long ns)
{
	struct timespec time = { .tv_nsec = ns };
	long returned;

	note(way, kept_over(pattern, mxcsr, &returned, SYS_nanosleep, (long)&time, 0, 0, 0));
}

/* Threads share a process on the host. They wake one another's neighbours. */

static struct way threads = { .name = "threads" };

static void *thread(void *argument)
{
	uint64_t own = (uintptr_t)argument;

	for (int round = 0; round < ROUNDS; round++)
		over_sleep(&threads, own << 32 | round, own % 2 ? MXCSR_UP : MXCSR_DOWN,
			   10000 * own);
	return NULL;
}

static void try_threads(void)
{
	pthread_t thread_of[THREADS];

	for (uintptr_t at = 0; at < THREADS; at++)
		pthread_create(&thread_of[at], NULL, thread, (void *)(at + 1));
	for (int at = 0; at < THREADS; at++)
		pthread_join(thread_of[at], NULL);
}

/* A handler has registers of its own, whether what it interrupted was the kernel or not. */

static struct way sleeping = { .name = "signals while it sleeps" };
static struct way running = { .name = "signals while it runs" };
static volatile int caught;

static void handler(int number)
{
	uint64_t other = 0x6f74686572;
	long returned;

	(void)number;
	kept_over(other, MXCSR_DOWN, &returned, SYS_getpid, 0, 0, 0, 0);
	asm volatile("vbroadcastsd %0, %%ymm0\n\tvmovapd %%ymm0, %%ymm15" ::"m"(other)
		     : "xmm0", "xmm15");
	caught++;
}

static void try_signals(void)
{
	struct itimerval often = { { 0, 70 }, { 0, 70 } }, never = { 0 };
	uint64_t pattern = 0x7369676e616c;

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int round = 0; round < ROUNDS; round++)
		over_sleep(&sleeping, pattern + round, MXCSR_UP, 200000);
	setitimer(ITIMER_REAL, &never, NULL);
	for (int round = 0; round < ROUNDS; round++) {
		long returned;

		note(&running, kept_over(pattern + round, MXCSR_UP, &returned, SYS_kill,
					   getpid(), SIGALRM, 0, 0));
	}
	if (caught < 2 * ROUNDS)
		note(&sleeping, false);
}

/* Both go on with what the parent had. */

static struct way forks = { .name = "fork" };

static void try_forks(void)
{
	for (int round = 0; round < ROUNDS / 10; round++) {
		long child;
		int status;
		bool kept = kept_over(0x666f726b + round, MXCSR_UP, &child, SYS_fork, 0, 0, 0, 0);

		if (!child)
			_exit(!kept);
		note(&forks, kept);
		note(&forks, waitpid(child, &status, 0) == child && !status);
	}
}

/*
 * A child that borrows its parent's memory ends, or goes on as another program. It
 * does so in assembly, because it has the parent's stack.
 */

static struct way borrowed = { .name = "vfork" }, fresh = { .name = "exec" };

static bool kept_over_vfork(uint64_t pattern, uint64_t other, const char *program,
			    char *const words[], int *status)
{
	uint64_t low, high;
	long child;

	asm volatile("vmovq %[pattern], %%xmm0\n\t"
		     "vmovq %[pattern], %%xmm15\n\t"
		     "mov %[vfork], %%eax\n\t"
		     "syscall\n\t"
		     "test %%rax, %%rax\n\t"
		     "jnz 1f\n\t"
		     "vmovq %[other], %%xmm0\n\t"
		     "vmovq %[other], %%xmm15\n\t"
		     "mov %[execve], %%eax\n\t"
		     "xor %%edx, %%edx\n\t"
		     "syscall\n\t"
		     "mov %[exit], %%eax\n\t"
		     "mov $7, %%edi\n\t"
		     "syscall\n\t"
		     "1: vmovq %%xmm0, %[low]\n\t"
		     "vmovq %%xmm15, %[high]"
		     : "=&a"(child), [low] "=m"(low), [high] "=m"(high)
		     : [pattern] "m"(pattern), [other] "m"(other), [vfork] "i"(SYS_vfork),
		       [execve] "i"(SYS_execve), [exit] "i"(SYS_exit), "D"(program), "S"(words)
		     : "rcx", "rdx", "r11", "memory", "cc", "xmm0", "xmm15");
	return low == pattern && high == pattern && waitpid(child, status, 0) == child;
}

static void try_vfork(char *self)
{
	char *again[] = { self, "fresh", NULL };
	int status;

	for (int round = 0; round < ROUNDS / 10; round++) {
		note(&borrowed, kept_over_vfork(round, ~round, "/none", again, &status) &&
				status == 7 << 8);
		note(&borrowed, kept_over_vfork(round, ~round, self, again, &status));
		note(&fresh, !status);
	}
}

/* What a new program finds. */
static int is_fresh(void)
{
	uint32_t mxcsr;

	asm volatile("stmxcsr %0" : "=m"(mxcsr));
	return mxcsr != MXCSR_START;
}

/* The page is not there yet: the kernel brings it in between two instructions. */

static struct way faults = { .name = "page faults" };

static void try_faults(void)
{
	char *pages = mmap(NULL, ROUNDS * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t pattern = 0x6661756c74 + round, low, high;

		asm volatile("vmovq %[pattern], %%xmm0\n\t"
			     "vmovq %[pattern], %%xmm15\n\t"
			     "movb $1, (%[page])\n\t"
			     "vmovq %%xmm0, %[low]\n\t"
			     "vmovq %%xmm15, %[high]"
			     : [low] "=m"(low), [high] "=m"(high)
			     : [pattern] "m"(pattern), [page] "r"(pages + round * PAGE)
			     : "memory", "xmm0", "xmm15");
		note(&faults, low == pattern && high == pattern);
	}
}

/* Who sets another's registers keeps its own. */

static struct way tracer = { .name = "ptrace" };

static void try_ptrace(void)
{
	struct user_fpregs_struct registers;
	pid_t child = fork();

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	memset(&registers, 0, sizeof(registers));
	registers.mxcsr = MXCSR_START;
	for (int round = 0; round < ROUNDS / 10; round++) {
		long returned;
		bool kept = kept_over(0x7472616365 + round, MXCSR_UP, &returned, SYS_ptrace,
				      PTRACE_SETFPREGS, child, 0, (long)&registers);

		note(&tracer, kept && !returned);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

int main(int words, char *word[])
{
	const struct way *ways[] = { &threads, &sleeping, &running, &forks, &borrowed, &fresh,
				     &faults, &tracer };
	int lost = 0;

	if (words > 1)
		return is_fresh();
	try_threads();
	try_signals();
	try_forks();
	try_vfork(word[0]);
	try_faults();
	try_ptrace();
	for (size_t at = 0; at < sizeof(ways) / sizeof(*ways); at++) {
		printf("%s: kept %d, lost %d\n", ways[at]->name, ways[at]->kept, ways[at]->lost);
		lost += ways[at]->lost;
	}
	return !!lost;
}
